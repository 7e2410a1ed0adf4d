import Testing

@testable import CallAgent

/// Calls between two agents on one switchboard.
@Suite(.timeLimit(.minutes(1)))
struct WholeCallTests {
    @Test("Call, ring, accept, connect, hang up", arguments: EarlyMediaPolicy.allCases)
    func goesWell(policy: EarlyMediaPolicy) async throws {
        try await withParties {
            $0.earlyMedia = policy
        } _: { alice, bob in
            let mine = try await alice.agent.call("bob")
            let theirs = try await bob.nextCall()
            #expect(mine.id == theirs.id)
            #expect((mine.user, mine.peer, mine.role) == ("alice", "bob", .caller))
            #expect((theirs.user, theirs.peer, theirs.role) == ("bob", "alice", .callee))
            #expect(await theirs.state == .ringing)
            try await mine.reaches(.ringing)
            try await theirs.accept()
            try await mine.reaches(.connecting)
            for party in [alice, bob] { try await party.session().emit(.iceConnected, .verified, .firstVideoFrame) }
            try await mine.reaches(.connected)
            try await theirs.reaches(.connected)
            await mine.hangUp(text: "bye")
            #expect(
                await theirs.waitUntilEnded() == CallEnd(reason: .remoteHangup, code: 9900, text: "bye", by: .peer))
            #expect(
                await mine.waitUntilEnded() == CallEnd(reason: .localHangup, code: 9901, text: "bye", by: .local))
            let report = await theirs.report()
            #expect(report.state == .ended)
            #expect(report.end?.reason == .remoteHangup)
            #expect((report.callId, report.user, report.peer, report.role) == (mine.id, "bob", "alice", .callee))
            #expect(report.acceptedAtCallee != nil)
            #expect(await mine.report().acceptedAtCallee != nil)
        }
    }

    @Test("The callee's reject reaches the caller with code and text")
    func reject() async throws {
        try await withParties { alice, bob in
            let mine = try await alice.agent.call("bob")
            try await bob.nextCall().reject(code: 12_345, text: "not now")
            let end = CallEnd(reason: .remoteRejected, code: 12_345, text: "not now", by: .peer)
            #expect(await mine.waitUntilEnded() == end)
        }
    }

    @Test("The caller's cancel ends the ringing")
    func cancel() async throws {
        try await withParties { alice, bob in
            let mine = try await alice.agent.call("bob")
            let theirs = try await bob.nextCall()
            await mine.hangUp()
            #expect(await theirs.waitUntilEnded().reason == .remoteCancelled)
            #expect(await mine.end?.reason == .localCancelled)
        }
    }

    @Test("A call to a user who is not signed in ends with offline")
    func offline() async throws {
        try await withParties { alice, _ in
            let call = try await alice.agent.call("nobody")
            #expect(await call.waitUntilEnded().reason == .offline)
            #expect(await call.end?.code == 480)
        }
    }

    @Test("E2: the next call with the same user has another id and gets no message of the first")
    func nextCall() async throws {
        try await withAlice { alice, signaling in
            let first = try await alice.agent.call("bob")
            await first.hangUp()
            let second = try await alice.agent.call("bob")
            #expect(first.id != second.id)
            for body in [SignalingMessage.Body.reject(603), .hangup(9900), .accept(sdp: "x"), .error(404), .gone] {
                try signaling.deliver(body, call: first.id)
            }
            try signaling.deliver(.ringing, call: second.id)
            try await second.reaches(.ringing)
            #expect(await first.end?.reason == .localCancelled)
        }
    }

    @Test("E9: a frame of an earlier call does not connect the next one")
    func lateFrame() async throws {
        try await withParties { alice, bob in
            let first = try await alice.agent.call("bob")
            try await bob.nextCall().accept()
            try await first.reaches(.connecting)
            await first.hangUp()
            let second = try await alice.agent.call("bob")
            let theirs = try await bob.nextCall()
            try await theirs.accept()
            try await second.reaches(.connecting)
            try await alice.session(0).emit(.firstVideoFrame)
            try await alice.session(1).emit(.verified)
            try await eventually("DTLS") { await second.report().timeline.instant(of: .dtlsConnected) != nil }
            #expect(await second.state == .connecting)
        }
    }
}
