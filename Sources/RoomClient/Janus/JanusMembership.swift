internal import Logging
internal import MediaEngine

/// A participant's place in a VideoRoom: one handle for itself and what it publishes, another one for each subscription.
actor JanusMembership: RoomMembership {
    nonisolated let id: String
    nonisolated let participants: [RoomParticipant]
    nonisolated let events: AsyncStream<RoomMembershipEvent>

    private let session: JanusSession
    private let entry: RoomEntry
    private let room: JanusID
    private let handle: UInt64
    private let privateId: UInt64?
    private let hasTextIds: Bool
    private let logger: Logger
    private let sink: AsyncStream<RoomMembershipEvent>.Continuation
    private var isPublishing = false
    private var subscriptions: [String: UInt64] = [:]
    private var reading: Task<Void, Never>?

    /// The most events that wait for the reader; a room of that many participants at once is none.
    private static let maximumWaiting = 4_096

    /// Joins as a publisher that publishes nothing yet.
    static func join(
        _ entry: RoomEntry, on session: JanusSession, logger: Logger
    ) async throws(RoomError) -> JanusMembership {
        let handle = try await session.attach()
        var join = VideoRoomRequest("join", room: JanusID(entry.room))
        (join.role, join.display, join.pin) = ("publisher", entry.displayName, entry.pin)
        let joined: VideoRoomEvent
        do throws(RoomError) {
            joined = try await session.ask(join, handle).event
        } catch .refused(JanusSession.wrongType, _) where join.room != .text(entry.room) {
            // A server whose rooms have texts, also those of digits.
            join.room = .text(entry.room)
            joined = try await session.ask(join, handle).event
        }
        guard let id = joined.id else { throw .refused(code: 400, text: "the server did not say who this end is") }
        let membership = JanusMembership(
            id: id.description, joined: joined, entry: entry, handle: handle, session: session, logger: logger)
        await membership.read()
        return membership
    }

    private init(
        id: String, joined: VideoRoomEvent, entry: RoomEntry, handle: UInt64, session: JanusSession, logger: Logger
    ) {
        (self.id, self.entry, self.handle, self.session, self.logger) = (id, entry, handle, session, logger)
        if case .text = joined.id { hasTextIds = true } else { hasTextIds = false }
        (room, privateId) = (hasTextIds ? .text(entry.room) : JanusID(entry.room), joined.privateId)
        participants = ((joined.publishers ?? []) + (joined.attendees ?? [])).map { RoomParticipant($0) }
        (events, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
    }

    /// Of a text, as the server has ids: numbers, or all as texts.
    private func janusID(_ id: String) -> JanusID { hasTextIds ? .text(id) : JanusID(id) }

    private func read() {
        reading = Task { [weak self, events = session.events] in
            for await message in events { await self?.receive(message) }
            await self?.finish()
        }
    }

    // MARK: Publishing

    func publish(_ offer: String) async throws(RoomError) -> String {
        // The server takes "publish" only once.
        let request = VideoRoomRequest(isPublishing ? "configure" : "publish")
        let answer = try await session.ask(request, handle, .offer(offer)).description
        guard let answer else { throw .refused(code: 400, text: "the server did not answer the offer") }
        isPublishing = true
        return answer
    }

    func unpublish() async {
        guard isPublishing else { return }
        isPublishing = false
        await attempt("unpublish") { session throws(RoomError) in
            _ = try await session.ask(VideoRoomRequest("unpublish"), handle)
        }
    }

    // MARK: Subscribing

    private static let endedSubscription = RoomError.refused(code: 404, text: "the subscription has ended")

    func subscribe(
        to participant: RoomParticipant, layer: SimulcastLayer
    ) async throws(RoomError) -> RoomSubscription {
        let handle = try await session.attach()
        let id = "\(handle)"
        subscriptions[id] = handle
        var join = VideoRoomRequest("join", room: room)
        (join.role, join.privateId, join.autoupdate) = ("subscriber", privateId, false)
        join.streams = participant.receivedStreams.map {
            .init(
                feed: janusID(participant.id), mid: $0.mid, substream: $0.kind == .video ? layer.substream : nil)
        }
        do throws(RoomError) {
            return RoomSubscription(id: id, offer: try await offer(join, to: id))
        } catch {
            await unsubscribe(id)
            throw error
        }
    }

    func setLayer(_ layer: SimulcastLayer, of subscription: String) async throws(RoomError) {
        guard let handle = subscriptions[subscription] else { throw Self.endedSubscription }
        var configure = VideoRoomRequest("configure")
        configure.substream = layer.substream
        _ = try await session.ask(configure, handle)
    }

    func restart(_ subscription: String) async throws(RoomError) -> String {
        var configure = VideoRoomRequest("configure")
        configure.restart = true
        return try await offer(configure, to: subscription)
    }

    private func offer(_ request: VideoRoomRequest, to id: String) async throws(RoomError) -> String {
        guard let handle = subscriptions[id] else { throw Self.endedSubscription }
        guard let offer = try await session.ask(request, handle).description else {
            throw .refused(code: 400, text: "the server offered nothing")
        }
        return offer
    }

    func answer(_ description: String, to subscription: String) async throws(RoomError) {
        guard let handle = subscriptions[subscription] else { throw Self.endedSubscription }
        _ = try await session.ask(VideoRoomRequest("start"), handle, .answer(JanusAnswer.text(description)))
    }

    func unsubscribe(_ subscription: String) async {
        guard let handle = subscriptions.removeValue(forKey: subscription) else { return }
        var detach = JanusRequest("detach")
        detach.handle = handle
        await session.tell(detach)
    }

    func add(_ candidate: String, mLine: Int, to media: RoomMedia) async {
        let handle: UInt64? =
            switch media {
            case .publication: self.handle
            case .subscription(let id): subscriptions[id]
            }
        guard let handle else { return }
        var trickle = JanusRequest("trickle")
        trickle.handle = handle
        trickle.candidate =
            candidate.isEmpty ? .init(completed: true) : .init(candidate: candidate, sdpMLineIndex: mLine)
        await session.tell(trickle)
    }

    // MARK: Moderating

    func setMuted(_ isMuted: Bool, mid: String, of id: String) async throws(RoomError) {
        var moderate = VideoRoomRequest("moderate", room: room)
        (moderate.secret, moderate.id, moderate.mid, moderate.mute) = (
            entry.moderatorSecret, janusID(id), mid, isMuted
        )
        _ = try await session.ask(moderate, handle)
    }

    func kick(_ id: String) async throws(RoomError) {
        var kick = VideoRoomRequest("kick", room: room)
        (kick.secret, kick.id) = (entry.moderatorSecret, janusID(id))
        _ = try await session.ask(kick, handle)
    }

    // MARK: The connection

    func check() async { await session.check() }

    func leave() async {
        await session.leave(handle)
        reading?.cancel()
        sink.finish()
        await session.close()
    }

    /// Does what this end can do without: the server ends everything with the session.
    private func attempt(_ name: String, _ body: (JanusSession) async throws(RoomError) -> Void) async {
        do {
            try await body(session)
        } catch {
            logger.info("\(name): \(error)")
        }
    }

    private func finish() async {
        sink.yield(.lost(text: await session.end ?? "closed"))
        sink.finish()
    }

    // MARK: Events

    private func receive(_ message: JanusMessage) {
        guard let sender = message.sender else { return }
        let media = media(of: sender)
        switch message.janus {
        case "event":
            // What a subscription reports, the room reports as well.
            guard media == .publication, let event = message.plugindata?.data else { return }
            for event in Self.events(event, own: id) { report(event) }
        case "hangup", "detached":
            guard let media else { return }
            if media == .publication { isPublishing = false }
            report(.mediaEnded(media, text: message.reason ?? "the server ended it"))
        default: break
        }
    }

    private func report(_ event: RoomMembershipEvent) {
        // Nothing may be missing between two events.
        if case .dropped = sink.yield(event) { sink.finish() }
    }

    private func media(of handle: UInt64) -> RoomMedia? {
        guard handle != self.handle else { return .publication }
        return subscriptions.first { $0.value == handle }.map { .subscription($0.key) }
    }

    /// What an event of the plugin means.
    static func events(_ event: VideoRoomEvent, own id: String) -> [RoomMembershipEvent] {
        let speaker = event.id?.description
        switch event.videoroom {
        case "talking": return speaker.map { [.speaking(id: $0, true)] } ?? []
        case "stopped-talking": return speaker.map { [.speaking(id: $0, false)] } ?? []
        case "destroyed": return [.removed(text: "the room exists no more")]
        default: break
        }
        if event.reason == "kicked" { return [.removed(text: "a moderator removed this participant")] }
        if let moderation = event.moderation, let speaker, let mid = event.mid {
            return [.muted(id: speaker, mid: mid, moderation == "muted")]
        }
        var events = ((event.publishers ?? []) + [event.joining].compactMap(\.self))
            .map { RoomMembershipEvent.present(RoomParticipant($0)) }
        if let gone = event.unpublished, gone != .text("ok") { events.append(.unpublished(id: gone.description)) }
        if let gone = event.leaving, gone != .text("ok") {
            events.append(.left(id: gone.description, wasKicked: false))
        }
        if let gone = event.kicked { events.append(.left(id: gone.description, wasKicked: true)) }
        return events
    }
}
