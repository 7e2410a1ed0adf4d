import Synchronization
import Testing

@testable import CallAgent

/// An invite is decided about before anything else happens.
@Suite(.timeLimit(.minutes(1)))
struct ScreeningTests {
    @Test("Who is refused hears reject and nothing else; no call, no hook, no media")
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

    @Test("A slow decision delays no other call, and what its caller says meanwhile is kept for its call")
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

    @Test("A caller who gives up while it is decided hears nothing, and the call never rings")
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

    @Test("No more than so many invites wait for a decision; the rest is busy")
    func flood() async throws {
        let latch = Latch()
        try await withAlice {
            $0.screenInvite = { _ in
                await latch.wait()
                return .refuse()
            }
        } _: { _, signaling in
            for number in 0..<(CallAgent.maximumPendingInvites + 10) {
                try signaling.deliver(.anInvite, call: "c\(number)", from: "u\(number)")
            }
            try await eventually("the first is busy") { signaling.sent.count == 10 }
            #expect(
                signaling.sent.allSatisfy {
                    if case .reject(let farewell) = $0.body { farewell.code == 486 } else { false }
                })
            latch.open()
            try await eventually("the others are refused") {
                signaling.sent.count == CallAgent.maximumPendingInvites + 10
            }
        }
    }

    /// Counts what it is told.
    private final class Recorder: CallHook {
        private let count = Mutex(0)
        var rings: Int { count.withLock { $0 } }

        func callRings(_ call: CallFacts) { count.withLock { $0 += 1 } }
        func callEnded(_ call: CallFacts) {}
    }
}
