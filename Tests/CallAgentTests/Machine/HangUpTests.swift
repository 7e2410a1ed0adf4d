import Testing

@testable import CallAgent

/// Hanging up is legal everywhere.
struct HangUpTests {
    @Test("Before the accept it is a cancel", arguments: [CallMachine.calling(), .hearsRinging()])
    func callerBeforeAccept(machine: CallMachine) {
        var machine = machine
        #expect(machine.handle(.hangUp) == .end(.localCancelled, by: .local, telling: .cancel(9900)))
    }

    @Test("While it rings at the callee it is a reject", arguments: EarlyMediaPolicy.allCases)
    func calleeWhileRinging(policy: EarlyMediaPolicy) {
        var machine = CallMachine.ringing(policy)
        #expect(machine.handle(.hangUp) == .end(.localRejected, by: .local, telling: .reject(603)))
    }

    @Test("After the accept it is a hangup, whether connecting, connected or reconnecting", arguments: CallRole.both)
    func afterAccept(role: CallRole) {
        for state in [
            CallMachine.connecting(role), .connected(role), .connected(role).after(.interrupted),
        ] {
            var machine = state
            #expect(machine.handle(.hangUp) == .end(.localHangup, by: .local, telling: .hangup(9900)))
            #expect(machine.handle(.hangUp) == [], "a second hang-up says nothing")
        }
    }

    @Test("A callee that accepted but whose accept has not gone out refuses: for the caller it still rings")
    func beforeTheAnswer() {
        var machine = CallMachine.ringing(.off).after(.accept)
        #expect(machine.handle(.hangUp) == .end(.localRejected, by: .local, telling: .reject(603)))
        #expect(machine.handle(.answerCreated(sdp: "late")) == [], "the answer comes too late to be sent")
    }

    @Test("The peer may hang up in every state as well", arguments: CallRole.both)
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
