/// What one end of a call sends at present, as it tells the other.
///
/// Told whole, never as a difference: one lost or late word of it does no harm.
public struct MediaState: Sendable, Equatable, Codable {
    /// What becomes of one kind of media.
    public enum Sending: String, Sendable, Equatable, Codable, CaseIterable {
        /// It is sent.
        case on
        /// Silence or black pictures are sent; microphone and camera stay open.
        case muted
        /// Nothing is sent, and the device is closed; also when there is none.
        case off
    }

    /// The sound.
    public var audio: Sending
    /// The pictures.
    public var video: Sending
    /// This end holds the call: nothing is sent, and nothing of the other end is shown.
    public var isHolding: Bool

    /// Makes a state; both are sent unless said otherwise.
    public init(audio: Sending = .on, video: Sending = .on, isHolding: Bool = false) {
        self.audio = audio
        self.video = video
        self.isHolding = isHolding
    }

    private enum CodingKeys: String, CodingKey {
        case audio, video
        case isHolding = "hold"
    }
}
