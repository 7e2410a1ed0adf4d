import Testing

@testable import CallAgent

/// The timers of a call, with a clock that the test controls.
@Suite(.timeLimit(.minutes(1)))
struct TimerTests {
    @Test("The ring timer ends a call that nobody answers")
    func callerRingsOut() async throws {
        try await withParties { alice, bob in
            let mine = try await alice.agent.call("bob")
            let theirs = try await bob.nextCall()
            try await alice.clock.elapse(.seconds(30))
            #expect(await mine.waitUntilEnded() == CallEnd(reason: .ringTimeout, by: .local))
            #expect(await theirs.waitUntilEnded() == CallEnd(reason: .remoteRingTimeout, by: .peer))
        }
    }

    @Test("The callee's own shorter ring timeout ends the call (U16)")
    func calleeRingsOut() async throws {
        try await withAlice {
            $0.timeouts.ringMs = 5_000
        } _: { alice, signaling in
            try signaling.deliver(.anInvite, call: "c1")
            let call = try await alice.nextCall()
            try await alice.clock.elapse(.seconds(5))
            #expect(await call.waitUntilEnded().reason == .ringTimeout)
            try await eventually("the reject") { signaling.sent.last?.body == .reject(487) }
        }
    }

    @Test("Accepted without media: the connect timer runs from the accept, and the ring timer is stopped")
    func noMedia() async throws {
        try await withParties { alice, bob in
            let mine = try await alice.agent.call("bob")
            let theirs = try await bob.nextCall()
            try await theirs.accept()
            try await mine.reaches(.connecting)
            try await eventually("one timer each") {
                alice.clock.sleeping == [.seconds(10)] && bob.clock.sleeping == [.seconds(10)]
            }
            try await bob.clock.elapse(.seconds(10))
            #expect(await theirs.waitUntilEnded() == CallEnd(reason: .connectTimeout, by: .local))
            #expect(await mine.waitUntilEnded() == CallEnd(reason: .remoteConnectTimeout, by: .peer))
        }
    }

    @Test("A connected call has no timers; an interruption starts one, and its end stops it")
    func mediaLost() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob")
            try signaling.deliver(.accept(sdp: "answer"), call: call.id)
            try await alice.session().emit(.verified, .firstVideoFrame)
            try await call.reaches(.connected)
            try await eventually("no timer") { alice.clock.sleeping.isEmpty }
            try await alice.session().emit(.interrupted)
            try await call.reaches(.reconnecting)
            try await eventually("a timer") { alice.clock.sleeping == [.seconds(30)] }
            try await alice.session().emit(.resumed)
            try await call.reaches(.connected)
            try await eventually("no timer") { alice.clock.sleeping.isEmpty }
            try await alice.session().emit(.interrupted)
            try await alice.clock.elapse(.seconds(30))
            #expect(await call.waitUntilEnded().reason == .mediaLost)
            try await eventually("no timer") { alice.clock.sleeping.isEmpty }
        }
    }

    @Test("E8: a ringing callee that vanishes is lost after two seconds")
    func peerGone() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob")
            try signaling.deliver(.ringing, call: call.id)
            try signaling.deliver(.gone, call: call.id)
            try await eventually("both timers") { alice.clock.sleeping == [.seconds(2), .seconds(30)] }
            try await alice.clock.elapse(.seconds(2))
            #expect(await call.waitUntilEnded().reason == .remoteLost)
            try await eventually("no timer") { alice.clock.sleeping.isEmpty }
        }
    }
}
