import Synchronization
import Testing

@testable import CallAgent

/// The application screens an invite before anything else happens.
@Suite(.timeLimit(.minutes(1)))
struct ScreeningTests {
    @Test("A refused caller gets only a reject; there is no call, no hook and no media")
    func refused() async throws {
        let hook = Recorder()
        try await withAlice {
            $0.hooks = [hook]
            $0.screenInvite = { $0.peer == "bob" ? .ring() : .refuse(code: 603, text: "declined") }
        } _: { alice, signaling in
            let events = alice.agent.events
            try signaling.deliver(.anInvite, call: "c1", from: "mallory")
            try await eventually("a reject") { !signaling.sent.isEmpty }
            #expect(signaling.sent.map(\.body) == [.reject(603, "declined")])
            #expect(alice.agent.activeCalls.isEmpty && alice.media.sessions.isEmpty && hook.rings == 0)
            for await event in events {
                if event == .inviteRefused(peer: "mallory", callId: "c1", code: 603) { break }
            }
            try signaling.deliver(.anInvite, call: "c2", from: "bob")
            let call = try await alice.nextCall()
            #expect(call.id == "c2")
        }
    }

    @Test("A slow decision delays no other call, and messages that arrive meanwhile are kept for its call")
    func slow() async throws {
        let latch = Latch()
        try await withAlice {
            $0.maximumCalls = 2
            $0.screenInvite = { invite in
                if invite.peer == "bob" { await latch.wait() }
                return .ring()
            }
        } _: { alice, signaling in
            try signaling.deliver(.anInvite, call: "c1", from: "bob")
            try await eventually("the question") { latch.waiting == 1 }
            try signaling.deliver(.info("early"), call: "c1", from: "bob")
            try signaling.deliver(.anInvite, call: "c2", from: "carol")
            #expect(try await alice.nextCall().peer == "carol")
            #expect(!signaling.sent.contains { $0.to == "bob" })
            latch.open()
            let call = try await alice.nextCall()
            #expect(call.peer == "bob")
            try await eventually("what was said before") {
                await call.report().records.contains { $0.action == "info" }
            }
        }
    }

    @Test("A caller who cancels during the decision gets nothing, and the call never rings")
    func givenUp() async throws {
        let latch = Latch()
        try await withAlice {
            $0.screenInvite = { _ in
                await latch.wait()
                return .ring()
            }
        } _: { alice, signaling in
            try signaling.deliver(.anInvite, call: "c1", from: "bob")
            try await eventually("the question") { latch.waiting == 1 }
            try signaling.deliver(.cancel(9900), call: "c1", from: "bob")
            try signaling.deliver(.query, call: "other", from: "bob")
            try await eventually("the cancel was read") { signaling.sent.contains { $0.callId == "other" } }
            latch.open()
            try signaling.deliver(.anInvite, call: "c2", from: "bob")
            #expect(try await alice.nextCall().id == "c2")
            #expect(!signaling.sent.contains { $0.callId == "c1" })
        }
    }

    @Test("A caller who cancels while the call gets what was said before ends it")
    func givenUpAtTheBeginning() async throws {
        for round in 1...20 {
            let latch = Latch()
            try await withAlice {
                $0.screenInvite = { _ in
                    await latch.wait()
                    return .ring()
                }
            } _: { alice, signaling in
                try signaling.deliver(.anInvite, call: "c1", from: "bob")
                try await eventually("the question") { latch.waiting == 1 }
                for _ in 0..<200 { try signaling.deliver(.candidate(.example), call: "c1", from: "bob") }
                try signaling.deliver(.query, call: "other", from: "bob")
                try await eventually("all were read") { signaling.sent.contains { $0.callId == "other" } }
                latch.open()
                let call = try await alice.nextCall()
                try signaling.deliver(.cancel(9900), call: "c1", from: "bob")
                try await eventually("the end in round \(round)") { await call.state == .ended }
                #expect(await call.report().end?.reason == .remoteCancelled)
            }
        }
    }

    @Test("A limited number of invites waits for a decision; the others get busy")
    func flood() async throws {
        let latch = Latch()
        try await withAlice {
            $0.screenInvite = { _ in
                await latch.wait()
                return .refuse()
            }
        } _: { _, signaling in
            for number in 0..<(Agent.maximumPendingInvites + 10) {
                try signaling.deliver(.anInvite, call: "c\(number)", from: "u\(number)")
            }
            try await eventually("the first is busy") { signaling.sent.count == 10 }
            #expect(
                signaling.sent.allSatisfy {
                    if case .reject(let farewell) = $0.body { farewell.code == 486 } else { false }
                })
            latch.open()
            try await eventually("the others are refused") {
                signaling.sent.count == Agent.maximumPendingInvites + 10
            }
        }
    }

    /// Counts the calls of its hooks.
    private final class Recorder: CallHook {
        private let count = Mutex(0)
        var rings: Int { count.withLock { $0 } }

        func callRings(_ call: CallFacts) { count.withLock { $0 += 1 } }
        func callEnded(_ call: CallFacts) {}
    }
}
