import Testing

@testable import CallAgent

/// Odd cases of a call product in the field, and what this product does; see ``KnownDefects``.
struct KnownCaseTests {
    @Test("C1: after glare both ends use the room of the call that remains")
    func glareRoom() {
        // The room is part of the invite. The machine keeps only the invite with the lower id.
        var routing = CallRouting(limit: 1)
        routing.list("b", .init(peer: "bob", role: .caller, state: .calling))
        #expect(routing.route(.anInvite, call: "a") == .yield("b"))
        #expect(CallMachine.calling().effects(of: .yield(to: .example, device: nil)).contains(.adoptCall))
    }

    @Test("C2: glare with a lost invite: the lower id does not yield and repeats its invite")
    func oneSidedGlare() {
        var lower = CallRouting(limit: 1)
        lower.list("a", .init(peer: "bob", role: .caller, state: .calling))
        #expect(lower.route(.anInvite, call: "b").isStray)
        var end = DeliveryEnd()
        let lost = end.send(.anInvite)
        #expect(end.elapse(500).map(\.action) == lost, "the own invite is repeated and makes the other end yield")
    }

    @Test("C3: the caller shows nothing of the callee before the callee accepts")
    func bothMustWant() {
        let early = CallMachine.hearsRinging().after(.received(.progress(sdp: "a")), .verified, .firstVideoFrame)
        #expect(early.state == .ringing)
        #expect(!early.effects(of: .firstVideoShown).contains { $0.opensReceiveGates })
    }

    @Test("C4: a busy reject has the id of the refused call")
    func busy() {
        var routing = CallRouting(limit: 1)
        routing.list("c1", .init(peer: "bob", role: .caller, state: .connected))
        #expect(routing.route(.anInvite, call: "c2", from: "carol") == .busy, "the answer has the id of the invite")
        #expect(CallMachine.calling().after(.received(.reject(486))).end?.reason == .remoteBusy)
    }

    @Test("C5: cancel and accept cross: the call ends at both ends")
    func cancelCrossesAccept() {
        for callee in [CallMachine.connecting(.callee), .connected(.callee)] {
            #expect(callee.after(.received(.cancel(9900))).end?.reason == .remoteCancelled)
        }
        #expect(CallMachine.hearsRinging().after(.hangUp).effects(of: .received(.accept(sdp: "x"))).isEmpty)
    }

    @Test("C6: accept after a cancel is refused with a reason")
    func acceptAfterCancel() {
        let ended = CallMachine.ringing().after(.received(.cancel(9900)))
        #expect(ended.refusal(of: .accept) == "accept does not apply to a callee in ended")
        #expect(ended.effects(of: .accept).isEmpty)
    }

    @Test("C7: a second accept, or an accept by the caller, does nothing")
    func doubleAccept() {
        #expect(CallMachine.connecting(.callee).effects(of: .accept).messages.isEmpty)
        #expect(CallMachine.connecting(.caller).effects(of: .received(.accept(sdp: "x"))).isNothing)
        #expect(CallMachine.hearsRinging().refusal(of: .accept) != nil)
    }

    @Test("C8: a duplicated invite does nothing while the call rings")
    func duplicateWhileRinging() {
        #expect(CallMachine.ringing().effects(of: .received(.anInvite)).isNothing)
    }

    @Test("C9: a duplicated invite after the accept changes nothing and starts no timer")
    func duplicateLater() {
        for machine in [CallMachine.connecting(.callee), .connected(.callee), .answering()] {
            #expect(machine.effects(of: .received(.anInvite)).isNothing)
        }
    }

    @Test("C10: a message of another call does not reach this call")
    func otherCall() {
        var routing = CallRouting(limit: 1)
        routing.list("c2", .init(peer: "bob", role: .callee, state: .connected))
        for body in EventKinds.bodies { #expect(routing.route(body, call: "c1") != .call("c2")) }
    }

    @Test(
        "C11: a duplicated message is dropped, and an old invite does not ring"
    )
    func duplicatesAndExpiry() {
        var end = DeliveryEnd(device: "tv")
        #expect(end.receive(.ofBob(1)).delivered.count == 1)
        #expect(end.receive(.ofBob(1)).delivered.isEmpty)
        var routing = CallRouting(limit: 1)
        #expect(routing.route(.anInvite, call: "c1", sentUnixMs: 1, unixMs: 33_000) == .expired(milliseconds: 32_999))
    }

    @Test("C12: a peer that went offline ends the call once its media is silent")
    func remoteOffline() {
        #expect(
            CallMachine.connected(.callee).after(.received(.gone), .timerFired(.peerGone), .interrupted).end?.reason
                == .remoteLost)
        let offline = CallMachine.connected(.callee).after(.received(.error(480)), .interrupted)
        #expect(offline.state == .reconnecting)
        #expect(offline.after(.timerFired(.mediaLost)).end?.reason == .mediaLost)
    }

    @Test("C13: without a first frame each end ends the call with its own reason")
    func noFirstFrame() {
        #expect(CallMachine.connecting(.caller).after(.timerFired(.connect)).end?.reason == .connectTimeout)
        #expect(CallMachine.connecting(.callee).after(.received(.hangup(408))).end?.reason == .remoteConnectTimeout)
    }

    @Test("C14: an accept or farewell that could not be sent is sent when the connection is back")
    func sendFailures() {
        var end = DeliveryEnd()
        end.delivery.connectionLost()
        #expect(end.send(.accept(sdp: "x")).isEmpty)
        #expect(end.send(.hangup(9900), call: "c2").isEmpty)
        #expect(end.delivery.connectionRestored(at: 10).transmitted.count == 2)
    }

    @Test("C17: a late first frame of a closed connection is ignored")
    func lateFirstFrame() {
        var machine = CallMachine.committed(.caller).after(.received(.commit, generation: 1))
        let before = machine
        #expect(machine.handle(.media(.firstVideoFrame, generation: 0)).isNothing)
        #expect(machine == before)
    }

    @Test("C19: a callee whose ring timer fires sends a reject with 487, and the caller gets that reason")
    func calleeRingsOut() {
        #expect(CallMachine.ringing().effects(of: .timerFired(.ring)).messages == [.reject(487)])
        #expect(CallMachine.hearsRinging().after(.received(.reject(487))).end?.reason == .remoteRingTimeout)
    }
}
