import CallAgent
import CallProtocol
import Logging
import MediaEngine
import Testing

@testable import RoomClient

/// The connections of a room as calls.
struct RoomTransportTests {
    private let room = FakeMembership()
    private let transport = RoomTransport(user: "alice", logger: Logger(label: "test"))

    private static let own = FakeMembership.description(77).replacing("jan77", with: "mine")
    private static let bob = RoomParticipant(
        id: "5", displayName: "Bob B.",
        streams: [.init(mid: "0", kind: .audio), .init(mid: "1", kind: .video), .init(mid: "2", kind: .video)])

    private func send(_ body: SignalingMessage.Body, _ callId: String = "c", generation: Int = 0) async throws {
        let message = SignalingMessage(
            id: "m", callId: callId, from: "alice", to: "lab", generation: generation, sentUnixMs: 1, body: body)
        try await transport.send(try message.encoded(), to: "lab")
    }

    private func next(_ events: inout AsyncStream<SignalingTransportEvent>.Iterator) async throws -> SignalingMessage {
        guard case .received(let text)? = await events.next() else { throw CallError.notPrepared }
        return try SignalingMessage(decoding: text)
    }

    private var invite: SignalingMessage.Body {
        .invite(.init(media: .audioVideo, ringTimeoutMs: 10_000, sdp: Self.own))
    }

    /// Waits until the room was asked this.
    private func asked(_ request: String) async throws {
        try await eventually { room.requests.contains(request) }
    }

    @Test("An invite publishes; another path is published with the new credentials; a hang-up ends it")
    func publication() async throws {
        await transport.use(room)
        var events = transport.events.makeAsyncIterator()
        try await send(invite)
        guard case .accept(let sdp?, .some(.nothing)) = try await next(&events).body else {
            return #expect(Bool(false), "no accept")
        }
        #expect(sdp.contains("a=ice-ufrag:jan1"))
        #expect(await transport.publishedKind(mid: "1") == .video)
        #expect(await transport.publishedKind(mid: "9") == nil)
        try await send(.candidate(.init(candidate: "", mLine: 0)))
        try await asked("candidate end")
        let restart = SignalingMessage.IceParameters(
            restart: 3, fragment: "other", password: "passwordOfTwentyTwoBytes")
        try await send(.iceRestart(restart))
        guard case .iceRestart(let theirs) = try await next(&events).body else {
            return #expect(Bool(false), "no restart")
        }
        #expect(theirs.restart == 3 && theirs.fragment == "jan3")
        // Both m-lines have the candidate of the shared transport.
        guard case .candidate(let candidate) = try await next(&events).body else {
            return #expect(Bool(false), "no candidate")
        }
        #expect(candidate.candidate.contains("10.0.0.3 5000") && candidate.candidate.hasSuffix(" ufrag jan3"))
        try await send(.query)
        #expect(try await next(&events).body == .status(.connected))
        try await send(.offer(.init(media: .audioVideo, sdp: Self.own)), generation: 1)
        let rollback = try await next(&events)
        #expect(rollback.body == .rollback && rollback.generation == 1)
        try await send(.renegotiate(.audioVideo))
        let refusal = try await next(&events)
        #expect(refusal.body == .rollback && refusal.generation == 0)
        try await send(.hangup(.init(code: 9900, text: "")))
        try await asked("unpublish")
        #expect(room.requests == ["publish mine", "candidate end", "publish other", "unpublish"])
    }

    @Test("A room that refuses an offer ends the call with its reason")
    func refusal() async throws {
        await transport.use(room)
        var events = transport.events.makeAsyncIterator()
        for (failure, code) in [
            (RoomError.full(text: "4"), 486), (.unauthorized(text: "x"), 403), (.noAnswer(request: "publish"), 503),
            (.refused(code: 437, text: "x"), 437),
        ] {
            room.fail(failure)
            try await send(invite, "call-\(code)")
            switch try await next(&events).body {
            case .reject(let farewell): #expect(farewell.code == code && code == 486)
            case .error(let fault): #expect(fault.code == code && fault.ref == "m")
            case let body: #expect(Bool(false), "\(body)")
            }
        }
    }

    @Test("A participant's offer rings; the first answer counts; a restart asks for another offer")
    func subscription() async throws {
        await transport.use(room)
        var events = transport.events.makeAsyncIterator()
        try await transport.ring(Self.bob, .high, as: "bob")
        let message = try await next(&events)
        let callId = message.callId
        #expect(message.from == "bob" && message.to == "alice")
        guard case .invite(let invite) = message.body else { return #expect(Bool(false), "no invite") }
        #expect(invite.media == .audioVideo && invite.displayName == "Bob B." && invite.state == MediaState())
        try await send(.ringing, callId)
        try await send(.progress(sdp: Self.own), callId)
        try await send(.accept(sdp: Self.own), callId)
        let restart = SignalingMessage.IceParameters(
            restart: 1, fragment: "other", password: "passwordOfTwentyTwoBytes")
        try await send(.iceRestart(restart), callId)
        guard case .iceRestart(let theirs) = try await next(&events).body else {
            return #expect(Bool(false), "no restart")
        }
        #expect(theirs.fragment == "jan3")
        #expect(room.requests == ["subscribe 5", "answer s1 mine", "restart s1", "answer s1 other"])
        // Another subscription replaces it, and each ends its own one only.
        _ = try await next(&events)
        try await transport.ring(Self.bob, .high, as: "bob")
        guard case .hangup = try await next(&events).body else { return #expect(Bool(false), "no end") }
        #expect(room.requests.suffix(2) == ["unsubscribe s1", "subscribe 5"])
        let second = try await next(&events).callId
        try await send(.hangup(.init(code: 9900, text: "")), callId)
        try await send(.hangup(.init(code: 9900, text: "")), second)
        try await asked("unsubscribe s6")
        #expect(room.requests.count { $0 == "unsubscribe s1" } == 1)
    }

    @Test("A layer is asked for with the subscription, and changed on that one alone")
    func layer() async throws {
        await transport.use(room)
        var events = transport.events.makeAsyncIterator()
        try await transport.ring(Self.bob, .low, as: "bob")
        let callId = try await next(&events).callId
        try await transport.setLayer(.medium, of: "5")
        try await transport.setLayer(.medium, of: "6")
        #expect(room.requests == ["subscribe 5 low", "medium of s1"])
        room.fail(.lost(text: "gone"))
        await #expect(throws: RoomError.lost(text: "gone")) { try await transport.setLayer(.low, of: "5") }
        room.fail(nil)
        try await send(.hangup(.init(code: 9900, text: "")), callId)
        try await asked("unsubscribe s1")
        try await transport.setLayer(.low, of: "5")
        #expect(room.requests.last == "unsubscribe s1")
    }

    @Test("A room that offers nothing rings not; one that fails later ends the call and the subscription")
    func failures() async throws {
        await transport.use(room)
        var events = transport.events.makeAsyncIterator()
        room.fail(.noSuchParticipant("5"))
        await #expect(throws: RoomError.noSuchParticipant("5")) { try await transport.ring(Self.bob, .high, as: "bob") }
        room.fail(nil)
        try await transport.ring(Self.bob, .high, as: "bob")
        let callId = try await next(&events).callId
        room.fail(.lost(text: "gone"))
        try await send(.accept(sdp: Self.own), callId)
        guard case .hangup(let farewell) = try await next(&events).body else { return #expect(Bool(false), "no end") }
        #expect(farewell.text.contains("gone"))
        try await asked("unsubscribe s2")
        // The room's own end of a subscription is that of its call.
        room.fail(nil)
        try await transport.ring(Self.bob, .high, as: "bob")
        _ = try await next(&events)
        await transport.end(.subscription("s2"), "an old one")
        await transport.end(.subscription("s5"), "ICE failed")
        guard case .hangup(let reason) = try await next(&events).body else { return #expect(Bool(false), "no end") }
        #expect(reason.text == "ICE failed")
    }

    @Test("Without a room messages are refused; a lost room ends all its calls")
    func lost() async throws {
        await #expect(throws: SignalingError.notConnected) { try await send(invite) }
        await transport.use(room)
        var events = transport.events.makeAsyncIterator()
        try await send(invite)
        _ = try await next(&events)
        await #expect(throws: SignalingError.self) { try await transport.send("{", to: "lab") }
        await transport.use(nil, text: "the server is gone")
        guard case .hangup(let farewell) = try await next(&events).body else { return #expect(Bool(false), "no end") }
        #expect(farewell.text == "the server is gone")
        await #expect(throws: SignalingError.notConnected) { try await send(.query) }
    }
}
