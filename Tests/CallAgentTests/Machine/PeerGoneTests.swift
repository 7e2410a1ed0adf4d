import Testing

@testable import CallAgent

/// The peer's signaling connection closed (E8: a peer that vanishes ends the call, U10: within seconds).
struct PeerGoneTests {
    @Test("Without a transport nothing tells whether the peer lives: two seconds, then it is lost")
    func withoutTransport() {
        var caller = CallMachine.hearsRinging()
        #expect(caller.handle(.received(.gone)) == [.start(.peerGone, 2_000)])
        #expect(caller.handle(.timerFired(.peerGone)) == .end(.remoteLost, by: .peer, telling: .cancel(9906)))
        var callee = CallMachine.ringing(.off)
        #expect(callee.handle(.received(.gone)) == [.start(.peerGone, 2_000)])
        #expect(callee.handle(.timerFired(.peerGone)) == .end(.remoteLost, by: .peer, telling: .reject(9906)))
    }

    @Test("A word of the peer meanwhile shows that it lives")
    func wordMeanwhile() {
        var machine = CallMachine.hearsRinging().after(.received(.gone), .received(.progress(sdp: "answer")))
        #expect(machine.handle(.timerFired(.peerGone)).isNothing)
        #expect(machine.state == .ringing)
    }

    @Test("The server's errors are no words of the peer, and do not put the end off")
    func errorsMeanwhile() {
        for code in [400, 404, 429, 480] {
            var machine = CallMachine.hearsRinging().after(.received(.gone))
            #expect(machine.handle(.received(.error(code))).isNothing, "the timer runs and must not start anew")
            #expect(machine.handle(.timerFired(.peerGone)) == .end(.remoteLost, by: .peer, telling: .cancel(9906)))
        }
        var machine = CallMachine.hearsRinging().after(.received(.gone))
        #expect(machine.handle(.received(.gone)).isNothing)
    }

    @Test("Gone, back and gone again: the two seconds start anew")
    func goneAgain() {
        var machine = CallMachine.hearsRinging().after(.received(.gone), .received(.aCandidate))
        #expect(machine.handle(.received(.gone)) == [.start(.peerGone, 2_000)])
    }

    @Test("A transport that comes up meanwhile shows that it lives")
    func transportMeanwhile() {
        var machine = CallMachine.connecting(.callee).after(.received(.gone))
        #expect(machine.handle(.verified) == [.cancelTimer(.peerGone)])
        #expect(machine.handle(.timerFired(.peerGone)).isNothing)
        #expect(machine.state == .connecting)
    }

    @Test("With media flowing the call goes on", arguments: CallRole.both)
    func withMedia(role: CallRole) {
        var machine = CallMachine.connected(role)
        #expect(machine.handle(.received(.gone)) == [])
        #expect(machine.state == .connected)
    }

    @Test("Gone, then silence: lost at once", arguments: CallRole.both)
    func silenceAfterwards(role: CallRole) {
        var machine = CallMachine.connected(role).after(.received(.gone))
        #expect(machine.handle(.interrupted) == .end(.remoteLost, by: .peer, telling: .hangup(9906)))
    }

    @Test("Silence, then gone: lost at once", arguments: CallRole.both)
    func silenceBefore(role: CallRole) {
        var machine = CallMachine.connected(role).after(.interrupted)
        #expect(machine.handle(.received(.gone)) == .end(.remoteLost, by: .peer, telling: .hangup(9906)))
    }

    @Test("Silence that is over does not count")
    func silenceThatIsOver() {
        var machine = CallMachine.connected(.caller).after(.interrupted, .resumed)
        #expect(machine.handle(.received(.gone)) == [])
        #expect(machine.state == .connected)
    }

    @Test("A word after the gone takes it back: silence is only an interruption then")
    func wordAfterwards() {
        var machine = CallMachine.connected(.caller).after(.received(.gone), .received(.aCandidate))
        _ = machine.handle(.interrupted)
        #expect(machine.state == .reconnecting)
    }

    @Test("A callee that vanishes while it rings, with media there: lost at the silence")
    func goneWhileRingingWithMedia() {
        var machine = CallMachine.hearsRinging().after(
            .received(.progress(sdp: "answer")), .verified, .received(.gone))
        #expect(machine.state == .ringing)
        #expect(machine.handle(.interrupted) == .end(.remoteLost, by: .peer, telling: .cancel(9906)))
    }

    @Test("It is about the user, whichever peer connection the call is at")
    func anyGeneration() {
        var machine = CallMachine.connected(.caller)
        machine.current.number = 2
        _ = machine.handle(.media(.interrupted, generation: 2))
        #expect(machine.handle(.received(.gone, generation: 0)).messages == [.hangup(9906)])
        #expect(machine.end?.reason == .remoteLost)
    }

    @Test("What the other end makes of it, should it live")
    func otherEnd() {
        var other = CallMachine.connected(.callee)
        #expect(other.handle(.received(.hangup(9906))) == .end(.remoteFailed, by: .peer))
    }
}
