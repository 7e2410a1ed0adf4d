internal import Dispatch
internal import Synchronization

/// The ICE agent of one connection: it finds the path to the peer (RFC 8445), and sends and receives through it.
///
/// `webrtcbin` asks it through ``WebRTCIceActions``, on threads of its own. All reports come from the ``IceThread``.
///
/// When the network changes, ``restart(_:)`` makes another ``IcePath`` beside the present one. Packets take the new path as soon as it works. `webrtcbin`
/// learns nothing of that: DTLS, SRTP and the streams stay.
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
        /// This end's parameters for another path; its candidates follow.
        case parameters(IceParameters)
        /// Another path carries the packets.
        case pathChanged(IcePathChange)
    }

    private struct State {
        /// For the next path.
        var settings: IcePath.Settings
        /// The path that carries the packets.
        var path: IcePath
        /// The path that replaces it when it works.
        var next: IcePath?
        var hasBegun = false
        var hasConnected = false
        var selectedPair: SelectedIcePair?
        var isMuted = false
        var isClosed = false
        /// The local candidates and their end, until the local description is set; then nil.
        var held: [Report]? = []
    }

    private let tuning: TransportTuning
    private let network: NetworkEmulator?
    /// What `webrtcbin` gets.
    let webrtc = WebRTCIce()
    private let state: Mutex<State>
    private let former: FormerIcePaths
    private let handshake = HandshakeRepetition()
    private let report: @Sendable (Report) -> Void

    /// Makes an agent that gathers candidates on the addresses of this machine.
    init(_ settings: IcePath.Settings, report: @escaping @Sendable (Report) -> Void) throws(MediaError) {
        (tuning, network) = (settings.tuning, settings.network)
        self.report = report
        let path = try IcePath(0, settings)
        // `webrtcbin` makes an end controlling that offers, and leaves it so otherwise. libnice's default is controlling: each call would begin with a conflict
        // of the roles (RFC 8445 section 7.3.1.1).
        path.nice.setControlling(false)
        state = Mutex(State(settings: settings, path: path))
        former = FormerIcePaths(webrtc)
        watch(path)
        webrtc.serve(self)
        webrtc.receive(from: path.nice)
        webrtc.send(through: path.nice)
        if let network { try webrtc.send(by: network) }
    }

    /// What libnice asks for server-reflexive candidates.
    var stunServer: IceEndpoint? { path.stunServer }

    private var path: IcePath { state.withLock { $0.path } }

    /// All that receive.
    private var paths: [IcePath] {
        state.withLock { [$0.path] + ($0.next.map { [$0] } ?? []) } + former.receiving
    }

    private func watch(_ path: IcePath) {
        // libnice signals on any thread, also inside a call of webrtcbin; here everything has one order.
        path.nice.watch { [weak self, weak path] event in
            IceThread.shared.run { [weak self, weak path] in
                guard let path else { return }
                self?.take(event, of: path)
            }
        }
    }

    /// Handles an event of libnice.
    ///
    /// Once a pair has worked, `webrtcbin` gets no checks or failures: it would block what is received. The call has a rule of its own for a
    /// silent peer.
    private func take(_ event: NiceAgent.Event, of path: IcePath) {
        let (isPresent, isNext) = state.withLock { state in
            let isOver = state.isMuted || state.isClosed
            return (!isOver && state.path === path, !isOver && state.next === path)
        }
        guard isPresent || isNext else { return }
        switch event {
        case .candidate(let line): take(candidate: String(line.dropFirst(2)), of: path)
        case .gathered:
            guard path.restart == 0 else { return }
            webrtc.reportGathering(isComplete: true)
            reportGathered(.gathered)
        case .selectedPair:
            if isPresent { noteSelectedPair() }
            // A peer that nominates late (RFC 8445 section 8.1.1) selects the pair only after it has worked.
            if isNext, path.isConnected, move(to: path) { connect() }
        case .state(.connected), .state(.ready):
            if isPresent || move(to: path) { connect() }
        case .state(.connecting): if isPresent, !hasConnected { webrtc.report(.checking) }
        case .state(.failed):
            // The next path may still work.
            guard isPresent, !hasConnected, state.withLock({ $0.next == nil }) else { return }
            report(.failed(text: "ICE found no working candidate pair"))
            webrtc.report(.failed)
        case .state(.disconnected), .state(.gathering): break
        }
    }

    private func take(candidate: String, of path: IcePath) {
        guard path.restart > 0, let fragment = path.nice.localCredentials?.fragment else {
            return reportGathered(.candidate(IceCandidate(mLine: webrtc.mLine, candidate: candidate)))
        }
        // The peer recognises the path by the fragment.
        report(.candidate(IceCandidate(mLine: webrtc.mLine, candidate: "\(candidate) ufrag \(fragment)")))
    }

    private func noteSelectedPair() {
        path.noteRoute()
        if let pair = path.selectedPair {
            state.withLock { state in
                state.selectedPair = SelectedIcePair(pair: pair, changes: (state.selectedPair?.changes ?? 0) + 1)
            }
        }
        webrtc.reportSelectedPair()
    }

    /// The pair that carries packets; nil before there is one.
    var selectedPair: SelectedIcePair? { state.withLock { $0.selectedPair } }

    private func connect() {
        let isFirst = state.withLock { state in
            defer { state.hasConnected = true }
            return !state.hasConnected
        }
        guard isFirst else { return }
        report(.connected)
        webrtc.report(.connected)
    }

    private func reportGathered(_ gathered: Report) {
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

    // MARK: Another path

    /// Checks whether the selected pair still works, since the peer is silent; on the ``IceThread``.
    ///
    /// If a NAT has given this end another address, the check comes from that address. A peer that it reaches learns the address and sends there
    /// (RFC 8445 section 7.3.1.3), without a restart.
    func checkPath() {
        guard hasConnected, state.withLock({ !$0.isClosed && !$0.isMuted }), let check = path.check() else { return }
        send(check)
    }

    /// Whether the network has changed so that the present path should be replaced.
    ///
    /// Calls `answer` on the ``IceThread``, where alone the pair may be read.
    func checkNetwork(_ answer: @escaping @Sendable (_ isOutdated: Bool) -> Void) {
        // The user chose the addresses: they are the same on any network.
        guard tuning.localAddresses.isEmpty else { return answer(false) }
        IceThread.shared.run { [weak self] in
            guard let self, let latest = state.withLock({ $0.isClosed ? nil : $0.next ?? $0.path }) else { return }
            answer(latest.isOutdated)
        }
    }

    /// Makes another path and gathers its candidates, instead of a former one that does not work yet.
    ///
    /// - Throws: ``MediaError/rejected(operation:text:)`` while ``FormerIcePaths/maximum`` former paths are signing off.
    func restart(_ number: Int) throws(MediaError) {
        guard !former.isFull else {
            throw .rejected(operation: "restartIce", text: "\(FormerIcePaths.maximum) former paths have not ended yet")
        }
        // A search that begins again, since the one before found nothing, tries everything.
        let (present, isFirst, settings) = state.withLock { ($0.path, $0.next == nil, $0.settings) }
        let path = try IcePath(number, settings, addresses: isFirst ? present.addressesForNext : nil)
        path.nice.setControlling(isControlling)
        guard let (fragment, password) = path.nice.localCredentials else {
            throw .transportFailed(text: "ICE has no credentials for another path")
        }
        let isOpen = state.withLock { state in
            guard !state.isClosed, !state.isMuted else { return false }
            // In one step: whoever ends the agent finds each path in one place.
            if let replaced = state.next { former.close(replaced) }
            state.next = path
            return true
        }
        guard isOpen else { return }
        watch(path)
        webrtc.receive(from: path.nice)
        IceThread.shared.run { [weak self] in
            self?.report(.parameters(IceParameters(restart: number, fragment: fragment, password: password)))
            // Without a candidate the path fails: the rules try again when the network changes.
            path.gather()
        }
    }

    /// Uses other servers for the paths that ``restart(_:)`` makes from now on.
    func use(stun: [IceServerURL], relays: [IceServers.Relay], tunnels: Set<IceEndpoint>) {
        state.withLock { ($0.settings.stun, $0.settings.relays, $0.settings.tunnels) = (stun, relays, tunnels) }
    }

    /// Uses the peer's parameters for the path of the same number.
    func set(_ parameters: IceParameters) {
        paths.first { $0.restart == parameters.restart }?.set(parameters)
    }

    /// Whether there has been another path than the first one, so that candidates belong to a path by their fragment.
    var hasRestarted: Bool { state.withLock { $0.path.restart > 0 || $0.next != nil } }

    /// How many paths that another one has replaced have not ended.
    var formerPaths: Int { former.count }

    /// Adds a candidate of the peer that names its fragment, a line `a=candidate:…`; one of a former path has no effect.
    func add(remoteCandidate line: String, ofPeer fragment: String) {
        paths.first { $0.belongs(toPeer: fragment) }?.nice.add(remoteCandidate: line)
    }

    /// Sends through the next path from now on.
    ///
    /// - Returns: False if it has no pair yet, or is not the next one any more.
    private func move(to path: IcePath) -> Bool {
        guard let after = path.selectedPair else { return false }
        let replaced = state.withLock { state -> IcePath? in
            // Another restart may have replaced it.
            guard state.next === path, !state.isClosed, !state.isMuted else { return nil }
            defer { (state.path, state.next) = (path, nil) }
            former.add(state.path)
            return state.path
        }
        guard let replaced else { return false }
        let before = hasConnected ? replaced.selectedPair : nil
        webrtc.send(through: path.nice)
        let milliseconds = (ContinuousClock.now - path.start) / .milliseconds(1)
        report(
            .pathChanged(
                IcePathChange(restart: path.restart, milliseconds: milliseconds, before: before, after: after)))
        noteSelectedPair()
        return true
    }

    // MARK: The end

    /// Reports nothing more, before the pipeline stops: a `webrtcbin` that gets a state while it stops is never freed.
    func mute() async {
        state.withLock { $0.isMuted = true }
        for path in paths { path.closeStunServers() }
        // What the thread does at this moment may be such a report.
        await IceThread.shared.finish {}
    }

    /// Signs off from the TURN servers, which takes some 10 s if one does not answer; call it when the pipeline has stopped.
    func close() async {
        guard let paths = end() else { return }
        await IceThread.shared.finish { [webrtc] in webrtc.stopSending() }
        await withTaskGroup(of: Void.self) { [webrtc] group in
            for path in paths { group.addTask { await path.close(webrtc) } }
            await former.close()
        }
    }

    /// Ends an agent that nobody has closed; `webrtcbin`, which it may be reporting to at this moment, lives until that is over.
    func silence(keeping webrtcbin: Element) {
        guard let paths = end().map({ $0 + former.end() }) else { return }
        let kept = Mutex<Element?>(webrtcbin)
        let release: @Sendable () -> Void = {
            let element = kept.withLock { $0.take() }
            // Its end may block.
            DispatchQueue.global().async { withExtendedLifetime(element) {} }
        }
        IceThread.shared.run { [webrtc] in
            for path in paths { webrtc.stopReceiving(from: path.nice) }
            webrtc.stopSending()
            release()
        }
    }

    deinit {
        guard let paths = end().map({ $0 + former.end() }) else { return }
        IceThread.shared.run { [webrtc] in
            for path in paths { webrtc.stopReceiving(from: path.nice) }
            webrtc.stopSending()
        }
    }

    /// The present path and the next one; nil when it has ended before.
    private func end() -> [IcePath]? {
        handshake.end()
        return state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed ? nil : [state.path] + (state.next.map { [$0] } ?? [])
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
        guard !path.nice.gather() else { return }
        IceThread.shared.run { [weak self] in
            self?.report(.failed(text: "ICE has no local address, or no free port in the allowed range"))
            self?.reportGathered(.gathered)
        }
    }

    var isControlling: Bool { path.nice.isControlling }

    func setControlling(_ isControlling: Bool) { path.nice.setControlling(isControlling) }

    /// Only the first ones count.
    func setLocalCredentials(_ fragment: String, _ password: String) {
        guard !state.withLock({ $0.hasBegun }) else { return }
        path.nice.setLocalCredentials(fragment, password)
    }

    /// They are those of the descriptions, and so of the first path.
    func setRemoteCredentials(_ fragment: String, _ password: String) {
        first?.set(IceParameters(restart: 0, fragment: fragment, password: password))
    }

    func add(remoteCandidate line: String) { first?.nice.add(remoteCandidate: line) }

    func endRemoteCandidates() { first?.nice.endRemoteCandidates() }

    /// The path of the descriptions, unless another one has replaced it.
    private var first: IcePath? { paths.first { $0.restart == 0 } }

    func noteSent(handshake packet: [UInt8]) {
        handshake.noteSent(packet) { [weak self] in self?.send($0) }
    }

    /// Sends a packet that `webrtcbin` does not know of.
    private func send(_ packet: [UInt8]) {
        guard let network else { return path.nice.send(packet) }
        network.pass(packet.count) { [weak self] isLost in if !isLost { self?.path.nice.send(packet) } }
    }

    func noteReceived(handshake packet: [UInt8]) { handshake.noteReceived(packet) }

    /// The round trip that the DTLS handshake showed; nil before, and if all of it had to be repeated.
    var handshakeRoundTrip: Duration? { handshake.roundTrip }

    func noteReceivedMedia() { handshake.noteReceivedMedia() }
}
