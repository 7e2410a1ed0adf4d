/// A media element failed, and half of a track with it; the call continues with the rest.
public struct TrackFault: Sendable, Equatable {
    /// Which half of the track.
    public enum Direction: String, Sendable, Equatable, CaseIterable, Codable {
        /// The medium is not sent any more; the peer is notified.
        case sending
        /// The peer's medium is not shown, played or recorded any more.
        case receiving
    }

    /// One half of a track.
    struct Half: Sendable, Hashable {
        let medium: CaptureFault.Medium
        let direction: Direction
    }

    /// What the track carries.
    public var medium: CaptureFault.Medium
    /// Which half failed.
    public var direction: Direction
    /// The element that failed, by GStreamer type and name, such as `GstVP8Enc:encoder`.
    public var element: String
    /// GStreamer's own message.
    public var text: String
    /// What the user can do.
    public var remedy: String

    /// Makes a fault.
    public init(
        medium: CaptureFault.Medium, direction: Direction, element: String, text: String, remedy: String
    ) {
        self.medium = medium
        self.direction = direction
        self.element = element
        self.text = text
        self.remedy = remedy
    }

    var half: Half { Half(medium: medium, direction: direction) }
}
