public import CallAgent
public import Logging
public import MediaEngine

/// A participant of a room on a media server.
///
/// Each connection that carries media is a call: what this end publishes, and what it receives of each other participant. So all that calls have is there
/// for each participant: first frame then connected, statistics, frames, sinks, recordings, another network path.
///
///     let room = try Room("lab", as: "alice", on: JanusEngine(url: "ws://127.0.0.1:8188/"), media: engine)
///     let events = room.events
///     try await room.join()
///     for await event in events { if case .receiving(let participant, let call) = event { … } }
public actor Room {
    /// The name or number of the room.
    public nonisolated let name: String
    /// The name that the other participants see.
    public nonisolated let displayName: String
    /// The agent whose calls are the connections; its user is ``displayName``.
    public nonisolated let agent: Agent
    /// What happens in the room, for one consumer; ends with ``RoomEvent/ended(_:)`` or ``leave()``.
    ///
    /// Of more than 4,096 events that nobody reads, the oldest are dropped.
    public nonisolated let events: AsyncStream<RoomEvent>

    nonisolated let configuration: RoomConfiguration
    let transport: RoomTransport
    let logger: Logger
    private let engine: any RoomEngine
    private let entry: RoomEntry
    private let sink: AsyncStream<RoomEvent>.Continuation
    /// This end's place in the room; nil while it has none.
    private(set) var membership: (any RoomMembership)?
    var present: [String: RoomParticipant] = [:]
    /// What is received of participants in place of the configuration's layer.
    var layers: [String: SimulcastLayer] = [:]
    /// What is received of all others.
    var layer: SimulcastLayer
    /// The names that participants have as peers of calls.
    var names: RoomNames
    /// The connections that carry media, or are tried.
    var connections: [RoomConnection.Purpose: RoomConnection] = [:]
    private var tasks: [Task<Void, Never>] = []
    /// The number of attempts to have a connection.
    var attempts = 0
    private var lastTransfer = 0
    /// The transfers of calls that are under way.
    private var transfers: [Int: AsyncStream<RoomTransferInput>.Continuation] = [:]
    private var isJoining = false
    private var leaving: Task<Void, Never>?
    private var hasLeft = false
    /// Whether this end is in no room any more, for good.
    private(set) var isOver = false

    private static let maximumWaiting = 4_096
    /// The most participants that are known; further ones are passed over.
    private static let maximumPresent = 10_000

    /// Makes a participant that is in no room yet.
    ///
    /// - Parameters:
    ///   - name: The room. The server decides whether it is a number or a text.
    ///   - displayName: A name as calls have it (`SignalingLimits.isName`).
    ///   - engine: The server.
    ///   - pin: The PIN of the room, if it has one.
    ///   - moderatorSecret: The secret that lets this end mute and kick others.
    ///   - media: Runs the media.
    /// - Throws: ``RoomError/invalidName(_:text:)``.
    public init(
        _ name: String, as displayName: String, on engine: any RoomEngine, pin: String? = nil,
        moderatorSecret: String? = nil, media: Engine, configuration: RoomConfiguration = RoomConfiguration(),
        logger: Logger = Logger(label: "room")
    ) throws(RoomError) {
        let rule = "use 1 to 64 ASCII letters, digits and . _ - @ + :"
        guard SignalingLimits.isName(displayName) else { throw .invalidName(displayName, text: rule) }
        guard SignalingLimits.isName(name) else { throw .invalidName(name, text: rule) }
        (self.name, self.displayName, self.engine) = (name, displayName, engine)
        (self.configuration, self.logger, layer) = (configuration, logger, configuration.layer)
        entry = RoomEntry(room: name, displayName: displayName, pin: pin, moderatorSecret: moderatorSecret)
        names = RoomNames(room: name, own: displayName)
        let transport = RoomTransport(user: displayName, logger: logger)
        self.transport = transport
        var settings = configuration.agent
        // The room counts; a call that ends still counts for the agent.
        settings.maximumCalls = AgentConfiguration.largestMaximumCalls
        settings.media.sendsAudioLevel = true
        settings.media.sendsSimulcast = configuration.publishesLayers
        (settings.screenInvite, settings.joinsAhead) = (nil, nil)
        agent = Agent(
            user: displayName, media: media, signaling: transport, configuration: settings, logger: logger)
        (events, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.maximumWaiting))
    }

    /// Whether lost connections are made again.
    public nonisolated var reconnects: Bool { configuration.reconnects }

    /// Who else is in the room, as far as the server says; in no order.
    public var participants: [RoomParticipant] { Array(present.values) }

    /// The call that carries what this end publishes; nil while there is none.
    public var publication: Call? { connections[.publication]?.call }

    /// The call that carries what this end receives of a participant; nil while there is none.
    public func call(of id: String) -> Call? { connections[.participant(id)]?.call }

    /// Joins the room, and begins to publish and to receive.
    ///
    /// For one time. Returns when this end is in the room; what it publishes and receives begins in the background.
    ///
    /// - Throws: ``RoomError``; nothing is left of a failed attempt.
    public func join() async throws(RoomError) {
        guard membership == nil, !isJoining, !hasLeft else { throw .notJoined }
        isJoining = true
        do throws(RoomError) {
            do throws(CallError) { try await agent.prepare() } catch { throw .call(error) }
            let membership = try await engine.join(entry)
            guard !hasLeft else {
                await membership.leave()
                throw .notJoined
            }
            let accepting = Task { [incoming = agent.incomingCalls] in
                for await call in incoming { await self.accept(call) }
            }
            await begin(membership)
            tasks += [accepting, Task { await self.follow(membership) }]
        } catch {
            await leave()
            throw error
        }
    }

    /// Ends all connections, leaves the room and ends ``events``.
    ///
    /// Idempotent; returns within a bounded time.
    public func leave() async {
        hasLeft = true
        let leaving = leaving ?? Task { await self.end() }
        self.leaving = leaving
        await leaving.value
    }

    private func end() async {
        await agent.close()
        await membership?.leave()
        membership = nil
        for task in tasks { task.cancel() }
        tasks = []
        sink.finish()
    }

    // MARK: Moderating

    /// Mutes or unmutes a participant for everybody; needs the moderator's secret.
    ///
    /// - Throws: ``RoomError/noSuchParticipant(_:)``, ``RoomError/unauthorized(text:)``, ``RoomError/notJoined`` and those of the connection.
    public func setMuted(_ isMuted: Bool, _ kind: MediaKind, of id: String) async throws(RoomError) {
        guard let membership else { throw .notJoined }
        guard let stream = present[id]?.streams.first(where: { $0.kind == kind }) else { throw .noSuchParticipant(id) }
        try await membership.setMuted(isMuted, mid: stream.mid, of: id)
    }

    /// Removes a participant from the room; needs the moderator's secret.
    ///
    /// It may join again.
    ///
    /// - Throws: as ``setMuted(_:_:of:)`` does.
    public func kick(_ id: String) async throws(RoomError) {
        guard let membership else { throw .notJoined }
        try await membership.kick(id)
    }

    // MARK: The membership

    private func begin(_ membership: any RoomMembership) async {
        self.membership = membership
        await transport.use(membership)
        report(.joined(id: membership.id, participants: membership.participants))
        let ids = Set(membership.participants.map(\.id))
        layers = layers.filter { ids.contains($0.key) }
        for participant in membership.participants { await update(participant, isNew: false) }
        publish()
    }

    private func follow(_ first: any RoomMembership) async {
        var current = first
        while true {
            for await event in current.events { await handle(event) }
            // Too many events waited.
            if membership != nil { await end(.lost(text: "the server sends faster than this end reads")) }
            guard !isOver, !hasLeft, let next = await joinAgain() else { return }
            current = next
            await begin(current)
        }
    }

    /// Tries until it succeeds or makes no sense any more.
    private func joinAgain() async -> (any RoomMembership)? {
        var pause = Duration.seconds(1)
        while (try? await Task.sleep(for: pause)) != nil, !hasLeft {
            do throws(RoomError) {
                let next = try await engine.join(entry)
                guard !hasLeft else {
                    await next.leave()
                    return nil
                }
                return next
            } catch  where error.isTransient {
                logger.info("cannot join the room again: \(error)")
            } catch {
                conclude(error)
                return nil
            }
            pause = min(pause * 2, .seconds(30))
        }
        return nil
    }

    private func handle(_ event: RoomMembershipEvent) async {
        switch event {
        case .present(let participant): await update(participant)
        case .unpublished(let id):
            if var participant = present[id] {
                (participant.streams, participant.isSpeaking) = ([], false)
                await update(participant)
            }
        case .left(let id, let wasKicked):
            guard let participant = present.removeValue(forKey: id) else { return }
            await stopReceiving(id, "the participant left the room")
            names.remove(id)
            layers[id] = nil
            report(.left(participant, wasKicked: wasKicked))
        case .speaking(let id, let isSpeaking):
            guard var participant = present[id] else { return }
            participant.isSpeaking = isSpeaking
            await update(participant)
        case .muted(let id, let mid, let isMuted): await note(id, mid, isMuted)
        case .mediaEnded(let media, let text): await transport.end(media, text)
        case .removed(let text): await end(.removed(text: text))
        case .lost(let text): await end(.lost(text: text))
        }
    }

    private func update(_ participant: RoomParticipant, isNew: Bool = true) async {
        let id = participant.id
        guard id != membership?.id, present[id] != nil || present.count < Self.maximumPresent else { return }
        let former = present[id]
        let participant = participant.completed(by: former)
        present[id] = participant
        guard former != participant else { return }
        var heard = former
        heard?.isSpeaking = participant.isSpeaking
        if isNew, heard != participant { report(.present(participant)) }
        let isSpeaking = participant.isSpeaking == true
        if isSpeaking != (former?.isSpeaking == true) { report(.speaking(participant, isSpeaking)) }
        // A moderator's mute changes nothing of what is received.
        guard former?.streams.map(\.mid) != participant.streams.map(\.mid) else { return }
        if participant.streams.isEmpty {
            await stopReceiving(id, "the participant publishes nothing any more")
        } else {
            receive(id)
        }
    }

    private func note(_ id: String, _ mid: String, _ isMuted: Bool) async {
        guard id != membership?.id else {
            return report(.muted(nil, await transport.publishedKind(mid: mid), isMuted))
        }
        guard var participant = present[id] else { return }
        let kind = participant.streams.first { $0.mid == mid }?.kind
        for index in participant.streams.indices where participant.streams[index].mid == mid {
            participant.streams[index].isMuted = isMuted
        }
        present[id] = participant
        report(.muted(participant, kind, isMuted))
    }

    /// This end is in the room no more.
    private func end(_ error: RoomError) async {
        guard let former = membership else { return }
        membership = nil
        present = [:]
        names.removeAll()
        await transport.use(nil, text: error.description)
        for connection in connections.values { connection.waiting?.cancel() }
        connections = [:]
        // What is left of it: the server may not know that it is over.
        await former.leave()
        guard !hasLeft else { return }
        guard case .lost(let text) = error, configuration.reconnects else { return conclude(error) }
        report(.lost(text: text))
    }

    private func conclude(_ error: RoomError) {
        isOver = true
        report(.ended(error))
        sink.finish()
    }

    func report(_ event: RoomEvent) {
        sink.yield(event)
        guard case .receiving(let participant, _) = event else { return }
        for transfer in transfers.values { transfer.yield(.receives(participant: participant.id)) }
    }

    // MARK: Transfers

    /// Lets a transfer of a call know whom this end begins to receive, until ``ignore(_:)`` with the returned number.
    func observe(_ transfer: AsyncStream<RoomTransferInput>.Continuation) -> Int {
        lastTransfer += 1
        transfers[lastTransfer] = transfer
        return lastTransfer
    }

    func ignore(_ transfer: Int) { transfers[transfer] = nil }
}
