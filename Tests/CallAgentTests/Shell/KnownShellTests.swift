import Synchronization
import Testing

@testable import CallAgent

/// Defects and complaints that concern a whole agent; see ``KnownDefects``.
@Suite(.timeLimit(.minutes(1)))
struct KnownShellTests {
    @Test("D6, C16, A4: preparing during a call is refused and changes nothing")
    func prepareDuringACall() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob")
            await #expect(throws: CallError.wrongState(operation: "prepare", state: "there is a call")) {
                try await alice.agent.prepare()
            }
            try signaling.deliver(.ringing, call: call.id)
            try await call.reaches(.ringing)
            #expect(signaling.steps.count { $0 == .connected("alice") } == 1)
        }
    }

    @Test("A32: after release() and prepare() an agent takes and places calls again")
    func releaseAndPrepare() async throws {
        try await withParties { alice, bob in
            for _ in 0..<3 {
                let mine = try await alice.agent.call("bob")
                let theirs = try await bob.nextCall()
                await alice.agent.release()
                #expect(await theirs.waitUntilEnded().reason == .remoteCancelled)
                #expect(await mine.state == .ended)
                #expect(await alice.agent.state == .idle)
                #expect(!alice.media.isPrepared)
                await #expect(throws: CallError.notPrepared) { try await alice.agent.call("bob") }
                try await alice.agent.prepare()
                let again = try await bob.agent.call("alice")
                #expect(try await alice.nextCall().id == again.id)
                await again.hangUp()
                for party in [alice, bob] { try await eventually("idle") { party.agent.activeCalls.isEmpty } }
            }
        }
    }

    @Test("A failed prepare() can be repeated")
    func prepareAfterFailure() async throws {
        let signaling = FakeSignaling()
        let alice = Party("alice", signaling)
        signaling.failConnecting(.unreachable("ws://x", text: "refused"))
        await #expect(throws: CallError.signaling(.unreachable("ws://x", text: "refused"))) {
            try await alice.agent.prepare()
        }
        #expect(await alice.agent.state == .failed)
        #expect(!alice.media.isPrepared)
        signaling.failConnecting(nil)
        try await alice.agent.prepare()
        #expect(await alice.agent.state == .prepared)
        await alice.agent.close()
    }

    @Test("A32: every observer gets the agent's states, and removing one does not affect the others")
    func observers() async throws {
        let signaling = FakeSignaling()
        let alice = Party("alice", signaling)
        let collectors = (0..<2).map { _ in
            let events = alice.agent.events
            return Task { await events.reduce(into: [AgentEvent]()) { $0.append($1) } }
        }
        var left: AsyncStream<AgentEvent>? = alice.agent.events
        _ = left
        left = nil
        try await alice.agent.prepare()
        await alice.agent.close()
        for collector in collectors {
            #expect(
                await collector.value == [
                    .stateChanged(.init(state: .idle, reason: .created, by: .local)),
                    .stateChanged(.init(state: .preparing, reason: .prepare, by: .local)),
                    .stateChanged(.init(state: .prepared, reason: .signedIn, by: .server)),
                    .stateChanged(.init(state: .closed, reason: .close, by: .local)),
                ])
        }
        let late = await alice.agent.events.reduce(into: [AgentEvent]()) { $0.append($1) }
        #expect(late == [.stateChanged(.init(state: .closed, reason: .close, by: .local))])
    }

    @Test(
        "C18, U18: tokenWillExpire is reported, a new token is passed on, and a bad token is a clear error"
    )
    func tokens() async throws {
        try await withAlice { alice, signaling in
            var events = alice.agent.events.makeAsyncIterator()
            signaling.happen(.tokenWillExpire(milliseconds: 60_000))
            while let event = await events.next(), event != .tokenWillExpire(milliseconds: 60_000) {}
            try await alice.agent.renew(token: "fresh")
            #expect(signaling.steps.last == .renewed("fresh"))
            await #expect(throws: CallError.signaling(.signInRefused(code: 410, text: "the token expired"))) {
                try await alice.agent.renew(token: "expired")
            }
        }
        let idle = Party("alice", FakeSignaling())
        await #expect(throws: CallError.notPrepared) { try await idle.agent.renew(token: "x") }
    }

    @Test("A19: a token that is refused at the sign-in makes prepare() throw the reason")
    func expiredToken() async throws {
        let signaling = FakeSignaling()
        signaling.failConnecting(.signInRefused(code: 410, text: "the token expired"))
        let alice = Party("alice", signaling)
        await #expect(throws: CallError.signaling(.signInRefused(code: 410, text: "the token expired"))) {
            try await alice.agent.prepare()
        }
        await alice.agent.close()
    }

    @Test("A6, C20: each invite is screened separately, with its contents")
    func decision() async throws {
        let asked = Mutex<[IncomingInvite]>([])
        try await withAlice {
            $0.maximumCalls = 2
            $0.earlyMedia = .full
            $0.screenInvite = { invite in
                asked.withLock { $0.append(invite) }
                return .ring(invite.peer == "bob" ? .off : .guarded)
            }
        } _: { alice, signaling in
            var invite = SignalingMessage.Invite(media: .audioOnly, ringTimeoutMs: 30_000, sdp: "offer")
            (invite.displayName, invite.address, invite.room) = ("Bob", "bob@example.org", "room-1")
            try signaling.deliver(.invite(invite), call: "c1", extension: ["ticket": "7"])
            try signaling.deliver(.anInvite, call: "c2", from: "carol")
            try await eventually("both ring") { signaling.sent.count { $0.body == .ringing } == 2 }
            try await eventually("an answer") { signaling.sent.contains { $0.body == .progress(sdp: "answer") } }
            #expect(signaling.sent.filter { $0.body == .progress(sdp: "answer") }.map(\.to) == ["carol"])
            let first = try #require(asked.withLock { $0.first })
            #expect((first.callId, first.peer, first.displayName) == ("c1", "bob", "Bob"))
            #expect((first.address, first.media, first.room) == ("bob@example.org", .audioOnly, "room-1"))
            #expect(first.extensionData == ["ticket": "7"])
        }
    }

    @Test(
        "C15: a call can be accepted, rejected or hung up directly when it is received",
        arguments: ["accept", "reject", "hangUp"])
    func fromWithinEvents(operation: String) async throws {
        try await withParties { alice, bob in
            let answering = Task {
                let call = try await bob.nextCall()
                switch operation {
                case "accept": try await call.accept()
                case "reject": try await call.reject()
                default: await call.hangUp()
                }
            }
            let mine = try await alice.agent.call("bob")
            try await answering.value
            try await mine.reaches(operation == "accept" ? .connecting : .ended)
            if operation != "accept" {
                try await eventually("no call is left") { bob.agent.activeCalls.isEmpty }
                #expect(
                    try await bob.session().commands.contains { if case .setGates = $0 { true } else { false } }
                        == false)
            }
        }
    }

    @Test("A20: the report of a call is found by its id during and after the call, up to a limit")
    func reports() async throws {
        try await withAlice {
            $0.keptReports = 2
        } _: { alice, _ in
            for number in 1...3 {
                let call = try await alice.agent.call("bob", id: "c\(number)")
                #expect(await alice.agent.report(callId: "c\(number)")?.state == .calling)
                await call.hangUp()
                try await eventually("its report") { alice.agent.endedCalls.last?.callId == "c\(number)" }
            }
            #expect(alice.agent.endedCalls.map(\.callId) == ["c2", "c3"])
            #expect(await alice.agent.report(callId: "c1") == nil)
            #expect(await alice.agent.report(callId: "c3")?.end?.reason == .localCancelled)
            await #expect(throws: CallError.invalidCallId("c3")) { try await alice.agent.call("bob", id: "c3") }
        }
    }

    @Test("A20: a call that has ended and whose media is being closed still has a report")
    func reportWhileClosing() async throws {
        let latch = Latch()
        try await withAlice { alice, _ in
            alice.media.plan.closeLatch = latch
            let call = try await alice.agent.call("bob", id: "c1")
            await call.hangUp()
            try await eventually("the media is being closed") { latch.waiting == 1 }
            #expect(alice.agent.endedCalls.isEmpty && alice.agent.activeCalls.isEmpty)
            #expect(await alice.agent.report(callId: "c1")?.end?.reason == .localCancelled)
            latch.open()
            try await eventually("its last report") { alice.agent.endedCalls.map(\.callId) == ["c1"] }
        }
    }

    @Test("A3: a failed sign-in, a replacement and a release are changes with their reason and originator")
    func changesOfTheAgent() async throws {
        let signaling = FakeSignaling()
        let alice = Party("alice", signaling)
        var events = alice.agent.events.makeAsyncIterator()
        func next() async -> AgentStateChange? {
            while let event = await events.next() { if case .stateChanged(let change) = event { return change } }
            return nil
        }
        #expect(await next() == .init(state: .idle, reason: .created, by: .local))
        let refusal = SignalingError.signInRefused(code: 401, text: "wrong token")
        signaling.failConnecting(refusal)
        await #expect(throws: CallError.signaling(refusal)) { try await alice.agent.prepare() }
        #expect(await next() == .init(state: .preparing, reason: .prepare, by: .local))
        #expect(await next() == .init(state: .failed, reason: .failed(.signaling(refusal)), by: .server))
        signaling.failConnecting(nil)
        try await alice.agent.prepare()
        #expect(await next()?.state == .preparing)
        #expect(await next() == .init(state: .prepared, reason: .signedIn, by: .server))
        signaling.happen(.ended(.replaced(text: "elsewhere")))
        #expect(await next() == .init(state: .failed, reason: .replaced, by: .server))
        await alice.agent.release()
        #expect(await next() == .init(state: .idle, reason: .release, by: .local))
        await alice.agent.close()
    }

    @Test("A22: messages that were given up are notices of their call, and events of the agent after its end")
    func notDelivered() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob", id: "c1")
            try signaling.deliver(.accept(sdp: "answer"), call: "c1")
            try await alice.session().emit(.verified, .firstVideoFrame)
            try await call.reaches(.connected)
            let events = call.events
            signaling.failSending(.malformed(MalformedMessage(code: 400, text: "too odd", ref: nil)))
            await call.setAudio(.muted)
            for await event in events {
                guard case .notice(.messageNotDelivered(let type, let code, let text)) = event else { continue }
                #expect(type == "state" && code == 400 && text.contains("too odd"))
                break
            }
            #expect(await call.report().records.contains { $0.action == "messageNotDelivered state" })
            let agentEvents = alice.agent.events
            await call.hangUp()
            for await event in agentEvents {
                guard case .messageNotDelivered(let peer, let id, let type, let code, _) = event else { continue }
                #expect(peer == "bob" && id == "c1" && type == "hangup" && code == 400)
                break
            }
        }
    }

    @Test("A refusal without a call carries the agent's extension data")
    func dataOfRefusals() async throws {
        try await withAlice {
            $0.extensionData = ["site": "lab"]
            $0.screenInvite = { $0.peer == "carol" ? .refuse(code: 603, text: "") : .ring() }
        } _: { alice, signaling in
            try signaling.deliver(.anInvite, call: "c1", from: "carol")
            try await eventually("screened") { signaling.sent.contains { $0.to == "carol" } }
            _ = try await alice.agent.call("bob")
            try signaling.deliver(.anInvite, call: "c2", from: "dave")
            try await eventually("busy") { signaling.sent.contains { $0.to == "dave" } }
            let refusals = signaling.sent.filter { if case .reject = $0.body { true } else { false } }
            #expect(refusals.count == 2 && refusals.allSatisfy { $0.extensionData == ["site": "lab"] })
        }
    }

    @Test("Reports are found by this end's own call, when a stranger used its id")
    func shadowedReport() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob", id: "c1")
            await call.hangUp()
            try await eventually("its report") { alice.agent.endedCalls.count == 1 }
            try signaling.deliver(.anInvite, call: "c1", from: "mallory")
            let stranger = try await alice.nextCall()
            await stranger.hangUp()
            try await eventually("the other one") { alice.agent.endedCalls.count == 2 }
            #expect(await alice.agent.report(callId: "c1")?.peer == "bob")
        }
    }

    @Test("call(again:) does not send what the peer had added to the call")
    func callAgainWithoutVideo() async throws {
        try await withAlice { alice, signaling in
            let first = try await alice.agent.call("bob", media: .audioOnly)
            try signaling.deliver(.accept(sdp: "answer"), call: first.id)
            try await alice.session().emit(.verified, .firstAudioSample)
            try await first.reaches(.connected)
            try signaling.deliver(.renegotiate(.audioVideo), call: first.id)
            let next = try await alice.session(1)
            try await eventually("the offer") { signaling.sent.contains { $0.generation == 1 } }
            try signaling.deliver(.answer(sdp: "answer"), call: first.id, generation: 1)
            next.emit(.verified, .firstAudioSample, .firstVideoFrame)
            try signaling.deliver(.commit, call: first.id, generation: 1)
            try await eventually("changed") { await first.media == .audioVideo }
            await first.hangUp()
            _ = await first.waitUntilEnded()
            let again = try await alice.agent.call(again: await first.report())
            #expect(await again.media == .audioVideo)
            #expect(await again.sends.video == .off, "the peer turned this user's video on")
        }
    }

    @Test("A13: call(again:) uses the same peer, media and extension, and a new id and room")
    func callAgain() async throws {
        try await withAlice { alice, signaling in
            let first = try await alice.agent.call("bob", media: .audioOnly, extension: ["ticket": "7"])
            try signaling.deliver(.reject(486), call: first.id)
            #expect(await first.waitUntilEnded().reason == .remoteBusy)
            let report = await first.report()
            #expect(report.offersCallAgain)
            let second = try await alice.agent.call(again: report)
            #expect(second.peer == "bob" && second.id != first.id && second.room != first.room)
            #expect(await second.media == .audioOnly)
            try await eventually("the second invite") { signaling.sent.count { $0.body.isInvite } == 2 }
            #expect(signaling.sent.filter { $0.body.isInvite }.allSatisfy { $0.extensionData == ["ticket": "7"] })
        }
    }

    @Test("A27: each call gets a new room, and the callee gets the caller's room", arguments: [nil, "room-7"])
    func rooms(room: String?) async throws {
        try await withParties { alice, bob in
            let mine = try await alice.agent.call("bob", room: room)
            let theirs = try await bob.nextCall()
            #expect(theirs.room == mine.room)
            #expect(room == nil ? (mine.room?.count ?? 0) >= 32 : mine.room == room)
            await #expect(throws: CallError.invalidCallId("a b")) { try await alice.agent.call("bob", room: "a b") }
        }
    }
}
