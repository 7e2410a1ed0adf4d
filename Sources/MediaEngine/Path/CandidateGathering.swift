/// Collects the candidates of a connection that sends them in its description.
final class CandidateGathering: Sendable {
    private enum Item {
        case candidate(IceCandidate)
        case halfTime
        case timeout
        case abandoned
    }

    /// The maximum number of candidates that wait for the description; then the oldest are left out.
    ///
    /// A machine with many addresses has a few dozen.
    static let maximumCandidates = 256

    private let items = BoundedStream<Item>(limit: maximumCandidates) { item in
        if case .candidate(let candidate) = item, !candidate.isEnd { .repeated } else { .kept }
    } notice: { _ in
        nil
    }

    func note(_ candidate: IceCandidate) { items.yield(.candidate(candidate)) }

    /// From here on one relay candidate is enough.
    func reachHalfTime() { items.yield(.halfTime) }

    /// Ends the wait, because the connection is closed.
    func abandon() { items.yield(.abandoned) }

    /// Waits for the end of the candidates as ``CandidateDelivery/inDescription(timeoutMs:)`` says; called once.
    func collect(timeout: Duration) async -> (candidates: [IceCandidate], outcome: GatheringOutcome) {
        let alarm = Task { [items] in
            guard timeout > .zero else { return }
            for item in [Item.halfTime, .timeout] {
                try? await Task.sleep(for: timeout / 2)
                items.yield(item)
            }
        }
        // Later candidates are in no description.
        defer {
            alarm.cancel()
            items.finish()
        }
        var candidates: [IceCandidate] = []
        var isLate = false
        var hasRelay = false
        for await item in items.elements {
            switch item {
            case .candidate(let candidate) where candidate.isEnd: return (candidates, .complete)
            case .candidate(let candidate):
                candidates.append(candidate)
                if candidate.isRelay { hasRelay = true }
            case .halfTime: isLate = true
            case .timeout: return (candidates, hasRelay ? .oneRelay : .noRelay)
            case .abandoned: return (candidates, .noRelay)
            }
            if isLate, hasRelay { return (candidates, .oneRelay) }
        }
        return (candidates, .noRelay)
    }
}

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
