/// Which way media flows on an m-line, as seen by the end whose description it stands in (RFC 8866 section 6.7).
public enum MediaDirection: String, Sendable, CaseIterable {
    case sendrecv, sendonly, recvonly, inactive

    /// Whether this end sends.
    public var sends: Bool { self == .sendrecv || self == .sendonly }

    /// Whether this end receives.
    public var receives: Bool { self == .sendrecv || self == .recvonly }

    /// The same as seen by the other end; also the most that an answer to it may say (RFC 3264 section 6.1).
    public var reversed: MediaDirection {
        switch self {
        case .sendrecv, .inactive: self
        case .sendonly: .recvonly
        case .recvonly: .sendonly
        }
    }
}
