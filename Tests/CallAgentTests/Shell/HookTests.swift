import Synchronization
import Testing

@testable import CallAgent

/// The events that hooks get of calls, and the invite data that a callee gets.
@Suite(.timeLimit(.minutes(1)))
struct HookTests {
    /// Records its events.
    private final class Notes: CallHook {
        let lines = Mutex<[String]>([])

        func callRings(_ call: CallFacts) { note("ring", call) }
        func callEnded(_ call: CallFacts) { note("end", call) }

        private func note(_ event: String, _ call: CallFacts) {
            let end = call.end.map { " \($0.reason.rawValue)" } ?? ""
            lines.withLock { $0.append("\(call.user) \(call.role.rawValue) \(event) \(call.peer)\(end)") }
        }
    }

    @Test("At both ends the hooks run once when the call rings and once when it ends")
    func hooks() async throws {
        let notes = Notes()
        try await withParties {
            $0.hooks = [notes]
        } _: { alice, bob in
            let mine = try await alice.agent.call("bob", extension: ["ticket": "7"])
            let theirs = try await bob.nextCall()
            #expect(theirs.inviteExtension == ["ticket": "7"])
            #expect(mine.inviteExtension.isEmpty)
            try await mine.reaches(.ringing)
            await mine.hangUp()
            _ = await theirs.waitUntilEnded()
        }
        let lines = notes.lines.withLock { $0 }
        #expect(
            lines.filter { $0.hasPrefix("alice") } == ["alice caller ring bob", "alice caller end bob localCancelled"])
        #expect(
            lines.filter { $0.hasPrefix("bob") } == ["bob callee ring alice", "bob callee end alice remoteCancelled"])
    }
}
