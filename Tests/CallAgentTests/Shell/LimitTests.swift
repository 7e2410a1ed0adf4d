import Logging
import Synchronization
import Testing

@testable import CallAgent

/// The limit of simultaneous calls of an agent.
@Suite(.timeLimit(.minutes(1)))
struct LimitTests {
    @Test("U15: a second call gets busy under its own id, and the first continues", arguments: [false, true])
    func busy(isConnected: Bool) async throws {
        try await withAlice { alice, signaling in
            let first = try await alice.agent.call("bob")
            if isConnected {
                try signaling.deliver(.accept(sdp: "answer"), call: first.id)
                try await alice.session().emit(.verified, .firstVideoFrame)
                try await first.reaches(.connected)
            }
            let before = await first.state
            try signaling.deliver(.anInvite, call: "c2", from: "carol")
            try await eventually("the reject") { signaling.sent.contains { $0.to == "carol" } }
            let answer = try #require(signaling.sent.last)
            #expect(answer.body == .reject(486, "alice is busy"))
            #expect((answer.callId, answer.from, answer.to) == ("c2", "alice", "carol"))
            #expect(await first.state == before)
            #expect(alice.media.sessions.count == 1, "no media is made for a call that is not taken")
            #expect(alice.agent.activeCalls.map(\.id) == [first.id])
        }
    }

    @Test("After the farewell of a call the next one can be placed at once")
    func nextCall() async throws {
        let registry = CallRegistry(limit: 1)
        let isFull = Mutex<Bool?>(nil)
        let surroundings = Call.Surroundings(
            outbox: { message in
                if case .reject = message.body { isFull.withLock { $0 = registry.isFull } }
            },
            forget: { _ in }, registry: registry,
            makeSession: { _, _, _, _ throws(MediaSessionError) in
                throw MediaSessionError(fault: .other(text: "none"), description: "none")
            },
            wallClock: { 0 }, sleep: { try await Task.sleep(for: $0) }, logger: Logger(label: "test"))
        let machine = CallMachine(role: .callee, media: .audioVideo)
        let session = try await FakeMediaProvider().makeSession(
            label: "c", peer: "bob", media: .audioVideo, role: .callee)
        let call = Call(
            id: "c", user: "alice", peer: "bob", machine: machine, session: session, start: .now,
            surroundings: surroundings)
        #expect(registry.add(call, state: machine.state) && registry.isFull)
        await call.start(
            invite: SignalingMessage.Invite(media: .audioVideo, ringTimeoutMs: 30_000, sdp: "offer"), device: nil)
        try await call.reject()
        #expect(isFull.withLock(\.self) == false)
        await call.waitUntilClosed()
    }

    @Test("The caller of a busy user gets busy; a ringing call counts")
    func callerIsTold() async throws {
        let board = InMemorySignaling()
        let parties = ["alice", "bob", "carol"].map { Party($0, board.transport()) }
        for party in parties { try await party.agent.prepare() }
        let (alice, bob, carol) = (parties[0], parties[1], parties[2])
        let mine = try await alice.agent.call("bob")
        let theirs = try await bob.nextCall()
        let late = try await carol.agent.call("bob")
        let end = CallEnd(reason: .remoteBusy, code: 486, text: "bob is busy", by: .peer)
        #expect(await late.waitUntilEnded() == end)
        try await mine.reaches(.ringing)
        #expect(await theirs.state == .ringing)
        for party in parties { await party.agent.close() }
    }

    @Test("No call is placed beyond the limit, also when several are placed at once", arguments: [1, 3])
    func concurrentCalls(limit: Int) async throws {
        try await withAlice {
            $0.maximumCalls = limit
        } _: { alice, _ in
            let latch = Latch()
            alice.media.plan.sessionLatch = latch
            let attempts = (0..<8).map { number in Task { try await alice.agent.call("user\(number)") } }
            try await eventually("all are under way") { latch.waiting == attempts.count }
            latch.open()
            var (placed, refused) = (0, 0)
            for attempt in attempts {
                switch await attempt.result {
                case .success: placed += 1
                case .failure(let error):
                    #expect(error as? CallError == .tooManyCalls(limit: limit))
                    refused += 1
                }
            }
            #expect((placed, refused) == (limit, attempts.count - limit))
            #expect(alice.agent.activeCalls.count == limit)
            #expect(alice.media.sessions.count { $0.commands == [.close] } == refused, "their media is closed")
            await #expect(throws: CallError.tooManyCalls(limit: limit)) { try await alice.agent.call("bob") }
            #expect(alice.media.sessions.count == attempts.count, "looked at before media is made")
        }
    }

    @Test("Several simultaneous calls are independent")
    func severalCalls() async throws {
        try await withAlice {
            $0.maximumCalls = 2
        } _: { alice, signaling in
            let first = try await alice.agent.call("bob")
            let second = try await alice.agent.call("carol")
            try signaling.deliver(.ringing, call: first.id, from: "bob")
            try signaling.deliver(.reject(603), call: second.id, from: "carol")
            try await first.reaches(.ringing)
            #expect(await second.waitUntilEnded().reason == .remoteRejected)
            #expect(await first.state == .ringing)
        }
    }

    @Test("After the end event of a call the next can be placed or taken at once", arguments: CallRole.both)
    func nextCallAtOnce(role: CallRole) async throws {
        try await withParties { alice, bob in
            for _ in 0..<20 {
                let mine = try await alice.agent.call("bob")
                let theirs = try await bob.nextCall()
                let call = role == .caller ? mine : theirs
                let events = call.events
                await mine.hangUp()
                for await event in events {
                    guard case .stateChanged(let change) = event, change.state == .ended else { continue }
                    let caller = role == .caller ? alice : bob
                    let next = try await caller.agent.call("carol")
                    _ = await next.waitUntilEnded()
                    break
                }
                _ = await theirs.waitUntilEnded()
            }
        }
    }
}
