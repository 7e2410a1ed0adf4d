import Testing

@testable import CallAgent

/// What each end sends, and how the other end gets that state.
struct MediaStateTests {
    private let cameraOff = MediaState(video: .off)

    @Test("The invite has the media state if something is off, and its gate stays closed")
    func invite() {
        var machine = CallMachine(role: .caller, media: .audioVideo, sends: cameraOff)
        #expect(machine.handle(.place).contains(.setGates(.init(audio: .live, video: .off))))
        let messages = machine.handle(.offerCreated(sdp: "offer")).messages
        #expect(
            messages == [.invite(.init(media: .audioVideo, ringTimeoutMs: 30_000, sdp: "offer", state: cameraOff))])
        var usual = CallMachine(role: .caller, media: .audioVideo).after(.place)
        #expect(usual.handle(.offerCreated(sdp: "offer")).messages == [.anInvite], "if all is on, no state is sent")
    }

    @Test("What has no source is off, whatever the user wants; who turns it on gets a reason")
    func sourceless() {
        let fault = CaptureFault(
            medium: .video, cause: .notFound, text: "this end has no video source", remedy: "choose a source first")
        var machine = CallMachine(role: .callee, media: .audioVideo, sends: cameraOff, sourceless: [.video]).after(
            .received(.anInvite), .answerCreated(sdp: "answer"))
        #expect(machine.handle(.setSending(audio: nil, video: .muted)) == [])
        #expect(machine.handle(.accept).messages == [.accept(sdp: nil, state: cameraOff)])
        machine = machine.after(.verified, .firstVideoFrame)
        #expect(machine.handle(.setSending(audio: nil, video: .on)) == [.notify(.captureFailed(fault))])
        #expect(machine.sends == cameraOff)
        // The choice of a source is enough then.
        #expect(machine.handle(.setSource(.video)).messages == [.state(.init())])
        #expect(machine.handle(.setSending(audio: nil, video: .muted)).messages == [.state(.init(video: .muted))])
    }

    @Test("An end without a camera asks for video, which only the peer sends")
    func asksWithoutCamera() {
        let machine = CallMachine(role: .caller, media: .audioOnly, sends: cameraOff, sourceless: [.video]).after(
            .place, .offerCreated(sdp: "o"), .received(.ringing), .received(.accept(sdp: "a")), .verified,
            .firstAudioSample, .changeMedia(.audioVideo), .media(.offerCreated(sdp: "o1"), generation: 1),
            .received(.answer(sdp: "a1"), generation: 1), .media(.verified, generation: 1),
            .media(.firstVideoFrame, generation: 1), .received(.commit, generation: 1))
        #expect(machine.media.video && machine.sends == cameraOff)
    }

    @Test("A change before the invite is sent with it; a later change is sent as a state message")
    func callerChanges() {
        var machine = CallMachine(role: .caller, media: .audioVideo).after(.place)
        #expect(machine.handle(.setSending(audio: .muted, video: nil)).messages.isEmpty)
        guard case .invite(let invite) = machine.handle(.offerCreated(sdp: "o")).messages.first else {
            Issue.record("no invite")
            return
        }
        #expect(invite.state == .init(audio: .muted))
        #expect(machine.handle(.setSending(audio: .on, video: nil)).messages == [.state(.init())])
        #expect(machine.handle(.setSending(audio: .on, video: .on)) == [], "nothing new")
    }

    @Test(
        "The accept has the callee's media state; before it the callee sends media only with full early media",
        arguments: EarlyMediaPolicy.allCases)
    func callee(policy: EarlyMediaPolicy) {
        var machine = CallMachine.ringing(policy)
        if policy != .off { _ = machine.handle(.answerCreated(sdp: "answer")) }
        let early = machine.handle(.setSending(audio: nil, video: .off))
        #expect(early.messages.isEmpty)
        #expect(early.contains { $0.opensSendGates } == (policy == .full))
        let accepted = machine.handle(.accept).messages + machine.handle(.answerCreated(sdp: "answer")).messages
        #expect(accepted == [.accept(sdp: policy == .off ? "answer" : nil, state: cameraOff)])
        #expect(machine.handle(.setSending(audio: nil, video: .on)).messages == [.state(.init())])
    }

    @Test("A change between accept() and the answer is sent in the accept only")
    func changesBeforeTheAnswer() {
        var machine = CallMachine.ringing(.off).after(.accept)
        #expect(machine.handle(.setSending(audio: .muted, video: nil)).messages.isEmpty)
        #expect(
            machine.handle(.answerCreated(sdp: "a")).messages == [.accept(sdp: "a", state: .init(audio: .muted))])
    }

    @Test(
        "Muted sends silence and black frames; off closes the devices",
        arguments: [
            (MediaState.Sending.on, MediaGates.Sending.live), (.muted, .blank), (.off, .off),
        ])
    func gates(sending: MediaState.Sending, gate: MediaGates.Sending) {
        var machine = CallMachine.connected(.caller).after(.setSending(audio: .off, video: .muted))
        let effects = machine.handle(.setSending(audio: sending, video: sending))
        #expect(effects.contains(.setGates(.init(audio: gate, video: gate, isReceiving: true))))
        #expect(machine.sends == .init(audio: sending, video: sending))
    }

    @Test(
        "A track that cannot be captured is reported as off until the user turns it on again",
        arguments: CallRole.both)
    func captureFails(role: CallRole) {
        let failed = CallMachine.Event.media(.captureFailed(.unplugged), generation: 0)
        var machine = CallMachine.connected(role)
        #expect(
            machine.handle(failed) == [
                .send(.state(cameraOff)), .setGates(.init(audio: .live, video: .off, isReceiving: true)),
                .notify(.captureFailed(.unplugged)),
            ])
        #expect(
            machine.handle(.setSending(audio: nil, video: .on)) == [.send(.state(.init())), .openReceiveGates])
        var ringing = CallMachine.ringing(.guarded).after(.answerCreated(sdp: "answer"), failed)
        #expect(ringing.handle(.accept).messages == [.accept(sdp: nil, state: cameraOff)])
    }

    @Test("The peer's media state is kept and reported, from an invite, progress, accept or state message")
    func peer() {
        let muted = MediaState(audio: .muted)
        let invite = SignalingMessage.Invite(media: .audioVideo, ringTimeoutMs: 1, sdp: "o", state: muted)
        let callee = CallMachine(role: .callee, media: .audioVideo).after(.received(.invite(invite)))
        #expect(callee.peerSends == muted)
        for body in [
            SignalingMessage.Body.progress(sdp: "a", state: muted), .accept(sdp: "a", state: muted), .state(muted),
        ] {
            var caller = CallMachine.hearsRinging()
            #expect(caller.handle(.received(body)).contains(.notify(.peerMediaChanged(muted))))
            #expect(caller.peerSends == muted)
        }
    }

    // MARK: Connected by the peer's media

    @Test("D11, E13: if the peer's camera is off, its audio makes the call connected", arguments: CallRole.both)
    func cameraOffPeer(role: CallRole) {
        var machine = CallMachine.connecting(role).after(.received(.state(cameraOff)), .verified)
        #expect(machine.state == .connecting)
        #expect(machine.handle(.firstAudioSample).last == .report(.connected, .firstFrame, by: .peer))
    }

    @Test("If the peer turns its camera off after its audio arrived, the call is connected at once")
    func cameraGoesOff() {
        var machine = CallMachine.connecting(.caller).after(.verified, .firstAudioSample)
        #expect(machine.handle(.received(.state(cameraOff))).contains(.report(.connected, .firstFrame, by: .peer)))
    }

    @Test(
        "If the peer sends no media at all, the verified transport makes the call connected",
        arguments: [
            MediaState(audio: .off, video: .off), MediaState(isHolding: true),
        ])
    func silentPeer(state: MediaState) {
        var machine = CallMachine.connecting(.callee).after(.received(.state(state)))
        #expect(machine.state == .connecting)
        #expect(machine.handle(.verified).last == .report(.connected, .firstFrame, by: .peer))
    }

    @Test("A muted camera still sends frames, so the call waits for one")
    func mutedCamera() {
        var machine = CallMachine.connecting(.caller).after(.received(.state(.init(video: .muted))), .verified)
        #expect(machine.handle(.firstAudioSample) == [])
        #expect(machine.handle(.firstVideoFrame).last == .report(.connected, .firstFrame, by: .peer))
    }

    @Test("U5: with an audio grace time, audio connects the call after that time and videoPending is reported")
    func audioGrace() {
        var timeouts = CallTimeouts()
        timeouts.audioGraceMs = 700
        var machine = CallMachine(role: .caller, media: .audioVideo, timeouts: timeouts).after(
            .place, .offerCreated(sdp: "o"), .received(.ringing), .received(.accept(sdp: "a")), .verified)
        #expect(machine.handle(.firstAudioSample) == [.start(.audioGrace, 700)])
        let effects = machine.handle(.timerFired(.audioGrace))
        #expect(effects.contains(.notify(.videoPending)))
        #expect(effects.last == .report(.connected, .firstFrame, by: .peer))
        #expect(machine.handle(.firstVideoFrame) == [])
        #expect(machine.state == .connected)
    }

    @Test("A frame within the grace time makes the call connected, and the timer does nothing")
    func videoWithinGrace() {
        var timeouts = CallTimeouts()
        timeouts.audioGraceMs = 700
        var machine = CallMachine(role: .caller, media: .audioVideo, timeouts: timeouts).after(
            .place, .offerCreated(sdp: "o"), .received(.accept(sdp: "a")), .verified, .firstAudioSample,
            .firstVideoFrame)
        #expect(machine.state == .connected)
        #expect(machine.handle(.timerFired(.audioGrace)).isNothing)
    }

    @Test("Without a grace time audio does not replace the first frame")
    func noGrace() {
        var machine = CallMachine.connecting(.caller).after(.verified)
        #expect(machine.handle(.firstAudioSample) == [])
        #expect(machine.state == .connecting)
    }
}
