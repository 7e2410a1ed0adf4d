import Testing

@testable import CallAgent

/// Both users call each other, with two agents (A14, U9).
@Suite(.timeLimit(.minutes(1)))
struct GlareShellTests {
    @Test(
        "Both get one call with one id and one room, whenever the invites cross",
        arguments: [("a", "b"), ("b", "a")], [0, 1, 2])
    func oneCall(ids: (String, String), order: Int) async throws {
        try await withParties { alice, bob in
            let latches = [Latch(), Latch()]
            (alice.media.plan.offerLatch, bob.media.plan.offerLatch) = (latches[0], latches[1])
            let first = Task { try await alice.agent.call("bob", id: ids.0) }
            let second = Task { try await bob.agent.call("alice", id: ids.1) }
            try await eventually("both offers are being made") { latches.allSatisfy { $0.waiting == 1 } }
            switch order {
            case 0: for latch in latches { latch.open() }
            case 1:
                latches[0].open()
                try await eventually("the first invite") { latches[0].waiting == 0 }
                latches[1].open()
            default: for latch in latches.reversed() { latch.open() }
            }
            let (mine, theirs) = (try await first.value, try await second.value)
            try await eventually("one id") { mine.id == theirs.id }
            #expect(mine.id == "a")
            #expect(mine.room == theirs.room)
            #expect(Set([mine.role, theirs.role]) == [.caller, .callee])
            for call in [mine, theirs] { try await eventually("accepted") { await call.state == .connecting } }
            for session in alice.media.sessions + bob.media.sessions { session.emit(.verified, .firstVideoFrame) }
            try await mine.reaches(.connected)
            try await theirs.reaches(.connected)
            #expect(alice.agent.activeCalls.count == 1 && bob.agent.activeCalls.count == 1)
            await mine.hangUp()
            #expect(await theirs.waitUntilEnded().reason == .remoteHangup)
        }
    }

    @Test("An agent that is creating its offer takes the peer's call, and call() returns it")
    func whileTheOfferIsMade() async throws {
        try await withAlice { alice, signaling in
            let latch = Latch()
            alice.media.plan.offerLatch = latch
            let calling = Task { try await alice.agent.call("bob", id: "z") }
            try await eventually("the offer") { latch.waiting == 1 }
            try signaling.deliver(.anInvite, call: "a", extension: ["ticket": "7"])
            let call = try await calling.value
            #expect((call.id, call.role) == ("a", .callee))
            #expect(call.inviteExtension == ["ticket": "7"])
            try await eventually("the accept") { signaling.sent.map(\.body) == [.accept(sdp: "answer")] }
            latch.open()
            #expect(signaling.sent.allSatisfy { $0.callId == "a" }, "no invite of the own call was sent")
        }
    }

    @Test("What the application sent with its invite goes out with the accept of the end that yields")
    func dataOfTheYielded() async throws {
        try await withAlice { alice, signaling in
            _ = try await alice.agent.call("bob", id: "z", extension: ["ticket": "7"])
            try await eventually("the invite") { signaling.sent.contains { $0.body.isInvite } }
            try signaling.deliver(.anInvite, call: "a")
            try await eventually("the accept") {
                signaling.sent.contains {
                    if case .accept = $0.body { $0.callId == "a" && $0.extensionData == ["ticket": "7"] } else { false }
                }
            }
        }
    }

    @Test("The end that yields uses the id of the peer's call, and its own call is over")
    func idChanges() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob", id: "z")
            try signaling.deliver(.anInvite, call: "a")
            try await eventually("the new id") { call.id == "a" }
            try signaling.deliver(.hangup(9900), call: "z")
            try signaling.deliver(.info("hello"), call: "a")
            try await eventually("the message") { await call.report().records.contains { $0.action == "info" } }
            #expect(await call.state == .connecting)
            #expect(await alice.agent.report(callId: "a")?.callId == "a")
            // Before it, the end is a reject.
            try await eventually("the accept") {
                signaling.sent.contains { if case .accept = $0.body { true } else { false } }
            }
            await call.hangUp()
            try await eventually("its farewell") { signaling.sent.last?.body == .hangup(9900) }
            #expect(signaling.sent.last?.callId == "a")
            #expect(signaling.sent.contains { $0.body == .cancel(200) && $0.callId == "z" })
        }
    }

    @Test("Calling a peer whose call rings here accepts that call")
    func callingTheOneWhoRings() async throws {
        try await withParties { alice, bob in
            let mine = try await alice.agent.call("bob")
            let theirs = try await bob.nextCall()
            let same = try await bob.agent.call("alice", extension: ["k": "v"])
            #expect(same === theirs)
            try await mine.reaches(.connecting)
            await mine.hangUp()
            _ = await theirs.waitUntilEnded()
        }
    }

    @Test("Who asks for audio alone sends no video in the peer's call, in glare or in a call that rings")
    func audioAlone() async throws {
        for rings in [true, false] {
            try await withAlice { alice, signaling in
                if rings {
                    try signaling.deliver(.anInvite, call: "a")
                    try await eventually("it rings") { !alice.agent.activeCalls.isEmpty }
                }
                let call = try await alice.agent.call("bob", media: .audioOnly, id: "z")
                if !rings { try signaling.deliver(.anInvite, call: "a") }
                try await eventually("the accept") {
                    signaling.sent.contains {
                        if case .accept(_, let state) = $0.body { state?.video == .off } else { false }
                    }
                }
                #expect(call.id == "a")
                #expect(await call.media == .audioVideo)
                #expect(await call.sends.video == .off)
                for session in alice.media.sessions {
                    let gates = session.commands.compactMap { if case .setGates(let gates) = $0 { gates } else { nil } }
                    #expect(gates.allSatisfy { $0.video == .off || $0.video == .closed })
                }
                await call.hangUp()
            }
        }
    }
}
