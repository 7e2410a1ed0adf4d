/// The direction of media on an m-line, from the view of the end that wrote the description (RFC 8866 section 6.7).
public enum MediaDirection: String, Sendable, CaseIterable {
    case sendrecv, sendonly, recvonly, inactive

    /// Whether this end sends.
    public var sends: Bool { self == .sendrecv || self == .sendonly }

    /// Whether this end receives.
    public var receives: Bool { self == .sendrecv || self == .recvonly }

    /// What both directions have in common, from the view of the same end.
    public func limited(to other: MediaDirection) -> MediaDirection {
        switch (sends && other.sends, receives && other.receives) {
        case (true, true): .sendrecv
        case (true, false): .sendonly
        case (false, true): .recvonly
        case (false, false): .inactive
        }
    }

    /// The direction from the view of the other end; also the most that an answer may allow (RFC 3264 section 6.1).
    public var reversed: MediaDirection {
        switch self {
        case .sendrecv, .inactive: self
        case .sendonly: .recvonly
        case .recvonly: .sendonly
        }
    }
}
