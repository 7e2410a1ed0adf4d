/// The exchange of one network path for another one during a call.
public struct NetworkPathChange: Sendable, Equatable, Codable {
    /// The number of the ICE restart, from 1.
    public var restart: Int
    /// The time from the beginning of the restart until the new path worked, in ms.
    public var durationMs: Double
    /// The path until then; nil when none had worked.
    public var before: NetworkPath?
    /// The path from then on.
    public var after: NetworkPath

    /// Makes a change.
    public init(restart: Int, durationMs: Double, before: NetworkPath?, after: NetworkPath) {
        self.restart = restart
        self.durationMs = durationMs
        self.before = before
        self.after = after
    }
}

/// A pair of candidates that carries media.
public struct NetworkPath: Sendable, Equatable, Codable {
    /// This end's candidate.
    public var local: Candidate
    /// The peer's candidate.
    public var remote: Candidate

    /// Makes a path.
    public init(local: Candidate, remote: Candidate) {
        self.local = local
        self.remote = remote
    }

    /// One end of a path.
    public struct Candidate: Sendable, Equatable, Codable {
        /// `host`, `srflx`, `prflx` or `relay` (RFC 8445 section 5.1.1).
        public var type: String
        /// The IP address.
        public var address: String
        /// The UDP or TCP port.
        public var port: Int

        /// Makes a candidate.
        public init(type: String, address: String, port: Int) {
            self.type = type
            self.address = address
            self.port = port
        }
    }
}
