internal import CallAgent
internal import CallProtocol
internal import FoundationEssentials
internal import Logging
internal import MediaEngine

/// One connection of a participant as a call: its messages become requests to the room, the room's answers become messages.
///
/// The room is the peer. What is published is a call to it; a subscription is a call from it. Requests are sent one at a time, in the order of the
/// messages.
actor RoomLeg {
    /// The call of this connection.
    nonisolated let callId: String
    /// The participant that it receives; nil: it carries what this end publishes.
    nonisolated let participant: String?
    private let membership: any RoomMembership
    private let user: String
    private let peer: String
    private let logger: Logger
    private let report: @Sendable (SignalingTransportEvent) -> Void

    private let queue: AsyncStream<SignalingMessage>.Continuation
    private let messages: AsyncStream<SignalingMessage>
    private var work: Task<Void, Never>?
    private var replies = 0
    /// The description that this end sent last.
    private var own: RoomDescription?
    private var hasAnswered = false
    /// Of the participant.
    private var subscription: String?
    private var version = 1
    /// Whether nothing of it is left.
    private(set) var isOver = false

    /// The most messages of a call that wait for the server; a call has some ten.
    private static let maximumWaiting = 1_024
    /// The times between the attempts to have another network path.
    private static let restartPauses: ArraySlice<Duration> = [
        .milliseconds(200), .seconds(1), .seconds(2), .seconds(4),
    ]

    /// A connection whose call has the id `callId`, between `user` and the `peer` that stands for the room.
    init(
        of participant: String?, in membership: any RoomMembership, callId: String, user: String, peer: String,
        logger: Logger, report: @escaping @Sendable (SignalingTransportEvent) -> Void
    ) {
        (self.participant, self.membership, self.callId) = (participant, membership, callId)
        (self.user, self.peer, self.logger, self.report) = (user, peer, logger, report)
        (messages, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
    }

    /// Begins a subscription: the room calls, with what the participant publishes.
    ///
    /// - Throws: Why the room offers nothing that can be used.
    func ring(
        _ participant: RoomParticipant, _ layer: SimulcastLayer, for milliseconds: Int
    ) async throws(RoomError) {
        let subscription = try await membership.subscribe(to: participant, layer: layer)
        let kinds = Set(participant.receivedStreams.map(\.kind))
        var invite = SignalingMessage.Invite(
            media: CallMedia(audio: kinds.contains(.audio), video: kinds.contains(.video)),
            ringTimeoutMs: milliseconds, sdp: subscription.offer, state: MediaState(sentBy: subscription.offer))
        invite.displayName = SignalingLimits.bounded(participant.displayName)
        self.subscription = subscription.id
        // It may have ended meanwhile.
        guard !isOver, reply(.invite(invite)) else {
            isOver = true
            await membership.unsubscribe(subscription.id)
            throw .refused(code: 488, text: "the offer cannot be used, or came too late")
        }
    }

    /// Takes the next message of the call.
    func take(_ message: SignalingMessage) {
        guard !isOver else { return }
        switch message.body {
        case let body where body.isFarewell:
            isOver = true
            // After what is under way: only that says what there is to end.
            let former = work
            work = Task {
                await former?.value
                await self.release()
            }
            queue.finish()
        // These do not wait for a slow server.
        case .query: reply(.status(.connected))
        // A connection of a room does not become another one.
        case .offer, .renegotiate: reply(.rollback, message.generation)
        default:
            guard message.generation == 0 else { return }
            queue.yield(message)
            if work == nil { work = Task { await self.run() } }
        }
    }

    /// The room has ended the connection, or is gone: the call ends.
    func end(_ text: String) async {
        guard !isOver else { return }
        isOver = true
        queue.finish()
        reply(.hangup(.init(code: SignalingCode.ended, text: SignalingLimits.bounded(text))))
        if participant != nil { await release() }
    }

    /// Asks for another layer of the participant's video.
    func setLayer(_ layer: SimulcastLayer) async throws(RoomError) {
        guard let subscription, !isOver else { return }
        try await membership.setLayer(layer, of: subscription)
    }

    /// Whether it is the subscription with this id.
    func has(_ subscription: String) -> Bool { self.subscription == subscription }

    /// Whether a stream of this end's description is audio or video.
    func kind(ofMid mid: String) -> MediaKind? { own?.kind(ofMid: mid) }

    private func release() async {
        guard participant != nil else { return await membership.unpublish() }
        guard let subscription else { return }
        await membership.unsubscribe(subscription)
    }

    private func run() async {
        for await message in messages {
            guard !isOver else { return }
            do throws(RoomError) {
                try await carryOut(message)
            } catch {
                await refuse(error, message)
            }
        }
    }

    private func carryOut(_ message: SignalingMessage) async throws(RoomError) {
        switch message.body {
        case .invite(let invite):
            own = RoomDescription(invite.sdp)
            let answer = try await membership.publish(invite.sdp)
            guard !isOver else { return }
            guard reply(.accept(sdp: answer, state: .nothing)) else {
                await membership.unpublish()
                throw .refused(code: 488, text: "its answer is longer than \(SignalingLimits.sdpBytes) bytes")
            }
        case .progress(let sdp, _), .accept(.some(let sdp), _):
            guard let subscription, !hasAnswered else { return }
            hasAnswered = true
            own = RoomDescription(sdp)
            try await membership.answer(sdp, to: subscription)
        case .candidate(let candidate):
            let media = subscription.map { RoomMedia.subscription($0) } ?? .publication
            await membership.add(candidate.candidate, mLine: candidate.mLine, to: media)
        case .iceRestart(let parameters): try await restart(parameters, attempts: Self.restartPauses)
        // Nobody is there who could read messages, or learn what is muted.
        default: break
        }
    }

    /// Asks for another network path, some times if the connection to the server is lost meanwhile: the same change of the network may end both.
    private func restart(
        _ parameters: SignalingMessage.IceParameters, attempts: ArraySlice<Duration>
    ) async throws(RoomError) {
        do throws(RoomError) {
            try await restart(parameters)
        } catch {
            guard let pause = attempts.first, !isOver, error.isTransient else { throw error }
            try? await Task.sleep(for: pause)
            guard !isOver else { return }
            try await restart(parameters, attempts: attempts.dropFirst())
        }
    }

    /// Asks for another network path with the credentials of this end.
    private func restart(_ parameters: SignalingMessage.IceParameters) async throws(RoomError) {
        guard var own else { return }
        version += 1
        own.restart(parameters, version: version)
        self.own = own
        let theirs: RoomDescription
        if let subscription {
            theirs = RoomDescription(try await membership.restart(subscription))
            try await membership.answer(own.text, to: subscription)
        } else {
            theirs = RoomDescription(try await membership.publish(own.text))
        }
        guard !isOver else { return }
        guard let other = theirs.parameters(restart: parameters.restart) else {
            return logger.warning("the room's answer to an ICE restart has no credentials")
        }
        reply(.iceRestart(other))
        for candidate in theirs.candidates { reply(candidate) }
    }

    private func refuse(_ error: RoomError, _ message: SignalingMessage) async {
        guard !isOver else { return }
        let text = SignalingLimits.bounded(error.description)
        switch message.body {
        case .invite:
            isOver = true
            if case .full = error {
                reply(.reject(.init(code: error.code, text: text)))
            } else {
                reply(.error(.init(code: error.code, text: text, ref: message.id)))
            }
        case .progress, .accept: await end(text)
        default: logger.warning("\(peer): \(error)")
        }
    }

    /// Answers as the room; false when the message cannot be written within the protocol's limits.
    @discardableResult
    private func reply(_ body: SignalingMessage.Body, _ generation: Int = 0) -> Bool {
        replies += 1
        let message = SignalingMessage(
            id: "room\(replies)", callId: callId, from: peer, to: user, generation: generation,
            sentUnixMs: Date().timeIntervalSince1970 * 1_000, body: body)
        do {
            report(.received(try message.encoded()))
            return true
        } catch {
            logger.warning("what the room answered cannot be used: \(error)")
            return false
        }
    }
}

extension RoomError {
    /// The code of the message that refuses a call because of this error.
    fileprivate var code: Int {
        switch self {
        case .refused(let code, _): code
        case .unauthorized: SignalingCode.forbidden
        case .noSuchRoom, .noSuchParticipant: SignalingCode.unknownUser
        case .full: 486
        default: 503
        }
    }
}
