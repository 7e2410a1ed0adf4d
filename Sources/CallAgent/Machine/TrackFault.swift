/// An element of the media failed, and half of a track with it; the call goes on with the rest.
public struct TrackFault: Sendable, Equatable {
    /// Which half of the track.
    public enum Direction: String, Sendable, Equatable, CaseIterable, Codable {
        /// Nothing of the medium is sent any more; the peer is told.
        case sending
        /// Nothing of the peer's is shown, played or recorded any more.
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
    /// The element that failed, by GStreamer's type and its name, such as `GstVP8Enc:encoder`.
    public var element: String
    /// Why, in GStreamer's own words.
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
