/// Where the media of a call goes, besides the application.
public struct OutputConfiguration: Sendable {
    /// Where the peer's video is shown from ``PeerConnection/setReceiving(_:)`` on.
    public var videoSink = VideoSink.discard
    /// Where the peer's audio is played from ``PeerConnection/setReceiving(_:)`` on.
    public var audioSink = AudioSink.discard
    /// The file for a recording of received media, as it was encoded, from ``PeerConnection/setReceiving(_:)`` on; nil: no recording.
    ///
    /// Its extension selects a ``RecordingFormat``. A file has the tracks that existed when it started. Video that starts, stops for two
    /// seconds, or changes its size or codec starts another file: `call.part2.mkv` after `call.mkv`, or the next number
    /// of which there is no file. Another connection with the same media starts none. A file of the path itself is replaced. When something cannot be written, the connection sends ``PeerConnectionEvent/Kind/recordingFailed(_:)``.
    public var recordingPath: String?
    /// The maximum number of files of a recording, in each direction; at least 1.
    ///
    /// When video would need a further file, it is no longer recorded, and the connection sends
    /// ``PeerConnectionEvent/Kind/recordingFailed(_:)``. The audio continues in one last file. A recording without audio ends.
    public var maximumRecordingFiles = 100
    /// Whether sent media is recorded, too, as it was encoded: to `call.sent.mkv` beside `call.mkv`.
    ///
    /// Both recordings start at the same moment. There are two files since most players show only the first track of each kind.
    public var recordsSent = false

    /// The path for sent media when received media is recorded to `path`.
    public static func pathOfSent(beside path: String) -> String { path.beforeExtension(".sent") }

    /// No recording, no window and no speaker.
    public init() {}
}
