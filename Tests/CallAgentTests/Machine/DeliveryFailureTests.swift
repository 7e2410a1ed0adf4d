import Testing

@testable import CallAgent

/// Errors of the server or the peer about messages that failed.
struct DeliveryFailureTests {
    @Test(
        "An invite that cannot be delivered ends the call with the reason",
        arguments: [
            (404, .unknownUser), (480, .offline), (400, .signalingFailed), (413, .signalingFailed),
            (426, .signalingFailed), (429, .signalingFailed), (77_777, .signalingFailed),
        ] as [(Int, EndReason)])
    func invite(code: Int, reason: EndReason) {
        var machine = CallMachine.calling()
        #expect(machine.handle(.received(.error(code, "so"))) == .end(reason, by: .peer), "no farewell is sent")
        #expect(machine.end == CallEnd(reason: reason, code: code, text: "so", by: .peer))
    }

    @Test(
        "After a reply of the callee, one message error does not end the call", arguments: [400, 404, 413, 426, 429])
    func later(code: Int) {
        for state in [
            CallMachine.hearsRinging(), .ringing(), .connecting(.caller), .connecting(.callee), .connected(.caller),
        ] {
            var machine = state
            #expect(machine.handle(.received(.error(code))).isNothing)
            #expect(machine.state == state.state)
        }
    }

    @Test("E8: error 480 (peer offline) counts as gone, but changes nothing once the call is connected")
    func offlineLater() {
        var ringing = CallMachine.hearsRinging()
        #expect(ringing.handle(.received(.error(480))) == [.start(.peerGone, 2_000)])
        #expect(ringing.handle(.timerFired(.peerGone)) == .end(.remoteLost, by: .peer, telling: .cancel(9906)))
        var connected = CallMachine.connected(.callee)
        #expect(connected.handle(.received(.error(480))).isNothing)
        _ = connected.handle(.interrupted)
        #expect(connected.handle(.received(.error(480))).isNothing)
        #expect(connected.state == .reconnecting)
    }

    @Test("E10: an invite that the transport did not take ends the call")
    func sendFailed() {
        var machine = CallMachine.calling()
        #expect(machine.handle(.inviteFailed(text: "down")) == .end(.signalingFailed, by: .local))
        #expect(machine.end == CallEnd(reason: .signalingFailed, code: 9906, text: "down", by: .local))
    }

    @Test(
        "Later messages that are not sent are logged",
        arguments: [
            CallMachine.hearsRinging(), .ringing(), .connected(.caller), .connected(.callee),
        ])
    func sendFailedLater(machine: CallMachine) {
        var copy = machine
        #expect(copy.handle(.inviteFailed(text: "down")) == [.ignored("a message was not sent: down")])
        #expect(copy == machine)
    }
}
