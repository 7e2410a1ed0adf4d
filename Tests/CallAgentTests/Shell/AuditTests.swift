import Testing

@testable import CallAgent

/// A peer that answers no query although media flows (A34).
@Suite(.timeLimit(.minutes(1)))
struct AuditTests {
    private func withConnectedCall(
        _ body: (_ alice: Party, _ signaling: FakeSignaling, _ call: Call) async throws -> Void
    ) async throws {
        try await withAlice {
            ($0.ringAuditMs, $0.callAuditMs) = (nil, 20_000)
        } _: { alice, signaling in
            let call = try await alice.agent.call("bob")
            try signaling.deliver(.accept(sdp: "answer"), call: call.id)
            try await alice.session().emit(.verified, .firstVideoFrame)
            try await call.reaches(.connected)
            try await body(alice, signaling, call)
        }
    }

    private func queries(_ signaling: FakeSignaling) -> Int {
        signaling.sent.count { if case .query = $0.body { true } else { false } }
    }

    /// One interval, up to the query at its end.
    private func elapse(_ alice: Party, _ signaling: FakeSignaling) async throws {
        let before = queries(signaling)
        try await alice.clock.elapse(.seconds(20))
        try await eventually("the question") { queries(signaling) == before + 1 }
    }

    @Test("An unanswered query is reported once, after a whole interval; a message of the peer restarts it")
    func silence() async throws {
        try await withConnectedCall { alice, signaling, call in
            var events = call.events.makeAsyncIterator()
            for _ in 1...3 { try await elapse(alice, signaling) }
            try signaling.deliver(.info("here"), call: call.id)
            var heard: [CallNotice] = []
            // The next interval begins when a message of the peer has arrived.
            while heard.last != .info("here"), let event = await events.next() {
                if case .notice(let notice) = event { heard.append(notice) }
            }
            for _ in 1...2 { try await elapse(alice, signaling) }
            await call.hangUp()
            while let event = await events.next() {
                if case .notice(let notice) = event { heard.append(notice) }
            }
            #expect(heard == [.auditUnanswered, .info("here"), .auditUnanswered])
            #expect(await call.waitUntilEnded().reason == .localHangup)
        }
    }

    @Test("While this end's own signaling is lost nothing is reported about the peer")
    func ownLoss() async throws {
        try await withConnectedCall { alice, signaling, call in
            var events = call.events.makeAsyncIterator()
            try await elapse(alice, signaling)
            signaling.happen(.disconnected(text: "cut"))
            try await eventually("noticed") { await call.isSignalingLost }
            for _ in 1...3 { try await elapse(alice, signaling) }
            let before = queries(signaling)
            signaling.happen(.reconnected)
            // It is sent after the call has noticed.
            try await eventually("the question after the outage") { queries(signaling) == before + 1 }
            #expect(await !call.isSignalingLost)
            try await elapse(alice, signaling)
            await call.hangUp()
            var heard: [CallNotice] = []
            while let event = await events.next() {
                if case .notice(let notice) = event { heard.append(notice) }
            }
            #expect(heard == [.signalingLost, .signalingRestored])
        }
    }

    @Test("When nothing arrives from the peer, the transport checks its connection, also while the call rings")
    func silentPath() async throws {
        try await withAlice { alice, signaling in
            try signaling.deliver(.anInvite, call: "c")
            let call = try await alice.nextCall()
            func checks() -> Int { signaling.steps.count { $0 == .checked } }
            try await alice.session().emit(.pathChecked)
            try await eventually("a check while it rings") { checks() == 1 }
            #expect(await call.state == .ringing)
            try await call.accept()
            // The same silence, reported again.
            try await alice.session().emit(.pathSilent)
            await call.restartIce()
            try await eventually("a check, as the user asks for another path") { checks() == 2 }
            try await alice.session().emit(.resumed)
            try await eventually("a check, since something arrives again") { checks() == 3 }
            await call.hangUp()
        }
    }
}
