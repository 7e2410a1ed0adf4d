internal import Synchronization

/// Notes whether the TURN servers gave a relay candidate, since libnice does not report their refusals.
final class RelayWatch: Sendable {
    private struct State {
        var hasRelay = false
        var isReported = false
        /// The failures of servers over TLS, whose reasons are known.
        var failures: [IceServerURL: String] = [:]
    }

    private let servers: Int
    private let isNeeded: Bool
    private let report: @Sendable (PeerPipeline.Report) -> Void
    private let state = Mutex(State())

    /// `servers` is the number of TURN servers; with `isNeeded` a connection without a relay fails.
    init(servers: Int, isNeeded: Bool, report: @escaping @Sendable (PeerPipeline.Report) -> Void) {
        self.servers = servers
        self.isNeeded = isNeeded
        self.report = report
    }

    func note(_ candidate: IceCandidate) { if candidate.isRelay { state.withLock { $0.hasRelay = true } } }

    /// Notes that a server cannot be reached; concludes at once when it was the last, since libnice would wait for seconds.
    func noteFailure(of url: IceServerURL, _ text: String) {
        let failed = state.withLock { state -> Int? in
            guard state.failures.updateValue(text, forKey: url) == nil else { return nil }
            return state.failures.count
        }
        guard let failed else { return }
        report(.warning("cannot reach the TURN server \(url.text): \(text)"))
        if failed == servers { conclude() }
    }

    /// Reports, once, if no relay candidate has arrived: none can arrive any more.
    func conclude() {
        let failures = state.withLock { state -> [IceServerURL: String]? in
            guard servers > 0, !state.hasRelay, !state.isReported else { return nil }
            state.isReported = true
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
