import Testing

@testable import CallAgent

/// Media stops and may resume.
///
/// U17: reconnecting is a separate state.
struct InterruptionTests {
    @Test("An interruption is reconnecting, and resumed media is connected", arguments: CallRole.both)
    func interruptedAndResumed(role: CallRole) {
        var machine = CallMachine.connected(role)
        for _ in 0..<2 {
            #expect(
                machine.handle(.interrupted) == [
                    .start(.mediaLost, 30_000), .report(.reconnecting, .interrupted, by: .peer),
                ])
            #expect(
                machine.handle(.resumed) == [
                    .cancelTimer(.mediaLost), .report(.connected, .resumed, by: .peer),
                ])
        }
    }

    @Test("A long interruption ends the call", arguments: CallRole.both)
    func mediaLost(role: CallRole) {
        var machine = CallMachine.connected(role).after(.interrupted)
        #expect(machine.handle(.timerFired(.mediaLost)) == .end(.mediaLost, by: .peer, telling: .hangup(9906)))
    }

    @Test("A repeated event does not restart the timer and is not reported again")
    func repeatedEvent() {
        var machine = CallMachine.connected(.caller).after(.interrupted)
        #expect(machine.handle(.interrupted) == [])
        #expect(machine.handle(.resumed) == [.cancelTimer(.mediaLost), .report(.connected, .resumed, by: .peer)])
        #expect(machine.handle(.resumed) == [])
    }

    @Test("A late timer does not end a call that resumed")
    func lateTimer() {
        var machine = CallMachine.connected(.caller).after(.interrupted, .resumed)
        #expect(machine.handle(.timerFired(.mediaLost)).isNothing)
        #expect(machine.state == .connected)
    }

    @Test("After an interruption the call does not wait for a new first frame")
    func noNewFirstFrame() {
        let machine = CallMachine.connected(.caller).after(.interrupted, .resumed)
        #expect(machine.state == .connected)
    }

    @Test("Silence before the accept changes no state; after the accept the call waits for the first frame")
    func silentAtAccept() {
        var machine = CallMachine.ringing().after(.answerCreated(sdp: "answer"), .verified, .firstVideoFrame)
        #expect(machine.handle(.interrupted).isNothing)
        #expect(machine.state == .ringing)
        #expect(
            machine.handle(.accept) == [
                .send(.accept(sdp: nil)), .cancelTimer(.ring), .start(.connect, 10_000), .openSendGates,
                .report(.connecting, .accepted, by: .local),
            ])
        #expect(
            machine.handle(.resumed) == [
                .cancelTimer(.connect), .openReceiveGates, .report(.connected, .firstFrame, by: .peer),
            ])
    }

    @Test(
        "Audio that paused while the call rang causes no reconnecting at the accept",
        arguments: CallRole.both)
    func noFlash(role: CallRole) {
        var machine =
            role == .caller
            ? CallMachine.hearsRinging().after(.received(.progress(sdp: "answer")))
            : .ringing().after(.answerCreated(sdp: "answer"))
        machine = machine.after(.verified, .firstAudioSample, .firstVideoFrame, .interrupted)
        machine = machine.after(role == .caller ? .received(.accept(sdp: nil)) : .accept)
        #expect(machine.state == .connecting)
        #expect(machine.after(.resumed).state == .connected)
        var silent = machine
        #expect(silent.handle(.timerFired(.connect)) == .end(.connectTimeout, by: .local, telling: .hangup(408)))
    }

    @Test("A call that gets no video within the connect timeout says that audio arrived")
    func audioAlone() {
        var machine = CallMachine.connecting(.caller).after(.verified, .firstAudioSample)
        _ = machine.handle(.timerFired(.connect))
        #expect(machine.end == CallEnd(reason: .connectTimeout, text: "audio arrived, but no video", by: .local))
    }

    @Test("Silence while connecting changes nothing; the connect timer ends the call")
    func silentWhileConnecting() {
        var machine = CallMachine.connecting(.caller)
        #expect(machine.handle(.interrupted).isNothing)
        #expect(machine.handle(.timerFired(.mediaLost)).isNothing)
        #expect(machine.handle(.resumed).isNothing)
        #expect(machine.state == .connecting)
        #expect(machine.handle(.timerFired(.connect)) == .end(.connectTimeout, by: .local, telling: .hangup(408)))
    }
}
