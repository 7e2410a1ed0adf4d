/// How this end's candidates reach the peer.
public enum CandidateDelivery: Sendable, Equatable {
    /// One by one, as ``PeerConnectionEvent/Kind/localCandidate(_:)`` tells them (RFC 8838).
    case trickled
    /// All in the description, for a peer that cannot take them one by one; creating it waits for them.
    ///
    /// From half of the timeout on the wait ends with the first relay candidate, which works from anywhere; at the timeout it ends
    /// anyhow. A timeout of 0 means none. In ms.
    case inDescription(timeoutMs: Int)
}

/// How the search for this end's candidates ended.
public enum GatheringOutcome: String, Sendable {
    /// All are there.
    case complete
    /// Ended early, with a relay candidate.
    case oneRelay
    /// Ended at the timeout, without a relay candidate.
    case noRelay
}
