import Testing

@testable import CallAgent

/// Odd cases of a call product in the field, and what happens here; see ``KnownDefects``.
struct KnownCaseTests {
    @Test("C1: glare swaps the rooms; here the room of the call that stays is both ends'")
    func glareRoom() {
        // The room comes with the invite that is kept; the machine keeps the invite of the lower id only.
        var routing = CallRouting(limit: 1)
        routing.list("b", .init(peer: "bob", role: .caller, state: .calling))
        #expect(routing.route(.anInvite, call: "a") == .yield("b"))
        #expect(CallMachine.calling().effects(of: .yield(to: .example, device: nil)).contains(.adoptCall))
    }

    @Test("C2: one-sided glare, the own invite was lost: the peer's call is taken or stays, it does not hang")
    func oneSidedGlare() {
        var lower = CallRouting(limit: 1)
        lower.list("a", .init(peer: "bob", role: .caller, state: .calling))
        #expect(lower.route(.anInvite, call: "b").isStray)
        var end = DeliveryEnd()
        let lost = end.send(.anInvite)
        #expect(end.elapse(500).map(\.action) == lost, "the own invite comes again and makes the other end yield")
    }

    @Test("C3: an accept of this end alone connects; here the peer must want it, too, before it is seen")
    func bothMustWant() {
        let early = CallMachine.hearsRinging().after(.received(.progress(sdp: "a")), .verified, .firstVideoFrame)
        #expect(early.state == .ringing)
        #expect(!early.effects(of: .firstVideoShown).contains { $0.opensReceiveGates })
    }

    @Test("C4: busy names the id of the call that there is; here the one that is refused")
    func busy() {
        var routing = CallRouting(limit: 1)
        routing.list("c1", .init(peer: "bob", role: .caller, state: .connected))
        #expect(routing.route(.anInvite, call: "c2", from: "carol") == .busy, "the answer goes by the invite")
        #expect(CallMachine.calling().after(.received(.reject(486))).end?.reason == .remoteBusy)
    }

    @Test("C5: cancel and accept cross: both ends end, in whatever state they are")
    func cancelCrossesAccept() {
        for callee in [CallMachine.connecting(.callee), .connected(.callee)] {
            #expect(callee.after(.received(.cancel(9900))).end?.reason == .remoteCancelled)
        }
        #expect(CallMachine.hearsRinging().after(.hangUp).effects(of: .received(.accept(sdp: "x"))).isEmpty)
    }

    @Test("C6: accept after the cancel arrived is refused with a reason")
    func acceptAfterCancel() {
        let ended = CallMachine.ringing().after(.received(.cancel(9900)))
        #expect(ended.refusal(of: .accept) == "accept does not apply to a callee in ended")
        #expect(ended.effects(of: .accept).isEmpty)
    }

    @Test("C7: a second accept, or one of the caller's own call, says and changes nothing")
    func doubleAccept() {
        #expect(CallMachine.connecting(.callee).effects(of: .accept).messages.isEmpty)
        #expect(CallMachine.connecting(.caller).effects(of: .received(.accept(sdp: "x"))).isNothing)
        #expect(CallMachine.hearsRinging().refusal(of: .accept) != nil)
    }

    @Test("C8: a duplicated invite while it rings builds nothing again")
    func duplicateWhileRinging() {
        #expect(CallMachine.ringing().effects(of: .received(.anInvite)).isNothing)
    }

    @Test("C9: a duplicated invite in a call changes nothing and starts no timer")
    func duplicateLater() {
        for machine in [CallMachine.connecting(.callee), .connected(.callee), .answering()] {
            #expect(machine.effects(of: .received(.anInvite)).isNothing)
        }
    }

    @Test("C10: what is about another call touches none")
    func otherCall() {
        var routing = CallRouting(limit: 1)
        routing.list("c2", .init(peer: "bob", role: .callee, state: .connected))
        for body in EventKinds.bodies { #expect(routing.route(body, call: "c1") != .call("c2")) }
    }

    @Test(
        "C11: numbers and times of messages are sent but never used: here duplicates are dropped and old invites do not ring"
    )
    func duplicatesAndExpiry() {
        var end = DeliveryEnd(device: "tv")
        #expect(end.receive(.ofBob(1)).delivered.count == 1)
        #expect(end.receive(.ofBob(1)).delivered.isEmpty)
        var routing = CallRouting(limit: 1)
        #expect(routing.route(.anInvite, call: "c1", sentUnixMs: 1, unixMs: 33_000) == .expired(milliseconds: 32_999))
    }

    @Test("C12: a peer that went offline is only an event; here it ends the call once its media is silent")
    func remoteOffline() {
        #expect(CallMachine.connected(.callee).after(.received(.error(480)), .interrupted).end?.reason == .remoteLost)
    }

    @Test("C13: the first frame never comes: each end has a time of its own, and a reason of its own")
    func noFirstFrame() {
        #expect(CallMachine.connecting(.caller).after(.timerFired(.connect)).end?.reason == .connectTimeout)
        #expect(CallMachine.connecting(.callee).after(.received(.hangup(408))).end?.reason == .remoteConnectTimeout)
    }

    @Test("C14: an accept or farewell that is not sent is over for its sender only: here it is sent until it is heard")
    func sendFailures() {
        var end = DeliveryEnd()
        end.delivery.connectionLost()
        #expect(end.send(.accept(sdp: "x")).isEmpty)
        #expect(end.send(.hangup(9900), call: "c2").isEmpty)
        #expect(end.delivery.connectionRestored(at: 10).transmitted.count == 2)
    }

    @Test("C17: a late first frame of a closed connection marks the next as seen")
    func lateFirstFrame() {
        var machine = CallMachine.committed(.caller).after(.received(.commit, generation: 1))
        let before = machine
        #expect(machine.handle(.media(.firstVideoFrame, generation: 0)).isNothing)
        #expect(machine == before)
    }

    @Test("C19: a callee that rings out sends a cancel; here a reject, and the caller learns that nobody answered")
    func calleeRingsOut() {
        #expect(CallMachine.ringing().effects(of: .timerFired(.ring)).messages == [.reject(487)])
        #expect(CallMachine.hearsRinging().after(.received(.reject(487))).end?.reason == .remoteRingTimeout)
    }
}
