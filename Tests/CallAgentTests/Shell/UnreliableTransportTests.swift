import Logging
import Testing

@testable import CallAgent

/// Agents on transports that lose messages or their connection.
@Suite(.timeLimit(.minutes(1)))
struct UnreliableTransportTests {
    @Test("U11: a whole call over a transport that loses each message once and then duplicates it")
    func wholeCall() async throws {
        var configuration = AgentConfiguration.standard
        configuration.delivery = .manual
        let board = InMemorySignaling()
        let alice = Party("alice", LossyTransport(board.transport()), configuration)
        let bob = Party("bob", LossyTransport(board.transport()), configuration)
        let parties = [alice, bob]
        for party in parties { try await party.agent.prepare() }
        let mine = try await alice.agent.call("bob")
        try await repeating(parties, "ringing") { await mine.state == .ringing }
        let theirs = try await bob.nextCall()
        try await theirs.accept()
        try await repeating(parties, "accepted") { await mine.state == .connecting }
        for party in parties { try await party.session().emit(.verified, .firstVideoFrame) }
        try await mine.reaches(.connected)
        try await theirs.reaches(.connected)
        try await theirs.send(info: "hello")
        try await repeating(parties, "the message") { await mine.report().records.contains { $0.action == "info" } }
        try await mine.hold()
        try await repeating(parties, "held") { await theirs.holdState == .remotelyHeld }
        await mine.hangUp(text: "bye")
        try await repeating(parties, "the hang-up") { await theirs.state == .ended }
        #expect(await theirs.end == CallEnd(reason: .remoteHangup, code: 9900, text: "bye", by: .peer))
        let info = await mine.report().records.count { $0.action == "info" }
        #expect(info == 1, "once, though it came twice")
        for party in parties { await party.agent.close() }
    }

    @Test(
        "A lost connection comes back: agent and call report both, waiting messages go out, the peer is queried"
    )
    func resume() async throws {
        try await withAlice(guaranteesDelivery: false) { alice, signaling in
            var events = alice.agent.events.makeAsyncIterator()
            let call = try await alice.agent.call("bob")
            try signaling.deliver(.accept(sdp: "answer"), call: call.id)
            try await call.reaches(.connecting)
            signaling.failSending(.notConnected)
            signaling.happen(.disconnected(text: "cable"))
            while let event = await events.next(), event != .signalingLost(text: "cable") {}
            try await call.send(info: "waits")
            try await eventually("it is known") {
                await call.report().records.contains { $0.action == "signalingLost" }
            }
            let before = signaling.sent.count
            signaling.failSending(nil)
            signaling.happen(.reconnected)
            while let event = await events.next(), event != .signalingRestored {}
            try await eventually("both") { signaling.sent.dropFirst(before).contains { $0.body == .query } }
            let bodies = signaling.sent.dropFirst(before).map(\.body)
            let waited = try #require(bodies.firstIndex(of: .info("waits")))
            #expect(waited < bodies.firstIndex(of: .query) ?? 0, "in order")
            #expect(await call.state == .connecting, "the call goes on")
        }
    }

    @Test("A transport that guarantees delivery and is down: the new call ends")
    func guaranteedButDown() async throws {
        try await withAlice { alice, signaling in
            signaling.failSending(.notConnected)
            signaling.happen(.disconnected(text: "cable"))
            let call = try await alice.agent.call("bob")
            #expect(await call.waitUntilEnded().reason == .signalingFailed)
        }
    }

    @Test("U11: after a restart this end does not know the call and sends an error, and the peer's call ends")
    func unknownCall() async throws {
        try await withAlice { alice, signaling in
            try signaling.deliver(.query, call: "from-before")
            try await eventually("the answer") { !signaling.sent.isEmpty }
            guard case .error(let fault) = signaling.sent.first?.body else {
                Issue.record("no error")
                return
            }
            #expect((fault.code, fault.ref) == (481, "m"))
            let call = try await alice.agent.call("bob")
            try signaling.deliver(.ringing, call: call.id)
            try await call.reaches(.ringing)
            try signaling.deliver(.error(481), call: call.id)
            #expect(await call.waitUntilEnded().reason == .unknownCall)
        }
    }

    @Test("close() waits for the farewell to be acknowledged")
    func closeWaits() async throws {
        let signaling = FakeSignaling(guaranteesDelivery: false)
        let alice = Party("alice", signaling)
        try await alice.agent.prepare()
        let call = try await alice.agent.call("bob")
        try await eventually("the invite") { !signaling.sent.isEmpty }
        let closing = Task { await alice.agent.close() }
        try await eventually("the farewell") { signaling.sent.contains { $0.body == .cancel(9900) } }
        let farewell = try #require(signaling.sent.first { $0.body == .cancel(9900) })
        try signaling.deliver(.ack(farewell.id), call: call.id)
        await closing.value
        #expect(signaling.steps.last == .closed)
    }

    @Test("A farewell goes out when the connection comes back while the line closes, which asks for that")
    func closeReconnects() async throws {
        let signaling = FakeSignaling(guaranteesDelivery: false)
        let line = SignalingLine(signaling, user: "alice", logger: Logger(label: "test"))
        try await line.connect()
        let (losses, sink) = AsyncStream<Void>.makeStream()
        await line.begin { if case .lost = $0 { sink.finish() } }
        signaling.failSending(.notConnected)
        signaling.happen(.disconnected(text: "cable"))
        for await _ in losses {}
        line.send(
            SignalingMessage(id: "a1", callId: "c", from: "alice", to: "bob", sentUnixMs: 0, body: .cancel(9900)))
        let closing = Task { await line.close(waiting: .seconds(20)) }
        try await eventually("it asks for a connection") { signaling.steps.contains(.checked) }
        #expect(signaling.sent.isEmpty)
        signaling.failSending(nil)
        signaling.happen(.reconnected)
        try await eventually("the farewell") { signaling.sent.contains { $0.body == .cancel(9900) } }
        let farewell = try #require(signaling.sent.first)
        try signaling.deliver(.ack(farewell.id), call: "c")
        await closing.value
        #expect(signaling.steps.last == .closed)
    }

    @Test("Whoever waits for the acknowledgements of a closed line waits for nothing")
    func closedLine() async throws {
        let line = SignalingLine(
            FakeSignaling(guaranteesDelivery: false), user: "alice", logger: Logger(label: "test"))
        try await line.connect()
        await line.close()
        await line.waitUntilAcknowledged(CallKey(peer: "bob", callId: "c"))
    }

    @Test("close() stops waiting after a time, also without a connection", arguments: [true, false])
    func closeEnds(isConnected: Bool) async throws {
        let signaling = FakeSignaling(guaranteesDelivery: false)
        let alice = Party("alice", signaling)
        try await alice.agent.prepare()
        _ = try await alice.agent.call("bob")
        if !isConnected {
            signaling.happen(.disconnected(text: "cable"))
            signaling.failSending(.notConnected)
        }
        await alice.agent.close()
        #expect(signaling.steps.last == .closed)
        #expect(!alice.media.isPrepared)
    }

    /// Lets both ends repeat their unacknowledged messages until `condition` holds.
    private func repeating(_ parties: [Party], _ what: String, _ condition: () async throws -> Bool) async throws {
        try await eventually(what) {
            for party in parties { party.clock.wake(.milliseconds(1)) }
            return try await condition()
        }
    }
}
