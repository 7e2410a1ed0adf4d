internal import Synchronization

/// Notes whether the TURN servers gave anything, since libnice keeps their refusals to itself.
final class RelayWatch: Sendable {
    private struct State {
        var hasRelay = false
        var isTold = false
        /// Of servers by TLS, whose reasons are known.
        var failures: [IceServerURL: String] = [:]
    }

    private let servers: Int
    private let isNeeded: Bool
    private let report: @Sendable (PeerPipeline.Report) -> Void
    private let state = Mutex(State())

    /// `servers` is how many there are; with `isNeeded` a connection without a relay is none.
    init(servers: Int, isNeeded: Bool, report: @escaping @Sendable (PeerPipeline.Report) -> Void) {
        self.servers = servers
        self.isNeeded = isNeeded
        self.report = report
    }

    func note(_ candidate: IceCandidate) { if candidate.isRelay { state.withLock { $0.hasRelay = true } } }

    /// A server cannot be reached; told at once when it was the last, since libnice would wait for seconds.
    func noteFailure(of url: IceServerURL, _ text: String) {
        let failed = state.withLock { state -> Int? in
            guard state.failures.updateValue(text, forKey: url) == nil else { return nil }
            return state.failures.count
        }
        guard let failed else { return }
        report(.warning("no way to the TURN server \(url.text): \(text)"))
        if failed == servers { conclude() }
    }

    /// No relay comes any more that has not: says so, once.
    func conclude() {
        let failures = state.withLock { state -> [IceServerURL: String]? in
            guard servers > 0, !state.hasRelay, !state.isTold else { return nil }
            state.isTold = true
            return state.failures
        }
        guard let failures else { return }
        let known = failures.map { "\($0.key.text): \($0.value)" }.sorted()
        let reasons = known + (known.count < servers ? ["wrong credentials, or out of reach"] : [])
        let text = "no TURN server gave a relay address: \(reasons.joined(separator: "; "))"
        report(
            .event(
                PeerConnectionEvent(isNeeded ? .failed(.transportFailed(text: text)) : .relayUnavailable(text: text))))
    }
}
