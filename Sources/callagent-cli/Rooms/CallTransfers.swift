internal import CallAgent
internal import Logging
internal import MediaEngine
internal import RoomClient

/// The transfers of a command's calls into rooms, and the stays there, which end when nobody else is there.
actor CallTransfers {
    private let options: TransferOptions
    private let trustRootsFile: String?
    private let output: OutputOptions
    private let source: SourceOptions
    private let sink: SinkOptions
    private let logger: Logger
    /// The agent and the media of the command; nil until there are calls.
    private var session: AgentSession?
    /// By the ids of the calls.
    private var stays: [String: Stay] = [:]

    private struct Stay {
        /// Nil until this end is in the room.
        var visit: (room: Room, following: Task<RoomVisit.Result, Never>)?
        /// Ends when the call goes on in the room, or does not.
        var entering: Task<RoomError?, Never>
        var isTransferred = false
    }

    init(
        _ options: TransferOptions, trustRootsFile: String?, source: SourceOptions, sink: SinkOptions,
        output: OutputOptions, logger: Logger
    ) {
        (self.options, self.trustRootsFile) = (options, trustRootsFile)
        (self.source, self.sink, self.output, self.logger) = (source, sink, output, logger)
    }

    func use(_ session: AgentSession) { self.session = session }

    /// Whether the calls that went on in rooms fill all places but those of the agent's own calls.
    func areFull(beyond maximum: Int) -> Bool {
        let stays = stays.values.count { $0.isTransferred }
        return stays > 0 && stays + (session?.agent.activeCalls.count ?? 0) >= maximum
    }

    // MARK: Transferring

    /// Follows the peer's invitations to rooms, until the call ends.
    func follow(_ call: Call) async {
        let events = call.events
        var invitation = call.role == .callee ? RoomInvitation(extensionData: call.inviteExtension) : nil
        for await event in events {
            switch event {
            case .stateChanged(let change) where change.state == .connecting || change.state == .connected:
                if let named = invitation.take() { await accept(named, in: call) }
            case .notice(.info(let content)):
                if let named = RoomInvitation(info: content) { await accept(named, in: call) }
            default: break
            }
        }
    }

    private func accept(_ invitation: RoomInvitation, in call: Call) async {
        guard stays[call.id] == nil else { return }
        guard options.roomServer == invitation.server else {
            let text =
                options.roomServer.map { "this end goes on only in rooms at \($0)" }
                ?? "this end goes on in no room; it runs without --room-server"
            report(.notTransferred(text: text), invitation, call)
            return await invitation.refuse(on: call, text: text)
        }
        begin(invitation, call, isInviting: false)
    }

    /// Goes on with the peer in a room of the server, which the peer learns by this.
    func enter(_ room: String, with call: Call) async throws(RoomError) {
        guard let server = options.roomServer else { throw .notTransferred(text: "--room-server is missing") }
        guard stays[call.id] == nil else { throw .notTransferred(text: "it goes on in a room already") }
        var invitation = RoomInvitation(server: server, room: room)
        do {
            invitation.pin = try options.roomPinFile.map { try TokenFile.read($0) }
        } catch {
            throw .notTransferred(text: "\(error)")
        }
        if let error = await begin(invitation, call, isInviting: true).value { throw error }
    }

    @discardableResult
    private func begin(_ invitation: RoomInvitation, _ call: Call, isInviting: Bool) -> Task<RoomError?, Never> {
        let id = call.id
        let entering = Task { () -> RoomError? in
            do throws(RoomError) {
                let room = try await join(invitation, for: id)
                try await room.transfer(call, inviting: isInviting ? invitation : nil)
                stays[id]?.isTransferred = true
                report(nil, invitation, call)
                return nil
            } catch {
                if !isInviting {
                    report(error, invitation, call)
                    await invitation.refuse(on: call, text: error.description)
                }
                await stays[id]?.visit?.room.leave()
                return error
            }
        }
        stays[id] = Stay(entering: entering)
        return entering
    }

    private func join(_ invitation: RoomInvitation, for id: String) async throws(RoomError) -> Room {
        guard let session, let server = try options.engine(trustRootsFile: trustRootsFile, logger: logger) else {
            throw .notTransferred(text: "--room-server is missing")
        }
        let media = session.configuration.media
        let configuration = RoomConfiguration(
            connecting: session.configuration,
            publishing: CallMedia(audio: media.audio != nil, video: media.video != nil))
        let room = try Room(
            invitation.room, as: session.agent.user, on: server, pin: invitation.pin, media: session.engine,
            configuration: configuration, logger: logger)
        let visit = RoomVisit(room: room, output: output, source: source, sink: sink, leavesWhenAlone: true)
        let events = room.events
        try await room.join()
        stays[id]?.visit = (room, Task { await visit.follow(events) })
        return room
    }

    // MARK: Staying

    /// Waits until the stay that followed the call with this id is over, and returns what came of it.
    ///
    /// Leaves at `deadline`, and when the task is cancelled. Nil: the call went on in no room.
    func conclude(_ id: String, until deadline: ContinuousClock.Instant?) async -> RoomVisit.Result? {
        _ = await stays[id]?.entering.value
        guard let visit = stays[id]?.visit else {
            stays[id] = nil
            return nil
        }
        let timer = Task {
            guard let deadline, (try? await Task.sleep(until: deadline)) != nil else { return }
            await visit.room.leave()
        }
        let result = await withTaskCancellationHandler {
            await visit.following.value
        } onCancel: {
            Task { await visit.room.leave() }
        }
        timer.cancel()
        stays[id] = nil
        return result
    }

    /// Nil: the call goes on in the room.
    private nonisolated func report(_ error: RoomError?, _ invitation: RoomInvitation, _ call: Call) {
        if output.events {
            var event = EventDocument(
                error == nil ? "transferred" : "notTransferred", of: call.user, text: error?.description)
            (event.callId, event.peer, event.room) = (call.id, call.peer, invitation.room)
            Output.event(event)
        } else if !output.json {
            let text = error?.description ?? "the call goes on in room \(invitation.room)"
            Output.line("\(call.peer): \(text.printable)")
        }
    }
}

extension RoomConfiguration {
    /// The settings of a room's connections, from those of calls.
    init(
        connecting settings: AgentConfiguration, publishing media: CallMedia?,
        requestLimit: Duration = .seconds(10)
    ) {
        var settings = settings
        // The server's own answer says more than the end of this time.
        settings.timeouts.ringMs = min(
            Int(requestLimit / .milliseconds(1)) + 5_000, SignalingLimits.ringTimeoutMs)
        settings.keptReports = 0
        self.init(settings, publishes: media)
    }
}
