internal import CallAgent
internal import CallProtocol
internal import FoundationEssentials
internal import Logging
internal import MediaEngine

/// The signaling between an agent and the room that it is in: each connection that carries media is a call.
actor RoomTransport: SignalingTransport {
    nonisolated let events: AsyncStream<SignalingTransportEvent>
    /// True: this end learns of each request whether it succeeded.
    nonisolated let guaranteesDelivery = true

    private let user: String
    private let logger: Logger
    private let sink: AsyncStream<SignalingTransportEvent>.Continuation
    private var membership: (any RoomMembership)?
    private var legs: [String: RoomLeg] = [:]
    /// The number of ``membership``.
    private var visit = 0

    /// The most events that wait for the agent; further ones are dropped.
    private static let maximumWaiting = 16_384
    /// How long a subscription waits for its answer, in ms.
    private static let ringMs = 30_000

    init(user: String, logger: Logger) {
        (self.user, self.logger) = (user, logger)
        (events, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
    }

    /// Uses this membership from now on; the calls of the former one end.
    func use(_ membership: (any RoomMembership)?, text: String = "") async {
        let former = legs.values
        (self.membership, legs) = (membership, [:])
        visit += 1
        for leg in former { await leg.end(text) }
    }

    /// Calls the agent with what a participant publishes; `name` is the caller.
    ///
    /// A former call of the participant ends.
    ///
    /// - Throws: Why the room offers nothing.
    func ring(_ participant: RoomParticipant, _ layer: SimulcastLayer, as name: String) async throws(RoomError) {
        guard let membership else { throw .notJoined }
        let visit = visit
        await end(participant.id, "replaced by another subscription")
        guard visit == self.visit else { throw .notJoined }
        let callId = "room-" + UUID().uuidString.lowercased()
        let leg = await leg(of: participant.id, in: membership, callId: callId, peer: name)
        do throws(RoomError) {
            try await leg.ring(participant, layer, for: Self.ringMs)
        } catch {
            legs[callId] = nil
            throw error
        }
    }

    /// Asks for another layer of what is received of a participant.
    func setLayer(_ layer: SimulcastLayer, of participant: String) async throws(RoomError) {
        for leg in legs.values where leg.participant == participant { try await leg.setLayer(layer) }
    }

    /// There is nothing to receive of a participant any more.
    func end(_ participant: String, _ text: String) async {
        for (callId, leg) in legs where leg.participant == participant {
            legs[callId] = nil
            await leg.end(text)
        }
    }

    /// The room has ended a connection.
    func end(_ media: RoomMedia, _ text: String) async {
        for (callId, leg) in legs {
            switch media {
            case .publication: guard leg.participant == nil else { continue }
            case .subscription(let id): guard await leg.has(id) else { continue }
            }
            legs[callId] = nil
            await leg.end(text)
        }
    }

    /// Whether a stream that this end publishes is audio or video; nil for an unknown one.
    func publishedKind(mid: String) async -> MediaKind? {
        for leg in legs.values where leg.participant == nil {
            if let kind = await leg.kind(ofMid: mid) { return kind }
        }
        return nil
    }

    private func leg(
        of participant: String?, in membership: any RoomMembership, callId: String, peer: String
    ) async -> RoomLeg {
        let leg = RoomLeg(
            of: participant, in: membership, callId: callId, user: user, peer: peer, logger: logger,
            report: { [sink] in sink.yield($0) })
        legs[callId] = leg
        // Those that the room has refused.
        for (former, leg) in legs where await leg.isOver { legs[former] = nil }
        return leg
    }

    // MARK: SignalingTransport

    @discardableResult
    func connect(as user: String) async throws(SignalingError) -> [IceServer] { [] }

    func send(_ text: String, to user: String) async throws(SignalingError) {
        guard let membership else { throw .notConnected }
        let message: SignalingMessage
        do { message = try SignalingMessage(decoding: text) } catch { throw .malformed(error) }
        if case .invite = message.body, legs[message.callId] == nil {
            await leg(of: nil, in: membership, callId: message.callId, peer: message.to).take(message)
        } else {
            await legs[message.callId]?.take(message)
        }
        if message.body.isFarewell { legs[message.callId] = nil }
    }

    func checkConnection() async { await membership?.check() }

    func close() async {
        membership = nil
        legs = [:]
        sink.finish()
    }
}
