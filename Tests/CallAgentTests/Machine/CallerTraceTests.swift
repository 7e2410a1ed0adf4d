import Testing

@testable import CallAgent

/// A successful call at its caller.
struct CallerTraceTests {
    private var machine = CallMachine(role: .caller, media: .audioVideo)

    @Test("The callee answers while it rings (policies full and guarded): the accept needs no media round trip")
    mutating func progressThenAccept() {
        #expect(
            machine.handle(.place) == [
                .createOffer(.audioVideo), .start(.ring, 30_000), .openSendGates,
                .report(.calling, .placed, by: .local),
            ])
        #expect(
            machine.handle(.offerCreated(sdp: "offer")) == [
                .send(.invite(.init(media: .audioVideo, ringTimeoutMs: 30_000, sdp: "offer")))
            ])
        #expect(machine.handle(.localCandidate(.example)) == [.send(.candidate(.example))])
        #expect(machine.handle(.received(.ringing)) == [.report(.ringing, .ringing, by: .peer)])
        #expect(machine.handle(.received(.progress(sdp: "answer"))) == [.setAnswer(sdp: "answer")])
        #expect(machine.handle(.received(.candidate(.example))) == [.addCandidate(.example)])
        #expect(machine.handle(.iceConnected) == [])
        #expect(machine.handle(.verified) == [])
        #expect(machine.state == .ringing)
        #expect(
            machine.handle(.received(.accept(sdp: nil))) == [
                .cancelTimer(.ring), .start(.connect, 10_000), .report(.connecting, .accepted, by: .peer),
            ])
        #expect(
            machine.handle(.firstVideoFrame) == [
                .cancelTimer(.connect), .openReceiveGates, .report(.connected, .firstFrame, by: .peer),
            ])
        #expect(machine.handle(.firstAudioSample) == [])
        #expect(machine.handle(.firstVideoShown) == [])
        #expect(machine.handle(.firstAudioHeard) == [])
        #expect(machine.handle(.hangUp(text: "bye")) == .end(.localHangup, by: .local, telling: .hangup(9900, "bye")))
        #expect(machine.end == CallEnd(reason: .localHangup, code: 9901, text: "bye", by: .local))
    }

    @Test("The answer is in the accept (policy off): the media starts then")
    mutating func answerInAccept() {
        machine = .hearsRinging()
        #expect(
            machine.handle(.received(.accept(sdp: "answer"))) == [
                .setAnswer(sdp: "answer"), .cancelTimer(.ring), .start(.connect, 10_000),
                .report(.connecting, .accepted, by: .peer),
            ])
        #expect(machine.handle(.received(.candidate(.example))) == [.addCandidate(.example)])
        #expect(machine.handle(.verified) == [])
        #expect(
            machine.handle(.firstVideoFrame) == [
                .cancelTimer(.connect), .openReceiveGates, .report(.connected, .firstFrame, by: .peer),
            ])
    }

    @Test("The first frame arrived while it rang (policy full): the accept makes the call connected")
    mutating func frameBeforeAccept() {
        machine = .hearsRinging().after(.received(.progress(sdp: "answer")), .verified)
        #expect(machine.handle(.firstVideoFrame) == [])
        #expect(machine.state == .ringing)
        #expect(
            machine.handle(.received(.accept(sdp: nil))) == [
                .cancelTimer(.ring), .cancelTimer(.connect),
                .openReceiveGates, .report(.connected, .accepted, by: .peer),
            ])
    }

    @Test("If the ringing was lost, a progress changes the state to ringing")
    mutating func progressWithoutRinging() {
        machine = .calling()
        #expect(
            machine.handle(.received(.progress(sdp: "answer"))) == [
                .setAnswer(sdp: "answer"), .report(.ringing, .ringing, by: .peer),
            ])
        #expect(machine.handle(.received(.ringing)).isNothing, "a ringing after early media changes nothing")
    }

    @Test("The first audio sample makes a call without video connected; video frames do not count")
    mutating func audioOnly() {
        machine = .calling(.audioOnly).after(.received(.ringing), .received(.accept(sdp: "answer")), .verified)
        #expect(machine.handle(.firstVideoFrame) == [])
        #expect(machine.state == .connecting)
        #expect(
            machine.handle(.firstAudioSample) == [
                .cancelTimer(.connect), .openAudioBothWays, .report(.connected, .firstFrame, by: .peer),
            ])
    }

    @Test("Audio does not make a call with video connected")
    mutating func audioIsNotEnoughInAVideoCall() {
        machine = .connecting(.caller)
        #expect(machine.handle(.firstAudioSample) == [])
        #expect(machine.state == .connecting)
    }

    @Test("An accept without any answer ends the call, and the callee gets a message")
    mutating func acceptWithoutAnswer() {
        machine = .hearsRinging()
        let text = "the peer accepted without an answer"
        #expect(
            machine.handle(.received(.accept(sdp: nil)))
                == .end(.incompatibleMedia, by: .peer, telling: .cancel(488, text)))
    }

    @Test("The timers have the configured durations, and the invite has the ring timeout")
    mutating func configuredTimers() {
        var timeouts = CallTimeouts()
        (timeouts.ringMs, timeouts.connectMs, timeouts.mediaLostMs, timeouts.peerGoneMs) = (1, 2, 3, 4)
        machine = CallMachine(role: .caller, media: .audioVideo, timeouts: timeouts)
        #expect(machine.handle(.place).contains(.start(.ring, 1)))
        #expect(
            machine.handle(.offerCreated(sdp: "offer")) == [
                .send(.invite(.init(media: .audioVideo, ringTimeoutMs: 1, sdp: "offer")))
            ])
        #expect(machine.handle(.received(.gone)) == [.start(.peerGone, 4)])
        #expect(machine.handle(.received(.accept(sdp: "answer"))).contains(.start(.connect, 2)))
        _ = machine.handle(.firstVideoFrame)
        #expect(machine.handle(.interrupted).contains(.start(.mediaLost, 3)))
    }
}
