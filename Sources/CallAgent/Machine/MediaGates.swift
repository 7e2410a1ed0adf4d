/// What the media of one peer connection lets through.
public struct MediaGates: Sendable, Equatable {
    /// What is sent of one kind.
    public enum Sending: String, Sendable, Equatable, CaseIterable {
        /// Nothing, and the device is not needed.
        case off
        /// Nothing yet; device and encoder stay warm.
        case closed
        /// Silence or black pictures.
        case blank
        /// What the source gives, the latest picture first.
        case live
    }

    /// What is sent of the sound, once the peer is verified.
    public var audio: Sending
    /// What is sent of the pictures, once the peer is verified.
    public var video: Sending
    /// Whether what arrives is shown and played, the latest picture first.
    public var isReceiving: Bool

    /// Makes gates; closed unless said otherwise.
    public init(audio: Sending = .closed, video: Sending = .closed, isReceiving: Bool = false) {
        self.audio = audio
        self.video = video
        self.isReceiving = isReceiving
    }
}
