import Testing

@testable import CallAgent

/// A broadcast that pauses for calls.
@Suite(.timeLimit(.minutes(1)))
struct BroadcastTests {
    @Test("Two callers may use the same call id: the broadcast goes on when both calls have ended")
    func sameID() async throws {
        try await withAlice {
            $0.maximumCalls = 2
        } _: { alice, signaling in
            var calls: [Call] = []
            for peer in ["bob", "carol"] {
                try signaling.deliver(.anInvite, call: "ticket", from: peer)
                calls.append(try await alice.nextCall())
            }
            let broadcast = Broadcast(of: nil)
            for call in calls { await broadcast.pause(for: call) }
            await broadcast.pause(for: calls[1])
            // It learns of the end after the other one.
            let later = Broadcast(of: nil)
            await later.pause(for: calls[0])
            try await calls[0].reject()
            try await eventually("the end of the first call") { await !later.isPaused }
            #expect(await broadcast.isPaused)
            var pauses = broadcast.pauses.makeAsyncIterator()
            #expect(await pauses.next() == true)
            try await calls[1].reject()
            #expect(await pauses.next() == false)
            #expect(await !broadcast.isPaused)
        }
    }
}
