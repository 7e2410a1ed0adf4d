/// How this end's candidates reach the peer.
public enum CandidateDelivery: Sendable, Equatable {
    /// One by one, as ``PeerConnectionEvent/Kind/localCandidate(_:)`` reports them (RFC 8838).
    case trickled
    /// All in the description, for a peer that cannot receive them one by one; creating the description waits for them.
    ///
    /// After half of the timeout, the wait ends with the first relay candidate, which works from anywhere. At the timeout it ends in any
    /// case. The timeout is in ms; 0 means no timeout.
    case inDescription(timeoutMs: Int)
}

/// How the gathering of local candidates ended.
public enum GatheringOutcome: String, Sendable {
    /// All candidates were gathered.
    case complete
    /// Ended early, with a relay candidate.
    case oneRelay
    /// Ended at the timeout, without a relay candidate.
    case noRelay
}
