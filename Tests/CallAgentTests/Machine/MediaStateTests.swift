import Testing

@testable import CallAgent

/// What each end sends, and how the other learns of it.
struct MediaStateTests {
    private let cameraOff = MediaState(video: .off)

    @Test("What is not the usual is told with the invite, and opens no gate")
    func invite() {
        var machine = CallMachine(role: .caller, media: .audioVideo, sends: cameraOff)
        #expect(machine.handle(.place).contains(.setGates(.init(audio: .live, video: .off))))
        let messages = machine.handle(.offerCreated(sdp: "offer")).messages
        #expect(
            messages == [.invite(.init(media: .audioVideo, ringTimeoutMs: 30_000, sdp: "offer", state: cameraOff))])
        var usual = CallMachine(role: .caller, media: .audioVideo).after(.place)
        #expect(usual.handle(.offerCreated(sdp: "offer")).messages == [.anInvite], "the usual needs no word")
    }

    @Test("What changes while the offer is made is told with the invite, later by itself")
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
        "A callee tells with its accept what it sends, and before that nothing of it leaves",
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

    @Test("A callee that changes its mind between the accept and its answer tells with the accept alone")
    func changesBeforeTheAnswer() {
        var machine = CallMachine.ringing(.off).after(.accept)
        #expect(machine.handle(.setSending(audio: .muted, video: nil)).messages.isEmpty)
        #expect(
            machine.handle(.answerCreated(sdp: "a")).messages == [.accept(sdp: "a", state: .init(audio: .muted))])
    }

    @Test(
        "Muted sends silence and black pictures; off closes the devices",
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
        "The peer is told that what cannot be captured is off, until the user asks for it anew",
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

    @Test("The peer's word is kept and told, whether it comes with invite, progress, accept or alone")
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

    // MARK: Connected by what the peer sends

    @Test("Defect 11, E13: a peer whose camera is off connects by its sound", arguments: CallRole.both)
    func cameraOffPeer(role: CallRole) {
        var machine = CallMachine.connecting(role).after(.received(.state(cameraOff)), .verified)
        #expect(machine.state == .connecting)
        #expect(machine.handle(.firstAudioSample).last == .report(.connected, .firstFrame, by: .peer))
    }

    @Test("A camera that goes off after the sound came connects at that word")
    func cameraGoesOff() {
        var machine = CallMachine.connecting(.caller).after(.verified, .firstAudioSample)
        #expect(machine.handle(.received(.state(cameraOff))).contains(.report(.connected, .firstFrame, by: .peer)))
    }

    @Test(
        "A peer that sends nothing at all connects by its transport",
        arguments: [
            MediaState(audio: .off, video: .off), MediaState(isHolding: true),
        ])
    func silentPeer(state: MediaState) {
        var machine = CallMachine.connecting(.callee).after(.received(.state(state)))
        #expect(machine.state == .connecting)
        #expect(machine.handle(.verified).last == .report(.connected, .firstFrame, by: .peer))
    }

    @Test("A muted camera still sends pictures, so a picture is waited for")
    func mutedCamera() {
        var machine = CallMachine.connecting(.caller).after(.received(.state(.init(video: .muted))), .verified)
        #expect(machine.handle(.firstAudioSample) == [])
        #expect(machine.handle(.firstVideoFrame).last == .report(.connected, .firstFrame, by: .peer))
    }

    @Test("U5: with a time for it, sound alone connects after that time, and says that pictures are late")
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

    @Test("The picture within that time connects by itself, and the timer means nothing then")
    func pictureWithinGrace() {
        var timeouts = CallTimeouts()
        timeouts.audioGraceMs = 700
        var machine = CallMachine(role: .caller, media: .audioVideo, timeouts: timeouts).after(
            .place, .offerCreated(sdp: "o"), .received(.accept(sdp: "a")), .verified, .firstAudioSample,
            .firstVideoFrame)
        #expect(machine.state == .connected)
        #expect(machine.handle(.timerFired(.audioGrace)).isNothing)
    }

    @Test("Without that option a sound that came never counts for a picture")
    func noGrace() {
        var machine = CallMachine.connecting(.caller).after(.verified)
        #expect(machine.handle(.firstAudioSample) == [])
        #expect(machine.state == .connecting)
    }
}
