import Testing

@testable import CallAgent

/// Cancelling the task that runs a call ends the call.
@Suite(.timeLimit(.minutes(1)))
struct CancellationTests {
    @Test("Cancelling a task in waitUntilEnded hangs up, and waitUntilEnded returns the end")
    func waitUntilEnded() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob")
            let waiting = Task { await call.waitUntilEnded() }
            waiting.cancel()
            #expect(await waiting.value == CallEnd(reason: .localCancelled, by: .local))
            try await eventually("the farewell") { signaling.sent.last?.body == .cancel(9900) }
        }
    }

    @Test("waitUntilEnded of an ended call returns at once, also in a cancelled task")
    func waitAfterTheEnd() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob")
            try signaling.deliver(.reject(603, "no"), call: call.id)
            let end = CallEnd(reason: .remoteRejected, code: 603, text: "no", by: .peer)
            #expect(await call.waitUntilEnded() == end)
            let waiting = Task { await call.waitUntilEnded() }
            waiting.cancel()
            #expect(await waiting.value == end)
        }
    }

    @Test("Cancelling call() while the offer is created leaves no call")
    func whilePlacing() async throws {
        try await withAlice { alice, signaling in
            let latch = Latch()
            alice.media.plan.offerLatch = latch
            let calling = Task { try await alice.agent.call("bob") }
            try await eventually("the offer") { latch.waiting == 1 }
            calling.cancel()
            await #expect(throws: CallError.ended(CallEnd(reason: .localCancelled, by: .local))) {
                try await calling.value
            }
            #expect(alice.agent.activeCalls.isEmpty)
            latch.open()
            try await eventually("the media is closed") { alice.media.sessions[0].commands.contains(.close) }
            #expect(signaling.sent.isEmpty)
        }
    }

    @Test("Releasing the last reference does not end the call")
    func droppedReference() async throws {
        try await withAlice { alice, signaling in
            let id = try await alice.agent.call("bob").id
            try signaling.deliver(.ringing, call: id)
            try await eventually("it rings") { await alice.agent.activeCalls.first?.state == .ringing }
        }
    }
}
