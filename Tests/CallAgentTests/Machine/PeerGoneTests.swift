import Testing

@testable import CallAgent

/// The peer's signaling connection closed.
///
/// E8: a vanished peer ends the call; U10: within seconds.
struct PeerGoneTests {
    @Test("Without a media transport the peer is lost after two seconds")
    func withoutTransport() {
        var caller = CallMachine.hearsRinging()
        #expect(caller.handle(.received(.gone)) == [.start(.peerGone, 2_000)])
        #expect(caller.handle(.timerFired(.peerGone)) == .end(.remoteLost, by: .peer, telling: .cancel(9906)))
        var callee = CallMachine.ringing(.off)
        #expect(callee.handle(.received(.gone)) == [.start(.peerGone, 2_000)])
        #expect(callee.handle(.timerFired(.peerGone)) == .end(.remoteLost, by: .peer, telling: .reject(9906)))
    }

    @Test("A message of the peer within that time keeps the call")
    func wordMeanwhile() {
        var machine = CallMachine.hearsRinging().after(.received(.gone), .received(.progress(sdp: "answer")))
        #expect(machine.handle(.timerFired(.peerGone)).isNothing)
        #expect(machine.state == .ringing)
    }

    @Test("Errors of the server do not count as messages of the peer")
    func errorsMeanwhile() {
        for code in [400, 404, 429, 480] {
            var machine = CallMachine.hearsRinging().after(.received(.gone))
            #expect(machine.handle(.received(.error(code))).isNothing, "the timer runs and must not start anew")
            #expect(machine.handle(.timerFired(.peerGone)) == .end(.remoteLost, by: .peer, telling: .cancel(9906)))
        }
        var machine = CallMachine.hearsRinging().after(.received(.gone))
        #expect(machine.handle(.received(.gone)).isNothing)
    }

    @Test("Gone, back and gone again: the two seconds restart")
    func goneAgain() {
        var machine = CallMachine.hearsRinging().after(.received(.gone), .received(.aCandidate))
        #expect(machine.handle(.received(.gone)) == [.start(.peerGone, 2_000)])
    }

    @Test("A media transport that connects within that time keeps the call")
    func transportMeanwhile() {
        var machine = CallMachine.connecting(.callee).after(.received(.gone))
        #expect(machine.handle(.verified) == [])
        #expect(machine.handle(.timerFired(.peerGone)) == [])
        #expect(machine.state == .connecting)
    }

    @Test("The call continues while media flows", arguments: CallRole.both)
    func withMedia(role: CallRole) {
        var machine = CallMachine.connected(role)
        #expect(machine.handle(.received(.gone)) == [.start(.peerGone, 2_000)])
        #expect(machine.handle(.timerFired(.peerGone)) == [])
        #expect(machine.state == .connected)
    }

    @Test("Gone for two seconds, then no media: lost at once", arguments: CallRole.both)
    func silenceAfterwards(role: CallRole) {
        var machine = CallMachine.connected(role).after(.received(.gone), .timerFired(.peerGone))
        #expect(machine.handle(.interrupted) == .end(.remoteLost, by: .peer, telling: .hangup(9906)))
    }

    @Test("Gone, and no media when the two seconds end: lost", arguments: CallRole.both)
    func silenceMeanwhile(role: CallRole) {
        for events: [CallMachine.Event] in [[.interrupted, .received(.gone)], [.received(.gone), .interrupted]] {
            var machine = CallMachine.connected(role).after(events)
            #expect(machine.state == .reconnecting)
            #expect(machine.handle(.timerFired(.peerGone)) == .end(.remoteLost, by: .peer, telling: .hangup(9906)))
        }
    }

    @Test("After an outage the server hears first that the old connection ended: the call continues")
    func outage() {
        var machine = CallMachine.connected(.caller).after(.interrupted, .received(.gone), .resumed)
        #expect(machine.handle(.timerFired(.peerGone)) == [])
        #expect(machine.state == .connected)
    }

    @Test("A message after gone takes it back: silence is then only an interruption")
    func wordAfterwards() {
        var machine = CallMachine.connected(.caller).after(
            .received(.gone), .timerFired(.peerGone), .received(.aCandidate))
        _ = machine.handle(.interrupted)
        #expect(machine.state == .reconnecting)
    }

    @Test("A ringing callee vanishes while its media flows: lost when the media stops")
    func goneWhileRingingWithMedia() {
        var machine = CallMachine.hearsRinging().after(
            .received(.progress(sdp: "answer")), .verified, .received(.gone), .timerFired(.peerGone))
        #expect(machine.state == .ringing)
        #expect(machine.handle(.interrupted) == .end(.remoteLost, by: .peer, telling: .cancel(9906)))
    }

    @Test("Gone counts for every generation of the peer connection")
    func anyGeneration() {
        var machine = CallMachine.connected(.caller)
        machine.current.number = 2
        _ = machine.handle(.media(.interrupted, generation: 2))
        #expect(machine.handle(.received(.gone, generation: 0)) == [.start(.peerGone, 2_000)])
        #expect(machine.handle(.timerFired(.peerGone)).messages == [.hangup(9906)])
        #expect(machine.end?.reason == .remoteLost)
    }

    @Test("The other end, if it still runs, ends with remoteFailed")
    func otherEnd() {
        var other = CallMachine.connected(.callee)
        #expect(other.handle(.received(.hangup(9906))) == .end(.remoteFailed, by: .peer))
    }
}
