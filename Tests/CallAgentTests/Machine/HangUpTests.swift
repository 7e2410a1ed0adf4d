import Testing

@testable import CallAgent

/// Hanging up is allowed in every state.
struct HangUpTests {
    @Test("A caller's hang-up before the accept is a cancel", arguments: [CallMachine.calling(), .hearsRinging()])
    func callerBeforeAccept(machine: CallMachine) {
        var machine = machine
        #expect(machine.handle(.hangUp) == .end(.localCancelled, by: .local, telling: .cancel(9900)))
    }

    @Test("A callee's hang-up while it rings is a reject", arguments: EarlyMediaPolicy.allCases)
    func calleeWhileRinging(policy: EarlyMediaPolicy) {
        var machine = CallMachine.ringing(policy)
        #expect(machine.handle(.hangUp) == .end(.localRejected, by: .local, telling: .reject(603)))
    }

    @Test("A hang-up after the accept is a hangup, also in connecting and reconnecting", arguments: CallRole.both)
    func afterAccept(role: CallRole) {
        for state in [
            CallMachine.connecting(role), .connected(role), .connected(role).after(.interrupted),
        ] {
            var machine = state
            #expect(machine.handle(.hangUp) == .end(.localHangup, by: .local, telling: .hangup(9900)))
            #expect(machine.handle(.hangUp) == [], "a second hang-up sends nothing")
        }
    }

    @Test("A callee's hang-up before its accept was sent is a reject")
    func beforeTheAnswer() {
        var machine = CallMachine.ringing(.off).after(.accept)
        #expect(machine.handle(.hangUp) == .end(.localRejected, by: .local, telling: .reject(603)))
        #expect(machine.handle(.answerCreated(sdp: "late")) == [], "the answer is too late to be sent")
    }

    @Test("The peer may hang up in every state", arguments: CallRole.both)
    func peerHangsUp(role: CallRole) {
        let early: [CallMachine] = role == .caller ? [.calling(), .hearsRinging()] : [.ringing(.off), .ringing()]
        for state in early + [.connecting(role), .connected(role), .connected(role).after(.interrupted)] {
            var machine = state
            #expect(machine.handle(.received(.hangup(9900))) == .end(.remoteHangup, by: .peer))
        }
    }

    @Test("E7: only the callee can accept or reject, and only while it rings")
    func whoMayAccept() {
        var caller = CallMachine.hearsRinging()
        #expect(caller.handle(.accept).isNothing)
        #expect(caller.handle(.decline).isNothing)
        #expect(caller == .hearsRinging())
        for state in [CallMachine.connecting(.callee), .connected(.callee)] {
            var callee = state
            #expect(callee.handle(.accept).isNothing)
            #expect(callee.handle(.decline).isNothing)
            #expect(callee == state)
        }
        var callee = CallMachine.ringing()
        #expect(callee.handle(.place).isNothing)
    }
}
