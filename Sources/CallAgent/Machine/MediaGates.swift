/// What the gates of one peer connection let through.
public struct MediaGates: Sendable, Equatable {
    /// What is sent of one medium.
    public enum Sending: String, Sendable, Equatable, CaseIterable {
        /// Nothing, and the device is not needed.
        case off
        /// Nothing yet; device and encoder stay warm.
        case closed
        /// Silence or black frames.
        case blank
        /// The media of the source, starting with the latest frame.
        case live
    }

    /// What is sent of the audio, once the peer is verified.
    public var audio: Sending
    /// What is sent of the video, once the peer is verified.
    public var video: Sending
    /// Whether arriving media is shown and played, starting with the latest frame.
    public var isReceiving: Bool

    /// Makes gates; closed by default.
    public init(audio: Sending = .closed, video: Sending = .closed, isReceiving: Bool = false) {
        self.audio = audio
        self.video = video
        self.isReceiving = isReceiving
    }
}

/// What a callee allows while it rings.
public enum EarlyMediaPolicy: String, Sendable, Equatable, CaseIterable, Codable {
    /// The transport connects and media flows both ways into closed gates: the fastest.
    case full
    /// The transport connects and the caller's media flows into the callee's closed gate; the callee sends no media before it accepts.
    case guarded
    /// Nothing happens before the callee accepts; the caller does not even learn the callee's addresses.
    case off
}

/// Who holds a call.
public enum HoldState: String, Sendable, Equatable, CaseIterable, Codable {
    /// Nobody.
    case none
    /// This end.
    case held
    /// The peer.
    case remotelyHeld
    /// Both ends.
    case both
}
