/// Collects the candidates of a connection that tells them in its description.
final class CandidateGathering: Sendable {
    private enum Item {
        case candidate(IceCandidate)
        case halfTime
        case timeout
        case abandoned
    }

    private let items: AsyncStream<Item>
    private let sink: AsyncStream<Item>.Continuation

    init() { (items, sink) = AsyncStream.makeStream() }

    func note(_ candidate: IceCandidate) { sink.yield(.candidate(candidate)) }

    /// From here on one relay candidate is enough.
    func reachHalfTime() { sink.yield(.halfTime) }

    /// Ends the wait, because the connection is closed.
    func abandon() { sink.yield(.abandoned) }

    /// Waits for the end of the candidates as ``CandidateDelivery/inDescription(timeoutMs:)`` says; called once.
    func collect(timeout: Duration) async -> (candidates: [IceCandidate], outcome: GatheringOutcome) {
        let alarm = Task { [sink] in
            guard timeout > .zero else { return }
            for item in [Item.halfTime, .timeout] {
                try? await Task.sleep(for: timeout / 2)
                sink.yield(item)
            }
        }
        defer { alarm.cancel() }
        var candidates: [IceCandidate] = []
        var isLate = false
        var hasRelay = false
        for await item in items {
            switch item {
            case .candidate(.endOfCandidates): return (candidates, .complete)
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
