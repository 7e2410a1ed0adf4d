/// Audio or video.
public enum MediaKind: String, Sendable, Hashable, CaseIterable, Comparable {
    case audio
    case video

    /// Audio first, which is also the order of the m-lines in an offer.
    public static func < (lhs: MediaKind, rhs: MediaKind) -> Bool { lhs == .audio && rhs == .video }
}
