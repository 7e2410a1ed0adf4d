import Testing

@testable import CallAgent

/// Video is added to an audio call, make before break.
struct ChangeTests {
    private let audio = MediaGates(audio: .live, video: .closed, isReceiving: true)
    private let offer = SignalingMessage.Offer(media: .audioVideo, sdp: "offer1")

    @Test(
        "By the caller: the old connection plays until new frames arrive, and closes when both ends have them")
    func byCaller() {
        var machine = CallMachine.connected(.caller, .audioOnly)
        #expect(
            machine.handle(.changeMedia(.audioVideo)) == [
                .createOffer(.audioVideo, generation: 1), .start(.change, 10_000),
                .setGates(.init(audio: .live, video: .live), generation: 1),
            ], "the new one sends at once and shows nothing; the old one is not touched")
        #expect(machine.handle(.media(.localCandidate(.example), generation: 1)) == [], "not before the offer")
        #expect(
            machine.handle(.media(.offerCreated(sdp: "offer1"), generation: 1)) == [
                .send(.offer(offer), to: .init(generation: 1)), .send(.aCandidate, to: .init(generation: 1)),
            ])
        #expect(
            machine.handle(.received(.answer(sdp: "answer1"), generation: 1)) == [
                .setAnswer(sdp: "answer1", generation: 1)
            ])
        #expect(machine.handle(.received(.answer(sdp: "x"), generation: 1)).isNothing)
        #expect(machine.handle(.received(.aCandidate, generation: 1)) == [.addCandidate(.example, generation: 1)])
        #expect(machine.handle(.received(.aCandidate)) == [.addCandidate(.example)], "the old one lives")
        #expect(machine.handle(.media(.verified, generation: 1)) == [])
        #expect(
            machine.handle(.media(.firstVideoFrame, generation: 1)) == [
                .send(.commit, to: .init(generation: 1)),
                .setGates(.init(audio: .live, video: .closed), generation: 0),
                .setGates(.init(audio: .live, video: .live, isReceiving: true), generation: 1),
            ], "what is shown moves over; both still send, since the peer may show the old one")
        #expect(machine.media == .audioVideo)
        #expect(
            machine.handle(.received(.commit, generation: 1)) == [
                .close(generation: 0), .cancelTimer(.change), .notify(.mediaChanged(.audioVideo)),
            ])
        #expect(machine.state == .connected)
        #expect(machine.current.number == 1)
        #expect(machine.handle(.media(.interrupted, generation: 0)).isNothing, "the old one is gone")
    }

    @Test("At the callee: its own camera stays off, and the peer gets that state")
    func atCallee() {
        var machine = CallMachine.connected(.callee, .audioOnly)
        #expect(
            machine.handle(.received(.offer(offer), generation: 1)) == [
                .start(.change, 10_000), .createAnswer(offer: "offer1", .audioVideo, generation: 1),
                .send(.state(.init(video: .off))), .setGates(.init(audio: .live, video: .off), generation: 1),
            ])
        #expect(
            machine.handle(.media(.answerCreated(sdp: "answer1"), generation: 1)) == [
                .send(.answer(sdp: "answer1"), to: .init(generation: 1))
            ])
        #expect(machine.handle(.media(.answerCreated(sdp: "x"), generation: 1)).isNothing)
        #expect(
            machine.handle(.received(.commit, generation: 1)) == [], "only the caller has the new media so far")
        #expect(machine.handle(.media(.firstAudioSample, generation: 1)) == [], "the caller announced video")
        #expect(
            machine.handle(.media(.firstVideoFrame, generation: 1)) == [
                .send(.commit, to: .init(generation: 1)), .close(generation: 0), .cancelTimer(.change),
                .setGates(.init(audio: .live, video: .off, isReceiving: true), generation: 1),
                .notify(.mediaChanged(.audioVideo)),
            ])
        #expect(machine.handle(.setSending(audio: nil, video: .on)).messages == [.state(.init())])
    }

    @Test("The caller commits on audio when the callee's camera stays off")
    func callerWithoutVideo() {
        var machine = CallMachine.offering().after(
            .received(.state(.init(video: .off))), .received(.answer(sdp: "a"), generation: 1),
            .media(.verified, generation: 1))
        #expect(machine.handle(.media(.firstAudioSample, generation: 1)).messages == [.commit])
    }

    @Test("By the callee: it asks, the caller offers, and the callee's video is on")
    func byCallee() {
        var callee = CallMachine.connected(.callee, .audioOnly)
        #expect(
            callee.handle(.changeMedia(.audioVideo)) == [.send(.renegotiate(.audioVideo)), .start(.change, 10_000)])
        var caller = CallMachine.connected(.caller, .audioOnly)
        let effects = caller.handle(.received(.renegotiate(.audioVideo)))
        #expect(effects.contains(.createOffer(.audioVideo, generation: 1)))
        #expect(effects.messages == [.state(.init(video: .off))], "only the caller's user turns on its camera")
        #expect(effects.contains(.setGates(.init(audio: .live, video: .off), generation: 1)))
        let answered = callee.handle(.received(.offer(offer), generation: 1))
        #expect(answered.contains(.setGates(.init(audio: .live, video: .live), generation: 1)))
        #expect(answered.messages.isEmpty)
    }

    @Test("A caller that adds video before the call is connected opens no camera", arguments: [true, false])
    func beforeConnected(isVerified: Bool) {
        var callee = CallMachine.connecting(.callee, .audioOnly)
        if isVerified { callee = callee.after(.media(.verified, generation: 0)) }
        let effects = callee.handle(.received(.offer(offer), generation: 1))
        #expect(effects.contains(.createAnswer(offer: offer.sdp, .audioVideo, generation: 1)))
        #expect(effects.contains(.setGates(.init(audio: .live, video: .off), generation: 1)))
        #expect(callee.sends.video == .off)
    }

    @Test("A peer that adds audio to a video call opens no microphone", arguments: CallRole.both)
    func addedAudio(role: CallRole) {
        var machine = CallMachine.connected(role, .videoOnly)
        let event: CallMachine.Event =
            role == .caller
            ? .received(.renegotiate(.audioVideo))
            : .received(.offer(.init(media: .audioVideo, sdp: "o")), generation: 1)
        let effects = machine.handle(event)
        #expect(effects.contains(.setGates(.init(audio: .off, video: .live), generation: 1)))
        #expect(effects.messages.contains(.state(.init(audio: .off))))
    }

    @Test("A callee that is connected first asks, and the caller offers as soon as it is connected, too")
    func byCalleeOfConnectingCaller() {
        var caller = CallMachine.connecting(.caller, .audioOnly)
        #expect(caller.handle(.received(.renegotiate(.audioVideo))) == [.start(.change, 10_000)])
        let effects = caller.after(.media(.verified, generation: 0)).effects(
            of: .media(.firstAudioSample, generation: 0))
        #expect(effects.contains(.createOffer(.audioVideo, generation: 1)))
        #expect(effects.contains(.start(.change, 10_000)))
        #expect(effects.messages == [.state(.init(video: .off))], "only the caller's user turns on its camera")
        #expect(effects.contains(.setGates(.init(audio: .live, video: .off), generation: 1)))
        // The callee has given up.
        let late = caller.after(.timerFired(.change), .media(.verified, generation: 0))
        #expect(late.after(.media(.firstAudioSample, generation: 0)).highest == 0)
        // The callee holds the call, so nothing can change.
        let held = caller.after(.received(.state(.init(isHolding: true))), .media(.verified, generation: 0))
        #expect(held.state == .connected && held.highest == 0 && held.sends.video == .on)
    }

    @Test("Both ask at once: there is one change, and both send video")
    func bothAtOnce() {
        var caller = CallMachine.offering()
        var callee = CallMachine.connected(.callee, .audioOnly).after(.changeMedia(.audioVideo))
        #expect(caller.handle(.received(.renegotiate(.audioVideo))).isNothing)
        _ = callee.handle(.received(.offer(offer), generation: 1))
        #expect((caller.sends.video, callee.sends.video) == (.on, .on))
        #expect(caller.highest == 1 && callee.highest == 1)
    }

    @Test("A caller that cannot renegotiate sends nothing, and the callee gives up after its timeout")
    func refusedRenegotiation() {
        for caller in [
            CallMachine.connected(.caller, .audioOnly).after(.hold), .calling(),
        ] {
            #expect(caller.effects(of: .received(.renegotiate(.audioVideo))).isNothing)
        }
        var callee = CallMachine.connected(.callee, .audioOnly).after(.changeMedia(.audioVideo))
        #expect(
            callee.handle(.timerFired(.change)) == [.notify(.mediaChangeFailed(text: "the caller made no offer"))])
        #expect(callee.refusal(of: .changeMedia(.audioVideo)) == nil, "it may ask again")
        #expect(callee.media == .audioOnly)
    }

    // MARK: Failures

    @Test("Without new media in time this end rolls back, and the call continues as before", arguments: CallRole.both)
    func timeout(role: CallRole) {
        var machine = role == .caller ? CallMachine.offering() : .answering()
        let effects = machine.handle(.timerFired(.change))
        #expect(effects.messages == [.rollback])
        #expect(effects.contains(.close(generation: 1)))
        #expect(effects.contains(.notify(.mediaChangeFailed(text: "no media of the other end arrived in time"))))
        #expect(machine.state == .connected)
        #expect(machine.media == .audioOnly)
        #expect(machine.current.gates == audio)
        #expect(machine.refusal(of: .changeMedia(.audioVideo)) == nil)
    }

    @Test(
        "The peer rolls back: so does this end, even after its commit, and shows the old connection again",
        arguments: CallRole.both)
    func peerRollsBack(role: CallRole) {
        var machine = CallMachine.committed(role)
        #expect(machine.media == .audioVideo)
        let effects = machine.handle(.received(.rollback, generation: 1))
        #expect(effects.messages.isEmpty)
        #expect(effects.contains(.close(generation: 1)))
        #expect(effects.contains(.setGates(audio, generation: 0)))
        #expect(machine.media == .audioOnly)
        #expect(machine.handle(.received(.commit, generation: 1)).isNothing, "too late")
    }

    @Test("After its commit an end does not roll back on a timeout")
    func wordIsKept() {
        var machine = CallMachine.committed(.caller)
        #expect(machine.handle(.timerFired(.change)) == [.start(.change, 10_000)])
        #expect(machine.handle(.received(.commit, generation: 1)).contains(.notify(.mediaChanged(.audioVideo))))
    }

    @Test("A commit crosses a rollback: both ends use the old connection")
    func crossing() {
        var caller = CallMachine.committed(.caller)
        var callee = CallMachine.answering()
        #expect(callee.handle(.timerFired(.change)).messages == [.rollback])
        #expect(callee.handle(.received(.commit, generation: 1)).isNothing)
        _ = caller.handle(.received(.rollback, generation: 1))
        #expect(caller.current.number == 0 && callee.current.number == 0)
        #expect(caller.next == nil && callee.next == nil)
    }

    @Test(
        "A new connection that fails is closed, and the old one stays",
        arguments: [
            MediaFault.other(text: "no camera"), .incompatible(text: "no codec"), .security(text: "wrong certificate"),
        ])
    func newOneFails(fault: MediaFault) {
        var machine = CallMachine.offering()
        let effects = machine.handle(.media(.failed(fault), generation: 1))
        #expect(effects.messages == [.rollback])
        #expect(effects.contains(.notify(.mediaChangeFailed(text: fault.text))))
        #expect(!effects.contains(.close(generation: 0)))
        #expect(machine.state == .connected)
        var second = machine
        #expect(
            second.handle(.changeMedia(.audioVideo)).contains(.createOffer(.audioVideo, generation: 2)),
            "no number twice")
    }

    @Test("A new connection that fails after the commit ends the call")
    func failsAfterCommit() {
        var machine = CallMachine.committed(.callee)
        #expect(machine.handle(.media(.failed(.other(text: "x")), generation: 1)).messages == [.hangup(9906)])
        #expect(machine.end?.reason == .mediaFailed)
    }

    @Test("After the commit silence counts only on the connection that is shown")
    func interruptions() {
        var machine = CallMachine.committed(.caller)
        #expect(machine.handle(.interrupted) == [])
        #expect(machine.state == .connected)
        #expect(
            machine.handle(.media(.interrupted, generation: 1)).last == .report(.reconnecting, .interrupted, by: .peer))
    }

    @Test("Repeated, old and premature messages about connections change nothing")
    func strayWords() {
        for machine in [CallMachine.connected(.caller), .connected(.callee), .offering(), .answering()] {
            for generation in [0, 2, 7] {
                for body in [SignalingMessage.Body.commit, .rollback, .answer(sdp: "x")] {
                    #expect(machine.effects(of: .received(body, generation: generation)).isNothing)
                }
            }
        }
        for machine in [CallMachine.connected(.caller), .offering(), .ringing(), .calling()] {
            #expect(
                machine.effects(of: .received(.offer(offer), generation: 1)).isNothing,
                "only an accepted callee takes offers")
        }
        #expect(CallMachine.answering().effects(of: .received(.offer(offer), generation: 1)).isNothing, "repeated")
        #expect(CallMachine.connected(.callee).effects(of: .received(.offer(offer), generation: 0)).isNothing, "old")
    }

    @Test("A newer offer of the caller replaces an unfinished one")
    func newerOffer() {
        var machine = CallMachine.answering()
        let effects = machine.handle(.received(.offer(offer), generation: 2))
        #expect(effects.contains(.close(generation: 1)))
        #expect(effects.contains(.createAnswer(offer: "offer1", .audioVideo, generation: 2)))
        #expect(machine.handle(.media(.verified, generation: 1)).isNothing)
    }

    @Test("A hang-up during a change ends the call and both connections", arguments: CallRole.both)
    func hangUp(role: CallRole) {
        var machine = role == .caller ? CallMachine.offering() : .answering()
        #expect(machine.handle(.hangUp) == .end(.localHangup, by: .local, telling: .hangup(9900)))
    }

    @Test("A call can change back to audio only; a change to the present media is refused")
    func otherWays() {
        #expect(
            CallMachine.connected(.caller).effects(of: .changeMedia(.audioOnly)).contains(
                .createOffer(.audioOnly, generation: 1)))
        #expect(CallMachine.connected(.caller).refusal(of: .changeMedia(.audioVideo)) != nil)
        #expect(CallMachine.connected(.callee).refusal(of: .changeMedia(.audioVideo)) != nil)
    }
}
