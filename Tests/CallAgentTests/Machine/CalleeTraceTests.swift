import Testing

@testable import CallAgent

/// A successful call at its callee, with each early media policy.
struct CalleeTraceTests {
    private func callee(_ policy: EarlyMediaPolicy) -> CallMachine {
        CallMachine(role: .callee, media: .audioVideo, earlyMedia: policy)
    }

    @Test("full: the callee answers while it rings; its media flows, and its receive gates are closed")
    func full() {
        var machine = callee(.full)
        #expect(
            machine.handle(.received(.anInvite)) == [
                .send(.ringing), .createAnswer(offer: "offer", .audioVideo), .start(.ring, 30_000),
                .openSendGates, .report(.ringing, .invited, by: .peer),
            ])
        #expect(machine.handle(.answerCreated(sdp: "answer")) == [.send(.progress(sdp: "answer"))])
        #expect(machine.handle(.localCandidate(.example)) == [.send(.candidate(.example))])
        #expect(machine.handle(.received(.candidate(.example))) == [.addCandidate(.example)])
        #expect(machine.handle(.verified) == [])
        #expect(machine.handle(.firstVideoFrame) == [])
        #expect(
            machine.handle(.accept) == [
                .send(.accept(sdp: nil)), .cancelTimer(.ring), .cancelTimer(.connect), .openReceiveGates,
                .report(.connected, .accepted, by: .local),
            ])
        #expect(
            machine.handle(.received(.hangup(9900, "bye"))) == .end(.remoteHangup, by: .peer),
            "an end by the peer sends no farewell")
        #expect(machine.end == CallEnd(reason: .remoteHangup, code: 9900, text: "bye", by: .peer))
    }

    @Test("guarded: the transport connects while it rings, and the callee sends nothing before the accept (E5, U8)")
    func guarded() {
        var machine = callee(.guarded)
        #expect(
            machine.handle(.received(.anInvite)) == [
                .send(.ringing), .createAnswer(offer: "offer", .audioVideo), .start(.ring, 30_000),
                .report(.ringing, .invited, by: .peer),
            ])
        #expect(machine.handle(.answerCreated(sdp: "answer")) == [.send(.progress(sdp: "answer"))])
        #expect(machine.handle(.verified) == [])
        #expect(machine.handle(.firstVideoFrame) == [])
        #expect(machine.state == .ringing)
        #expect(
            machine.handle(.accept) == [
                .send(.accept(sdp: nil)), .cancelTimer(.ring), .cancelTimer(.connect), .openReceiveGates,
                .report(.connected, .accepted, by: .local),
            ])
    }

    @Test("off: only ringing is sent before the accept, and the answer is sent with the accept")
    func off() {
        var machine = callee(.off)
        #expect(
            machine.handle(.received(.anInvite)) == [
                .send(.ringing), .start(.ring, 30_000), .report(.ringing, .invited, by: .peer),
            ])
        #expect(
            machine.handle(.accept) == [
                .createAnswer(offer: "offer", .audioVideo), .cancelTimer(.ring), .start(.connect, 10_000),
                .openSendGates, .report(.connecting, .accepted, by: .local),
            ])
        #expect(machine.handle(.answerCreated(sdp: "answer")) == [.send(.accept(sdp: "answer"))])
        #expect(machine.handle(.localCandidate(.example)) == [.send(.candidate(.example))])
        #expect(machine.handle(.verified) == [])
        #expect(
            machine.handle(.firstVideoFrame) == [
                .cancelTimer(.connect), .openReceiveGates, .report(.connected, .firstFrame, by: .peer),
            ])
    }

    @Test("off: the callee sends no candidates before the accept")
    func offKeepsTheAddresses() {
        var machine = CallMachine.ringing(.off)
        #expect(machine.handle(.localCandidate(.example)).isNothing)
        #expect(machine.handle(.answerCreated(sdp: "answer")).isNothing)
        #expect(machine.handle(.accept).contains(.createAnswer(offer: "offer", .audioVideo)))
        #expect(machine.handle(.localCandidate(.example)).messages == [.aCandidate])
    }

    @Test(
        "Accepted before the answer is created: the accept has it", arguments: [EarlyMediaPolicy.full, .guarded])
    func acceptBeforeTheAnswer(policy: EarlyMediaPolicy) {
        var machine = CallMachine.ringing(policy)
        #expect(
            machine.handle(.accept) == [
                .cancelTimer(.ring), .start(.connect, 10_000),
            ] + (policy == .full ? [] : [.openSendGates]) + [.report(.connecting, .accepted, by: .local)])
        #expect(machine.handle(.answerCreated(sdp: "answer")) == [.send(.accept(sdp: "answer"))])
    }

    @Test("Accepted before the first frame: connected by the frame", arguments: [EarlyMediaPolicy.full, .guarded])
    func acceptBeforeTheFrame(policy: EarlyMediaPolicy) {
        var machine = CallMachine.ringing(policy).after(.answerCreated(sdp: "answer"), .verified)
        #expect(
            machine.handle(.accept) == [
                .send(.accept(sdp: nil)), .cancelTimer(.ring), .start(.connect, 10_000),
            ] + (policy == .full ? [] : [.openSendGates]) + [.report(.connecting, .accepted, by: .local)])
        #expect(
            machine.handle(.firstVideoFrame) == [
                .cancelTimer(.connect), .openReceiveGates, .report(.connected, .firstFrame, by: .peer),
            ])
    }

    @Test("The callee uses the shorter of the two ring timeouts", arguments: [(5_000, 5_000), (60_000, 30_000)])
    func ringTimeout(invited: Int, expected: Int) {
        var machine = callee(.guarded)
        let invite = SignalingMessage.Invite(media: .audioVideo, ringTimeoutMs: invited, sdp: "offer")
        #expect(machine.handle(.received(.invite(invite))).contains(.start(.ring, expected)))
    }

    @Test("The first audio sample makes a call without video connected")
    func audioOnly() {
        var machine = CallMachine.ringing(.guarded, .audioOnly).after(.answerCreated(sdp: "answer"), .verified)
        #expect(machine.handle(.firstVideoFrame) == [])
        #expect(machine.handle(.firstAudioSample) == [])
        #expect(machine.handle(.accept).contains(.report(.connected, .accepted, by: .local)))
    }
}
