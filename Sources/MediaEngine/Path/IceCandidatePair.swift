/// A pair of candidates that carries the media of a connection.
public struct IceCandidatePair: Sendable, Equatable {
    /// The type of a candidate, with its name in descriptions (RFC 8839 section 5.1).
    public enum CandidateType: String, Sendable {
        case host
        case serverReflexive = "srflx"
        case peerReflexive = "prflx"
        case relay
    }

    /// How packets travel, with W3C's names.
    public enum TransportProtocol: String, Sendable {
        case udp
        case tcp
        /// To a TURN server only.
        case tls
    }

    /// One end of the pair.
    public struct Candidate: Sendable, Equatable {
        /// How the address was found.
        public var type: CandidateType
        /// The IP address.
        public var address: String
        /// The UDP or TCP port.
        public var port: Int
        /// How packets reach this address: UDP or TCP.
        public var transport = TransportProtocol.udp
        /// How this end reaches its TURN server; nil unless it is a relay candidate of this end.
        public var relayProtocol: TransportProtocol?
        /// As RFC 8445 section 5.1.2 computes it.
        public var priority = 0
    }

    /// This end's candidate.
    public var local: Candidate
    /// The peer's candidate.
    public var remote: Candidate
    /// The address of this machine that packets leave from; that of the server for a relay candidate.
    var base = ""
}

/// The pair that carries packets now, and since when.
struct SelectedIcePair: Sendable {
    var pair: IceCandidatePair
    var since = ContinuousClock.now
    /// How often another pair was selected, the first one included.
    var changes: Int
}

/// The credentials of one end for an ICE restart (RFC 8839 section 5.4).
public struct IceParameters: Sendable, Equatable {
    /// The number of the restart, from 1; the same at both ends.
    public var restart: Int
    /// The username fragment.
    public var fragment: String
    /// The password.
    public var password: String

    /// Makes parameters; they are checked when they are set.
    public init(restart: Int, fragment: String, password: String) {
        self.restart = restart
        self.fragment = fragment
        self.password = password
    }
}

/// The exchange of one path for another one.
public struct IcePathChange: Sendable, Equatable {
    /// The number of the ICE restart.
    public var restart: Int
    /// The time from ``PeerConnection/restartIce(_:)`` until the new path worked, in ms.
    public var milliseconds: Double
    /// The pair until then; nil when none had worked.
    public var before: IceCandidatePair?
    /// The pair from then on.
    public var after: IceCandidatePair
}
