internal import CallAgent
internal import CallProtocol
internal import Logging
internal import MediaEngine
internal import RoomClient

/// The transfers of a command's calls into rooms, and the stays there, which end when nobody else is there.
///
/// All calls that go on in one room share a stay.
actor CallTransfers {
    private let options: TransferOptions
    private let trustRootsFile: String?
    private let output: OutputOptions
    private let source: SourceOptions
    private let sink: SinkOptions
    private let logger: Logger
    /// The agent and the media of the command; nil until there are calls.
    private var session: AgentSession?
    /// Those under way and those that succeeded.
    private var transfers: [CallKey: Transfer] = [:]
    /// By the names of the rooms.
    private var stays: [String: Stay] = [:]
    private var lastStay = 0

    private struct Transfer {
        let room: String
        /// Ends when the call goes on in the room, or does not.
        let task: Task<RoomError?, Never>
        var isDone = false
    }

    private struct Stay {
        /// A later stay in the same room has another one.
        let number: Int
        let sending: Sending
        let joining: Task<Result<Room, RoomError>, Never>
        /// Nil until this end is in the room.
        var following: Task<RoomVisit.Result, Never>?
        /// The calls whose transfers need it.
        var calls: Set<CallKey> = []
        /// The first call that went on there; nil: none did.
        var owner: CallKey?
    }

    /// What a call sends, which is what goes on.
    private struct Sending: Equatable {
        let media: CallMedia
        let state: MediaState
        let playsAudio: Bool

        /// - Throws: ``RoomError/notTransferred(text:)`` while nothing is sent.
        init(of call: Call) async throws(RoomError) {
            let (media, sends) = await (call.media, call.sends)
            guard await call.holdState == .none else { throw .notTransferred(text: "the call is on hold") }
            self.media = CallMedia(audio: media.audio && sends.audio != .off, video: media.video && sends.video != .off)
            guard self.media.audio || self.media.video else { throw .notTransferred(text: "this end sends nothing") }
            (state, playsAudio) = (MediaState(audio: sends.audio, video: sends.video), await call.hasOutput)
        }
    }

    init(
        _ options: TransferOptions, trustRootsFile: String?, source: SourceOptions, sink: SinkOptions,
        output: OutputOptions, logger: Logger
    ) {
        (self.options, self.trustRootsFile) = (options, trustRootsFile)
        (self.source, self.sink, self.output, self.logger) = (source, sink, output, logger)
    }

    func use(_ session: AgentSession) { self.session = session }

    /// Whether the stays fill all places but those of the agent's own calls.
    func areFull(beyond maximum: Int) -> Bool {
        let occupied = stays.values.count { $0.owner != nil }
        return occupied > 0 && occupied + (session?.agent.activeCalls.count ?? 0) >= maximum
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
            case .extensionData(let data):
                // Both users called each other: what the peer's invite would have said comes with its accept.
                guard let named = RoomInvitation(extensionData: data) else { continue }
                let state = await call.state
                if state == .calling || state == .ringing { invitation = named } else { await accept(named, in: call) }
            case .notice(.info(let content)):
                if let named = RoomInvitation(info: content) { await accept(named, in: call) }
            default: break
            }
        }
    }

    /// A refusal says no more than the peer needs: it may be anybody.
    private func accept(_ invitation: RoomInvitation, in call: Call) async {
        let present = transfers[call.key]
        // Both ends invited each other.
        guard present?.room != invitation.room else { return }
        guard present == nil else {
            return await invitation.refuse(on: call, text: "this end goes on in another room")
        }
        guard options.roomServer == invitation.server else {
            let server =
                options.roomServer.map { "only in rooms at \($0)" } ?? "in no room; it runs without --room-server"
            report(.notTransferred(text: "this end goes on \(server)"), invitation, call)
            return await invitation.refuse(on: call, text: "this end does not go on in rooms of that server")
        }
        begin(invitation, call, isInviting: false)
    }

    /// Goes on with the peer in a room of the server, which the peer learns by this.
    func enter(_ room: String, with call: Call) async throws(RoomError) {
        guard let server = options.roomServer else { throw .notTransferred(text: "--room-server is missing") }
        guard transfers[call.key] == nil else { throw .notTransferred(text: "it goes on in a room already") }
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
        let (key, name) = (call.key, invitation.room)
        let task = Task { () -> RoomError? in
            do throws(RoomError) {
                let room = try await join(invitation, for: call)
                try await room.transfer(call, inviting: isInviting ? invitation : nil)
                transfers[key]?.isDone = true
                if stays[name]?.owner == nil { stays[name]?.owner = key }
                report(nil, invitation, call)
                return nil
            } catch {
                transfers[key] = nil
                await release(name, by: key)
                if !isInviting {
                    report(error, invitation, call)
                    await invitation.refuse(on: call, text: "this end does not go on in the room")
                }
                return error
            }
        }
        transfers[key] = Transfer(room: name, task: task)
        return task
    }

    /// The room, as soon as this end is there; a call that ends meanwhile does not wait for it.
    private func join(_ invitation: RoomInvitation, for call: Call) async throws(RoomError) -> Room {
        let sending = try await Sending(of: call)
        let stay = stays[invitation.room] ?? makeStay(invitation, sending)
        guard stay.sending == sending else { throw .notTransferred(text: "this end sends other media there") }
        stays[invitation.room] = stay
        stays[invitation.room]?.calls.insert(call.key)
        let (results, sink) = AsyncStream.makeStream(of: Result<Room, RoomError>.self)
        let waiting = Task { sink.yield(await stay.joining.value) }
        let watching = Task {
            for await _ in call.events {}
            sink.yield(.failure(.notTransferred(text: "the call ended before")))
        }
        defer {
            waiting.cancel()
            watching.cancel()
        }
        for await result in results { return try result.get() }
        throw .notTransferred(text: "it was cancelled")
    }

    private func makeStay(_ invitation: RoomInvitation, _ sending: Sending) -> Stay {
        lastStay += 1
        let number = lastStay
        return Stay(
            number: number, sending: sending, joining: Task { await self.enter(invitation, sending, number) })
    }

    private func enter(
        _ invitation: RoomInvitation, _ sending: Sending, _ number: Int
    ) async -> Result<Room, RoomError> {
        let name = invitation.room
        do throws(RoomError) {
            guard let session, let server = try options.engine(trustRootsFile: trustRootsFile, logger: logger) else {
                throw .notTransferred(text: "--room-server is missing")
            }
            var configuration = RoomConfiguration(connecting: session.configuration, publishing: sending.media)
            (configuration.sends, configuration.playsAudio) = (sending.state, sending.playsAudio)
            let room = try Room(
                name, as: session.agent.user, on: server, pin: invitation.pin, media: session.engine,
                configuration: configuration, logger: logger)
            let visit = RoomVisit(room: room, output: output, source: source, sink: sink) {
                await self.isOccupied(name)
            }
            let events = room.events
            try await room.join()
            // Nobody may need it any more.
            guard stays[name]?.number == number else {
                await room.leave()
                throw .notJoined
            }
            stays[name]?.following = Task { await visit.follow(events) }
            return .success(room)
        } catch {
            return .failure(error)
        }
    }

    private func isOccupied(_ name: String) -> Bool { stays[name]?.owner != nil }

    /// Leaves the room if no other call needs it.
    private func release(_ name: String, by call: CallKey) async {
        stays[name]?.calls.remove(call)
        guard let stay = stays[name], stay.calls.isEmpty, stay.owner == nil else { return }
        stays[name] = nil
        // Joining may still be under way; it leaves by itself then.
        if stay.following != nil, case .success(let room) = await stay.joining.value { await room.leave() }
    }

    // MARK: Staying

    /// Waits until the stay that followed a call is over, and returns what came of it.
    ///
    /// Leaves when `limit` has passed since the call was connected, and when the task is cancelled. Nil: the call went on in no room, or in one where another
    /// call did before.
    func conclude(after outcome: CallOutcome, within limit: Duration?) async -> RoomVisit.Result? {
        let key = CallKey(peer: outcome.report.peer, callId: outcome.report.callId)
        let deadline = limit.flatMap { outcome.report.timeline.instant(of: .connected)?.advanced(by: $0) }
        _ = await transfers[key]?.task.value
        guard let name = transfers.removeValue(forKey: key)?.room, let stay = stays[name], stay.owner == key,
            let following = stay.following, case .success(let room) = await stay.joining.value
        else { return nil }
        let timer = Task {
            guard let deadline, (try? await Task.sleep(until: deadline)) != nil else { return }
            await room.leave()
        }
        let result = await withTaskCancellationHandler {
            await following.value
        } onCancel: {
            Task { await room.leave() }
        }
        timer.cancel()
        stays[name] = nil
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
        settings.media.keepOneVideo()
        self.init(settings, publishes: media)
    }
}
