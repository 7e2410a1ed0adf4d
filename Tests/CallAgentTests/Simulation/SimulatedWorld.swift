import Foundation

@testable import CallAgent

/// A simulation in virtual time: devices, a network that drops, delays, repeats and reorders messages, media, and users who act at random.
final class SimulatedWorld {
    enum Event {
        case act(agent: Int, Action)
        case arrive(SignalingMessage, agent: Int)
        case wake(Int)
        case audit
        case timer(CallTimer, SimulatedCall, agent: Int)
        case media(MediaFact, SimulatedMedia)
        case connection(agent: Int, isUp: Bool)
        case crash(agent: Int)
        case interrupt(agent: Int, isOver: Bool)
        case fail(agent: Int, MediaFact)
        /// All media of an agent fails, and only other connections help.
        case breakMedia(agent: Int)
        /// The network of an agent changes: its paths are broken.
        case network(agent: Int, isNoticed: Bool)
        /// Nothing has arrived for 1 s, if the path is still broken.
        case silent(SimulatedMedia)
        /// Both ends have found another path.
        case path(SimulatedMedia, restart: Int)
    }

    enum Action {
        case call(String)
        case operate(CallMachine.Event)
    }

    let seed: UInt64
    let plan: Scenario
    var random: SeededGenerator
    private(set) var agents: [SimulatedAgent] = []
    private(set) var now = 0
    private(set) var complaints: [String] = []
    /// A process, a connection or all media was lost, a user hung up, rejected or called twice, or a user has several devices.
    ///
    /// A call may then be over before its peer gets a message about it.
    var isDisturbed = false
    private(set) var wasConnected = 0
    private var queue = EventQueue<Event>()
    private var medias: [Int: SimulatedMedia] = [:]
    private var callCount = 0
    /// How often the network of each agent has changed.
    private var networks: [Int] = []

    /// An arbitrary wall-clock time.
    var unixMs: Double { 1_790_000_000_000 + Double(now) }

    init(seed: UInt64, scenario: Scenario? = nil) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        plan = scenario ?? Scenario(random: &random)
        for (index, member) in plan.members.enumerated() {
            agents.append(
                SimulatedAgent(
                    index, user: member.user, device: member.device, policy: member.policy, media: member.media,
                    limit: plan.limit, world: self))
        }
        networks = plan.members.map { _ in 0 }
        isDisturbed = Set(plan.members.map(\.user)).count < plan.members.count
        for (time, agent, action) in plan.actions { queue.plan(.act(agent: agent, action), at: time) }
        for (time, event) in plan.faults { queue.plan(event, at: time) }
        for time in stride(from: 5_000, to: plan.endMs, by: 5_000) { queue.plan(.audit, at: time) }
    }

    /// Runs all events until the end of the scenario.
    func run() {
        while let (time, event) = queue.next(), time <= plan.endMs {
            now = time
            if Self.isVerbose { print(now, "\(event)".prefix(700)) }
            happen(event)
            check()
        }
    }

    func plan(_ event: Event, at time: Int) { queue.plan(event, at: time) }

    /// Prints each event; used to replay one seed.
    static let isVerbose = ProcessInfo.processInfo.environment["CALLAGENT_SIMULATION_VERBOSE"] != nil

    func complain(_ text: String) { if complaints.count < 5 { complaints.append("\(now) ms: \(text)") } }

    func newCallId() -> String {
        callCount += 1
        return "call-\(random.below(1_000_000))-\(callCount)"
    }

    private func happen(_ event: Event) {
        switch event {
        case .act(let agent, .call(let peer)): agents[agent].placeCall(to: peer)
        case .act(let agent, .operate(let operation)): agents[agent].operate(operation)
        case .arrive(let message, let agent): if agents[agent].isConnected { agents[agent].receive(message) }
        case .wake(let agent): agents[agent].wake()
        case .audit: for agent in agents { agent.operate(.audit) }
        case .timer(let timer, let call, let agent):
            guard call.timers[timer] == now, agents[agent].calls[call.id] === call else { return }
            call.timers[timer] = nil
            agents[agent].give(.timerFired(timer), to: call)
        case .media(let fact, let media): report(fact, media)
        case .connection(let agent, let isUp): setConnection(agent, isUp)
        case .crash(let agent):
            tellGone(agent)
            isDisturbed = true
            agents[agent].crash()
        case .interrupt(let agent, let isOver):
            for media in medias.values.sorted(by: { $0.number < $1.number })
            where media.agent == agent && !media.isClosed && media.isVerified && media.isInterrupted == isOver {
                setInterrupted(media, !isOver)
            }
        case .network(let agent, let isNoticed): changeNetwork(of: agent, isNoticed: isNoticed)
        case .silent(let media): noteSilence(media)
        case .path(let media, let restart): takePath(restart, media)
        case .breakMedia(let agent): breakMedia(of: agent)
        case .fail(let agent, let fact):
            for media in medias.values.sorted(by: { $0.number < $1.number }) where media.agent == agent {
                report(fact, media)
            }
        }
    }

    // MARK: The network

    func transmit(_ message: SignalingMessage, from sender: SimulatedAgent) {
        guard sender.isConnected else { return }
        for agent in agents where agent.user == message.to && message.toDevice ?? agent.device == agent.device {
            let isFaulty = now < plan.faultsUntilMs
            let copies = isFaulty && random.below(100) < plan.duplicatePercent ? 2 : 1
            for _ in 0..<copies where !isFaulty || random.below(100) >= plan.lossPercent {
                let delay = 1 + random.below(isFaulty ? plan.delayMs : 40)
                queue.plan(.arrive(message, agent: agent.index), at: now + delay)
            }
        }
    }

    private func setConnection(_ agent: Int, _ isUp: Bool) {
        if !isUp, random.once(in: 2) { tellGone(agent) }
        isDisturbed = true
        agents[agent].setConnected(isUp)
    }

    /// The server notifies the other ends of an agent's calls that the agent's connection closed.
    private func tellGone(_ index: Int) {
        let gone = agents[index]
        for other in agents where other.index != index && other.isConnected {
            for call in other.calls.values.sorted(by: { $0.id < $1.id }) where gone.calls[call.id] != nil {
                var message = SignalingMessage(
                    id: "server", callId: call.id, from: gone.user, to: other.user, sentUnixMs: unixMs, body: .gone)
                message.device = gone.device
                queue.plan(.arrive(message, agent: other.index), at: now + 1 + random.below(20))
            }
        }
    }

    // MARK: Media

    func createOffer(_ generation: Int, _ call: SimulatedCall, _ agent: SimulatedAgent) {
        let media = open(generation, call, agent)
        queue.plan(.media(.offerCreated(sdp: media.sdp), media), at: now + 5 + random.below(20))
    }

    func createAnswer(_ offer: String, _ generation: Int, _ call: SimulatedCall, _ agent: SimulatedAgent) {
        let media = open(generation, call, agent)
        media.peer = SimulatedMedia.number(in: offer).flatMap { medias[$0] }
        queue.plan(.media(.answerCreated(sdp: media.sdp), media), at: now + 5 + random.below(20))
    }

    func setAnswer(_ sdp: String, _ generation: Int, _ call: SimulatedCall) {
        guard let media = call.media[generation], let peer = SimulatedMedia.number(in: sdp).flatMap({ medias[$0] })
        else { return complain("an answer that nobody made") }
        guard peer.peer === media else { return complain("an answer to another offer was taken") }
        media.peer = peer
        guard !plan.isMediaBroken else { return }
        for end in [media, peer] { queue.plan(.media(.verified, end), at: now + 20 + random.below(100)) }
    }

    func setGates(_ gates: MediaGates, _ generation: Int, _ call: SimulatedCall, _ agent: SimulatedAgent) {
        guard let media = call.media[generation] else { return complain("gates of media that is not there") }
        media.gates = gates
        if let peer = media.peer { flow(media, peer) }
    }

    func close(_ media: SimulatedMedia) {
        media.isClosed = true
        leaveSilent(media)
    }

    private func breakMedia(of agent: Int) {
        for media in medias.values.sorted(by: { $0.number < $1.number }) where media.agent == agent && media.isUsable {
            // It ends a call that is not connected yet.
            isDisturbed = true
            media.hasFailed = true
            leaveSilent(media)
            report(.failed(.other(text: "broken")), media)
        }
    }

    /// The other end receives nothing any more and notices that after a while.
    private func leaveSilent(_ media: SimulatedMedia) {
        if let peer = media.peer, !peer.isClosed { queue.plan(.media(.interrupted, peer), at: now + 2_000) }
    }

    private func open(_ generation: Int, _ call: SimulatedCall, _ agent: SimulatedAgent) -> SimulatedMedia {
        if call.media[generation] != nil { complain("generation \(generation) was opened twice") }
        let media = SimulatedMedia(
            number: medias.count, agent: agent.index, network: networks[agent.index], call: call, generation: generation
        )
        medias[media.number] = media
        call.media[generation] = media
        return media
    }

    private func report(_ fact: MediaFact, _ media: SimulatedMedia) {
        guard !media.isClosed, media.call.media[media.generation] === media,
            agents[media.agent].calls[media.call.id] === media.call
        else { return }
        switch fact {
        case .verified:
            media.isVerified = true
            if isBroken(media) { breakPath(of: media) }
            if let peer = media.peer {
                flow(media, peer)
                flow(peer, media)
                if !peer.isUsable { queue.plan(.media(.interrupted, media), at: now + 2_000) }
            }
        case .interrupted: media.isInterrupted = true
        case .resumed: media.isInterrupted = false
        case .firstVideoFrame: media.hasVideoFrame = true
        case .firstAudioSample: media.hasAudioSample = true
        default: break
        }
        agents[media.agent].give(.media(fact, generation: media.generation), to: media.call)
    }

    private func setInterrupted(_ media: SimulatedMedia, _ isInterrupted: Bool) {
        if !isInterrupted, media.peer?.isUsable != true { return }
        report(isInterrupted ? .interrupted : .resumed, media)
    }

    /// The media of `sender` arrives at `receiver` for the first time.
    private func flow(_ sender: SimulatedMedia, _ receiver: SimulatedMedia) {
        guard sender.isVerified, receiver.isVerified, sender.peer === receiver, receiver.peer === sender,
            sender.isUsable, !receiver.hasFailed, !isBroken(sender)
        else { return }
        let delay = now + 30 + random.below(1_000)
        if sender.gates.video == .live || sender.gates.video == .blank, !receiver.hasVideoFrame {
            queue.plan(.media(.firstVideoFrame, receiver), at: delay)
        }
        if sender.gates.audio == .live || sender.gates.audio == .blank, !receiver.hasAudioSample {
            queue.plan(.media(.firstAudioSample, receiver), at: delay)
        }
    }

    // MARK: Paths

    /// Whether packets of neither end arrive, since the network of one has changed.
    func isBroken(_ media: SimulatedMedia) -> Bool {
        [media, media.peer].contains { end in end.map { $0.network != networks[$0.agent] } ?? false }
    }

    private func changeNetwork(of agent: Int, isNoticed: Bool) {
        networks[agent] += 1
        for media in medias.values.sorted(by: { $0.number < $1.number }) where media.agent == agent && !media.isClosed {
            if isNoticed { report(.networkChanged, media) }
            for end in [media, media.peer] { if let end { breakPath(of: end) } }
        }
    }

    private func breakPath(of media: SimulatedMedia) {
        guard media.isVerified, media.brokenSince == nil else { return }
        media.brokenSince = now
        queue.plan(.silent(media), at: now + 1_000)
    }

    private func noteSilence(_ media: SimulatedMedia) {
        guard !media.isClosed, isBroken(media), let since = media.brokenSince else {
            media.brokenSince = nil
            return
        }
        report(.pathSilent, media)
        if now - since >= 2_000, !media.isInterrupted { report(.interrupted, media) }
        queue.plan(.silent(media), at: now + 1_000)
    }

    func restartIce(_ number: Int, _ generation: Int, _ call: SimulatedCall) {
        guard let media = call.media[generation] else { return complain("an ICE restart of media that is not there") }
        if let former = media.nextPath, former.restart >= number { complain("the ICE restart \(number) again") }
        media.nextPath = .init(restart: number, network: networks[media.agent])
        let parameters = SignalingMessage.IceParameters(
            restart: number, fragment: "frag", password: String(repeating: "p", count: 22))
        queue.plan(.media(.iceParameters(parameters), media), at: now + 1)
    }

    func setIceParameters(
        _ parameters: SignalingMessage.IceParameters, _ generation: Int, _ call: SimulatedCall
    ) {
        guard let media = call.media[generation], media.nextPath?.restart == parameters.restart else {
            return complain("ICE parameters of a restart that did not begin")
        }
        media.nextPath?.hasPeerParameters = true
        guard let peer = media.peer, peer.nextPath?.restart == parameters.restart,
            peer.nextPath?.hasPeerParameters == true
        else { return }
        for end in [media, peer] {
            queue.plan(.path(end, restart: parameters.restart), at: now + 30 + random.below(100))
        }
    }

    private func takePath(_ restart: Int, _ media: SimulatedMedia) {
        guard let path = media.nextPath, path.restart == restart, path.network == networks[media.agent],
            let peer = media.peer, peer.isUsable, media.isUsable,
            peer.nextPath.map({ $0.network == networks[peer.agent] }) ?? false
        else { return }
        media.network = path.network
        let candidate = NetworkPath.Candidate(type: "host", address: "192.0.2.1", port: 9)
        report(
            .pathChanged(
                .init(
                    restart: restart, durationMs: 50, before: nil,
                    after: NetworkPath(local: candidate, remote: candidate))), media)
        guard !isBroken(media) else { return }
        for end in [media, peer] {
            end.brokenSince = nil
            if end.isInterrupted { setInterrupted(end, false) }
        }
        flow(media, peer)
        flow(peer, media)
    }

    // MARK: Invariants

    func noteRinging(_ call: SimulatedCall, at agent: SimulatedAgent) {
        if agent.heardEnds.contains(call.id) || agent.ended.contains(where: { $0.id == call.id }) {
            complain("\(agent.user)/\(agent.device): \(call.id) rings after it ended")
        }
    }

    private func check() {
        for media in medias.values where !media.isClosed {
            guard let peer = media.peer else { continue }
            let isSent = { (gates: MediaGates) in gates.video == .live || gates.audio == .live }
            let policy = agents[media.agent].policy
            if isSent(media.gates), !media.call.isWanted, policy != .full, media.call.machine.role == .callee {
                complain("media of a callee leaves before it accepts")
            }
            // A process accepted, was lost, and rings again after its restart. For the other end it has accepted.
            let hasAccepted = peer.call.isWanted || agents[peer.agent].lost.contains(peer.call.id)
            if media.gates.isReceiving, !peer.isClosed, !hasAccepted, isSent(peer.gates) {
                complain("somebody is seen before it accepted")
            }
            if media.gates.isReceiving, media.call.machine.state != .connected,
                media.call.machine.state != .reconnecting
            {
                complain("somebody is seen in \(media.call.machine.state)")
            }
        }
    }
}
