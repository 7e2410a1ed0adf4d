internal import Dispatch
internal import Synchronization

/// The ICE agent of one connection: it finds the path to the peer (RFC 8445), and sends and receives through it.
///
/// `webrtcbin` asks it through ``WebRTCIceActions``, on threads of its own. All reports come from the ``IceThread``.
final class IceAgent: Sendable {
    /// A milestone of the connection.
    enum Report: Sendable {
        case candidate(IceCandidate)
        /// No local candidate follows.
        case gathered
        /// The first candidate pair works; once.
        case connected
        /// No candidate pair works; never after ``connected``.
        case failed(text: String)
    }

    private struct State {
        var hasBegun = false
        var hasConnected = false
        var isMuted = false
        var isClosed = false
        /// The local candidates and their end, until the local description is set; then nil.
        var held: [Report]? = []
        var flight = DtlsFlight()
        var isRepeating = false
    }

    private let nice: NiceAgent
    /// What `webrtcbin` gets.
    let webrtc = WebRTCIce()
    private let state = Mutex(State())
    private let report: @Sendable (Report) -> Void

    /// Makes an agent that gathers candidates on these addresses.
    init(
        _ tuning: TransportTuning, addresses: [String], report: @escaping @Sendable (Report) -> Void
    ) throws(MediaError) {
        self.report = report
        nice = try NiceAgent(tuning, addresses: addresses)
        // libnice signals on any thread, also inside a call of webrtcbin; here everything has one order.
        nice.watch { [weak self] event in IceThread.shared.run { [weak self] in self?.take(event) } }
        webrtc.serve(self)
        webrtc.use(nice)
    }

    /// The UDP sockets of its candidates.
    var sockets: IceSockets { IceSockets(of: nice) }

    /// Sets the servers, before the gathering.
    func use(stunServer: IceEndpoint?, relays: [IceServers.Relay], policy: IceTransportPolicy) throws(MediaError) {
        if let stunServer { try nice.use(stunServer: stunServer.host, port: stunServer.port) }
        for relay in relays { nice.use(relay) }
        if policy == .relay { try nice.forceRelay() }
    }

    /// Handles an event of libnice.
    ///
    /// Once a pair has worked, `webrtcbin` gets no checks or failures: it would block what is received. The call has a rule of its own for a
    /// silent peer.
    private func take(_ event: NiceAgent.Event) {
        guard !state.withLock({ $0.isMuted || $0.isClosed }) else { return }
        switch event {
        case .candidate(let line):
            tell(.candidate(IceCandidate(mLine: webrtc.mLine, candidate: String(line.dropFirst(2)))))
        case .gathered:
            webrtc.reportGathering(isComplete: true)
            tell(.gathered)
        case .selectedPair: webrtc.reportSelectedPair()
        case .state(.connected), .state(.ready):
            let isFirst = state.withLock { state in
                defer { state.hasConnected = true }
                return !state.hasConnected
            }
            guard isFirst else { return }
            report(.connected)
            webrtc.report(.connected)
        case .state(.connecting): if !hasConnected { webrtc.report(.checking) }
        case .state(.failed):
            guard !hasConnected else { return }
            report(.failed(text: "ICE found no working candidate pair"))
            webrtc.report(.failed)
        case .state(.disconnected), .state(.gathering): break
        }
    }

    private func tell(_ gathered: Report) {
        let isHeld = state.withLock { state in
            state.held?.append(gathered)
            return state.held != nil
        }
        if !isHeld { report(gathered) }
    }

    /// Reports the local candidates from now on: the local description is set.
    func reportCandidates() {
        IceThread.shared.run { [weak self] in
            guard let self else { return }
            for gathered in state.withLock({ $0.held.take() }) ?? [] { report(gathered) }
        }
    }

    private var hasConnected: Bool { state.withLock { $0.hasConnected } }

    /// Reports nothing more, before the pipeline stops: a `webrtcbin` that gets a state while it stops is never freed.
    func mute() { state.withLock { $0.isMuted = true } }

    /// Signs off from the TURN servers; call it when the pipeline has stopped.
    func close() async {
        guard end() else { return }
        await IceThread.shared.finish { [nice, webrtc] in webrtc.stopReceiving(from: nice) }
        await nice.signOff()
    }

    /// Closes the sockets though ``close()`` still waits for a TURN server.
    func abandon() { nice.abandon() }

    /// Ends an agent that nobody has closed; `webrtcbin`, which it may be reporting to at this moment, lives until that is over.
    func silence(keeping webrtcbin: Element) {
        guard end() else { return }
        let kept = Mutex<Element?>(webrtcbin)
        let release: @Sendable () -> Void = {
            let element = kept.withLock { $0.take() }
            // Its end may block.
            DispatchQueue.global().async { withExtendedLifetime(element) {} }
        }
        IceThread.shared.run { [nice, webrtc] in
            webrtc.stopReceiving(from: nice)
            release()
        }
    }

    deinit {
        guard end() else { return }
        IceThread.shared.run { [nice, webrtc] in webrtc.stopReceiving(from: nice) }
    }

    /// False when it has ended before.
    private func end() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }
}

extension IceAgent: WebRTCIceActions {
    func gather() {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        guard isFirst else { return }
        webrtc.reportGathering(isComplete: false)
        guard !nice.gather() else { return }
        IceThread.shared.run { [weak self] in
            self?.report(.failed(text: "ICE has no local address, or no free port in the allowed range"))
            self?.tell(.gathered)
        }
    }

    var isControlling: Bool { nice.isControlling }

    func setControlling(_ isControlling: Bool) { nice.setControlling(isControlling) }

    /// Only the first ones count.
    func setLocalCredentials(_ fragment: String, _ password: String) {
        guard !state.withLock({ $0.hasBegun }) else { return }
        nice.setLocalCredentials(fragment, password)
    }

    func setRemoteCredentials(_ fragment: String, _ password: String) { nice.setRemoteCredentials(fragment, password) }

    func add(remoteCandidate line: String) { nice.add(remoteCandidate: line) }

    func endRemoteCandidates() { nice.endRemoteCandidates() }

    func noteSent(handshake packet: [UInt8]) {
        state.withLock { $0.flight.noteSent(packet, at: .now) }
        repeatFlight()
    }

    func noteReceived(handshake packet: [UInt8]) { state.withLock { $0.flight.noteReceived(packet) } }

    func noteReceivedMedia() { state.withLock { $0.flight.end() } }

    /// Waits for the flight's deadline, unless somebody does already, and sends it again.
    private func repeatFlight() {
        let deadline = state.withLock { state -> ContinuousClock.Instant? in
            guard !state.isRepeating, !state.isClosed, let deadline = state.flight.deadline else { return nil }
            state.isRepeating = true
            return deadline
        }
        guard let deadline else { return }
        IceThread.shared.run(after: deadline - .now) { [weak self] in
            guard let self else { return }
            let packets = state.withLock { state in
                state.isRepeating = false
                return state.isClosed ? [] : state.flight.due(at: .now)
            }
            for packet in packets { nice.send(packet) }
            repeatFlight()
        }
    }
}
