public import CallProtocol

/// What each end of a call sends now, for display.
public struct MediaAttributes: Sendable, Equatable {
    /// One end.
    public struct End: Sendable, Equatable {
        /// How it sends audio; off in a call without audio.
        public var audio: MediaState.Sending
        /// How it sends video; off in a call without video.
        public var video: MediaState.Sending
        /// Its audio source, in the notation of the command line, without the password of a URL; nil at the peer and without a source.
        public var audioSource: String?
        /// Its video source, in the same notation.
        public var videoSource: String?
        /// The frame size of its video; nil while there is none: stopped, held, or not started yet.
        ///
        /// At this end it is the encoded size, at the peer the decoded size.
        public var frameSize: FrameSize?

        /// Makes an end.
        public init(
            audio: MediaState.Sending, video: MediaState.Sending, audioSource: String? = nil,
            videoSource: String? = nil,
            frameSize: FrameSize? = nil
        ) {
            self.audio = audio
            self.video = video
            self.audioSource = audioSource
            self.videoSource = videoSource
            self.frameSize = frameSize
        }
    }

    /// This end.
    public var local: End
    /// The other end, as it reported and as its video was decoded.
    public var remote: End

    /// Makes a pair.
    public init(local: End, remote: End) {
        self.local = local
        self.remote = remote
    }
}
