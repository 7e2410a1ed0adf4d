import CallProtocol
import Foundation
import Logging
import Synchronization
import Testing

@testable import CallAgent

/// All queues between the socket and the application are bounded.
@Suite(.timeLimit(.minutes(1)))
struct BoundTests {
    @Test("A slow observer gets all state changes, and the number of other events that it missed")
    func slowObserver() async {
        let hub = EventHub<CallEvent>()
        let stream = hub.subscribe()
        let change = CallStateChange(state: .ringing, reason: .ringing, by: .peer)
        hub.yield(.stateChanged(change))
        let count = 10_000
        for number in 0..<count { hub.yield(.notice(.info("\(number)"))) }
        let last = CallStateChange(state: .ended, reason: .ended(.localHangup), by: .local)
        hub.yield(.stateChanged(last))
        hub.finish()
        var (changes, dropped, infos) = ([CallStateChange](), 0, [String]())
        for await event in stream {
            switch event {
            case .stateChanged(let change): changes.append(change)
            case .eventsDropped(let count): dropped += count
            case .notice(.info(let text)): infos.append(text)
            default: break
            }
        }
        #expect(changes == [change, last])
        #expect(infos.count + dropped == count)
        #expect(infos.last == "9999" && infos.count < EventHub<CallEvent>.capacity)
    }

    @Test("In a flood of state changes the latest ones are kept")
    func stateFlood() async {
        let hub = EventHub<CallEvent>()
        let stream = hub.subscribe()
        for _ in 0..<3_000 {
            hub.yield(.stateChanged(.init(state: .reconnecting, reason: .interrupted, by: .peer)))
            hub.yield(.stateChanged(.init(state: .connected, reason: .resumed, by: .peer)))
        }
        hub.finish()
        let events = await stream.reduce(into: [CallEvent]()) { $0.append($1) }
        #expect(events.count <= EventHub<CallEvent>.capacity)
        #expect(events.last == .stateChanged(.init(state: .connected, reason: .resumed, by: .peer)))
    }

    @Test("A stream without a reference is removed")
    func forgotten() async {
        let hub = EventHub<CallEvent>()
        for _ in 0..<1_000 { _ = hub.subscribe() }
        let stream = hub.subscribe()
        hub.yield(.extensionData(["a": "b"]))
        hub.finish()
        #expect(await stream.reduce(into: [CallEvent]()) { $0.append($1) } == [.extensionData(["a": "b"])])
    }

    @Test(
        "While the transport takes nothing, a limited number of messages waits; the rest fail, and farewells are kept")
    func outgoingFlood() async throws {
        let (signaling, latch) = (FakeSignaling(), Latch())
        let line = SignalingLine(
            signaling, user: "alice", timing: DeliveryTiming(), sleep: { try await Task.sleep(for: $0) },
            logger: Logger(label: "test"))
        try await line.connect()
        let failed = Mutex<[String]>([])
        await line.begin { event in
            if case .failed(let message, nil, let text) = event {
                failed.withLock { $0.append("\(message.id) \(text)") }
            }
        }
        signaling.holdSending(latch)
        func send(_ body: SignalingMessage.Body, _ number: Int) {
            line.send(
                SignalingMessage(id: "a\(number)", callId: "c", from: "alice", to: "bob", sentUnixMs: 0, body: body))
        }
        let count = 5_000
        for number in 0..<count { send(.info("\(number)"), number) }
        send(.hangup(9900), count)
        let limit = SignalingLine.maximumWaiting
        // One is on its way.
        #expect(line.waitingMessages <= limit + 1)
        try await eventually("the failures") { failed.withLock(\.count) >= count - limit - 1 }
        #expect(failed.withLock { $0.allSatisfy { $0.hasSuffix("\(limit) messages wait for the transport already") } })
        latch.open()
        try await eventually("the farewell") { signaling.sent.last?.body == .hangup(9900) }
        let infos = signaling.sent.count { if case .info = $0.body { true } else { false } }
        #expect(infos + failed.withLock(\.count) == count, "none is lost without a word")
        await line.close()
    }

    @Test("A message that the transport calls malformed is given up at once")
    func malformed() async throws {
        let signaling = FakeSignaling(guaranteesDelivery: false)
        let line = SignalingLine(
            signaling, user: "alice", timing: DeliveryTiming(), sleep: { try await Task.sleep(for: $0) },
            logger: Logger(label: "test"))
        try await line.connect()
        let failed = Mutex<[Int?]>([])
        await line.begin { event in if case .failed(_, let code, _) = event { failed.withLock { $0.append(code) } } }
        signaling.failSending(.malformed(MalformedMessage(code: 400, text: "too odd", ref: nil)), once: true)
        line.send(SignalingMessage(id: "a1", callId: "c", from: "alice", to: "bob", sentUnixMs: 0, body: .info("x")))
        try await eventually("the failure") { failed.withLock(\.count) > 0 }
        line.send(SignalingMessage(id: "a2", callId: "c", from: "alice", to: "bob", sentUnixMs: 0, body: .info("y")))
        try await eventually("the next") { signaling.sent.contains { $0.body == .info("y") } }
        #expect(!signaling.sent.contains { $0.body == .info("x") })
        #expect(failed.withLock { $0 } == [400])
        await line.close()
    }

    @Test("An agent that starts again numbers its messages in a later epoch, which is a time")
    func epoch() async throws {
        var epochs: [Int] = []
        let unixMs = { Int(Date().timeIntervalSince1970 * 1_000) }
        for _ in 1...2 {
            let signaling = FakeSignaling(guaranteesDelivery: false)
            let line = SignalingLine(signaling, user: "alice", logger: Logger(label: "test"))
            try await line.connect()
            await line.begin { _ in }
            line.send(SignalingMessage(id: "a1", callId: "c", from: "alice", to: "bob", sentUnixMs: 0, body: .query))
            try await eventually("the message") { !signaling.sent.isEmpty }
            let epoch = try #require(signaling.sent.first).epoch
            epochs.append(epoch)
            await line.close()
            try await eventually("the next millisecond") { unixMs() > epoch }
        }
        #expect(epochs[0] < epochs[1])
        #expect(abs(epochs[1] - unixMs()) < 60_000)
    }

    @Test("While the media is busy, a limited number of candidates waits, and only the last gates")
    func mediaCommands() async {
        let never = Task { _ = try? await Task.sleep(for: .seconds(60)) }
        let media = GenerationMedia(after: never, logger: Logger(label: "test")) { throw CancellationError() }
        for _ in 0..<10_000 {
            media.perform(.addCandidate(.example))
            media.perform(.setGates(MediaGates()))
            media.perform(.setGates(MediaGates(isReceiving: true)))
        }
        #expect(media.waitingCommands <= 2 * GenerationMedia.maximumCandidates)
        never.cancel()
        await media.close()
    }
}
