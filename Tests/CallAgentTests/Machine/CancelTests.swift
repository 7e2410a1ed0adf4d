import Testing

@testable import CallAgent

/// Messages that cross.
struct CancelTests {
    @Test("A cancel that crosses the accept ends the call at both ends, and the late accept is ignored")
    func cancelCrossesAccept() {
        var caller = CallMachine.hearsRinging()
        var callee = CallMachine.ringing().after(.answerCreated(sdp: "answer"))
        #expect(caller.handle(.hangUp) == .end(.localCancelled, by: .local, telling: .cancel(9900)))
        #expect(callee.handle(.accept).messages == [.accept(sdp: nil)])
        #expect(callee.handle(.received(.cancel(9900))) == .end(.remoteCancelled, by: .peer))
        #expect(caller.handle(.received(.accept(sdp: nil))) == [])
    }

    @Test("A cancel that crosses the accept also ends the call of a connected callee")
    func cancelReachesAConnectedCallee() {
        var callee = CallMachine.connected(.callee)
        #expect(callee.handle(.received(.cancel(487))) == .end(.remoteRingTimeout, by: .peer))
    }

    @Test("E7: an accept after the cancel does nothing")
    func acceptAfterCancel() {
        var callee = CallMachine.ringing().after(.received(.cancel(9900)))
        #expect(callee.handle(.accept) == [])
        #expect(callee.state == .ended)
    }

    @Test("A cancel that crosses the reject: each end keeps its own reason")
    func cancelCrossesReject() {
        var caller = CallMachine.hearsRinging().after(.hangUp)
        var callee = CallMachine.ringing().after(.decline)
        #expect(caller.handle(.received(.reject(603))) == [])
        #expect(callee.handle(.received(.cancel(9900))) == [])
        #expect(caller.end?.reason == .localCancelled)
        #expect(callee.end?.reason == .localRejected)
    }

    @Test("Hangups that cross: each end keeps its own reason", arguments: CallRole.both)
    func hangupsCross(role: CallRole) {
        var machine = CallMachine.connected(role).after(.hangUp)
        #expect(machine.handle(.received(.hangup(9900))) == [])
        #expect(machine.end?.reason == .localHangup)
    }

    @Test("U13: an early reject ends the caller's call")
    func rejectBeforeRinging() {
        var caller = CallMachine.calling()
        #expect(caller.handle(.received(.reject(603, "no"))) == .end(.remoteRejected, by: .peer))
        #expect(caller.end == CallEnd(reason: .remoteRejected, code: 603, text: "no", by: .peer))
    }
}
