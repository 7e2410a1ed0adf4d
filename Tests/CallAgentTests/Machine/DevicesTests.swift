import Testing

@testable import CallAgent

/// Several devices of one user (A15).
struct DevicesTests {
    private var caller = CallMachine.calling().after(
        .received(.ringing, device: "tv"), .received(.ringing, device: "phone"))

    @Test("Each device that rings is reported once; the first one makes the call ringing")
    mutating func ringing() {
        caller = .calling()
        #expect(
            caller.handle(.received(.ringing, device: "tv")) == [
                .notify(.deviceRings("tv")), .report(.ringing, .ringing, by: .peer),
            ])
        #expect(caller.handle(.received(.ringing, device: "tv")) == [])
        #expect(caller.handle(.received(.ringing, device: "phone")) == [.notify(.deviceRings("phone"))])
    }

    @Test("The first device that accepts gets the call, and all devices are notified")
    mutating func firstAcceptWins() {
        let effects = caller.handle(.received(.accept(sdp: "answer"), device: "tv"))
        let cancel = SignalingMessage.Body.cancel(.init(code: 200, text: "", winner: "tv"))
        #expect(effects.first == .send(cancel, to: .init(device: nil)))
        #expect(effects.messages == [cancel])
        #expect(caller.state == .connecting)
        let before = caller
        for body in [
            SignalingMessage.Body.accept(sdp: "x"), .reject(603), .hangup(9900), .error(481), .aCandidate, .gone,
        ] {
            #expect(caller.handle(.received(body, device: "phone")).isNothing, "the other one is ignored now")
        }
        #expect(caller == before)
        #expect(caller.handle(.hangUp).first == .send(.hangup(9900), to: .init(device: "tv")))
    }

    @Test(
        "U14: the cancel stops the ringing at all devices but the chosen one", arguments: EarlyMediaPolicy.allCases)
    func answeredElsewhere(policy: EarlyMediaPolicy) {
        let cancel = CallMachine.Event.received(.cancel(.init(code: 200, text: "", winner: "tv")))
        var tv = CallMachine.ringing(policy, device: "tv").after(.accept)
        #expect(tv.handle(cancel).isNothing)
        #expect(tv.state == .connecting)
        for phone in [CallMachine.ringing(policy, device: "phone"), .ringing(policy, device: "phone").after(.accept)] {
            var phone = phone
            #expect(phone.handle(cancel) == .end(.answeredElsewhere, by: .peer))
            #expect(phone.end?.code == 200)
        }
    }

    @Test("A reject by the user at one device ends the call at all devices")
    mutating func declinedElsewhere() {
        let effects = caller.handle(.received(.reject(603, "no"), device: "tv"))
        let cancel = SignalingMessage.Body.cancel(.init(code: 603, text: "", winner: "tv"))
        #expect(effects == [.send(cancel)] + .end(.remoteRejected, by: .peer))
        var phone = CallMachine.ringing(device: "phone")
        #expect(phone.handle(.received(cancel)) == .end(.declinedElsewhere, by: .peer))
        var plain = CallMachine.ringing(device: "phone")
        #expect(plain.handle(.received(.cancel(603))) == .end(.remoteCancelled, by: .peer), "of the caller itself")
    }

    @Test("A busy or failed device does not end the call at the others", arguments: [486, 480, 487, 488, 9906])
    mutating func oneDeviceRefuses(code: Int) {
        #expect(caller.handle(.received(.reject(code), device: "tv")).isEmpty)
        #expect(caller.state == .ringing)
        #expect(caller.handle(.timerFired(.fork)).isNothing)
        #expect(!caller.handle(.received(.accept(sdp: "answer"), device: "phone")).isEmpty)
        #expect(caller.state == .connecting)
    }

    @Test("After the last device rejects, the call waits 300 ms for other devices, then ends with its code")
    mutating func lastOneRefuses() {
        _ = caller.handle(.received(.reject(487), device: "tv"))
        #expect(caller.handle(.received(.reject(486, "busy"), device: "phone")) == [.start(.fork, 300)])
        #expect(
            caller.handle(.timerFired(.fork))
                == .end(.remoteBusy, by: .peer, telling: .cancel(9900)), "one that is only slow must not ring on")
        #expect(caller.end?.code == 486)
        #expect(caller.end?.text == "busy")
    }

    @Test("A device that rings within that time keeps the call")
    mutating func lateDevice() {
        caller = .calling()
        #expect(caller.handle(.received(.reject(486), device: "tv")) == [.start(.fork, 300)])
        _ = caller.handle(.received(.ringing, device: "phone"))
        #expect(caller.handle(.timerFired(.fork)).isNothing)
        #expect(caller.handle(.received(.accept(sdp: "x"), device: "phone")).contains(.cancelTimer(.fork)))
    }

    @Test("On a transport without devices one reject ends the call")
    mutating func noDevices() {
        caller = .hearsRinging()
        #expect(caller.handle(.received(.reject(486))) == .end(.remoteBusy, by: .peer))
    }

    @Test("If another device accepts than the one that answered early, it gets a new offer and new media")
    mutating func otherDeviceAnswers() {
        _ = caller.handle(.received(.progress(sdp: "of the tv"), device: "tv"))
        #expect(caller.handle(.received(.progress(sdp: "of the phone"), device: "phone")).isNothing)
        #expect(caller.handle(.received(.aCandidate, device: "phone")).isNothing)
        let effects = caller.handle(.received(.accept(sdp: nil), device: "phone"))
        #expect(effects.contains(.close(generation: 0)))
        #expect(effects.contains(.createOffer(.audioVideo, generation: 1)))
        #expect(effects.contains(.setGates(.init(audio: .live, video: .live), generation: 1)))
        #expect(caller.handle(.verified).isNothing, "late events of the closed connection are ignored")
        #expect(
            caller.handle(.media(.offerCreated(sdp: "second"), generation: 1)) == [
                .send(
                    .offer(.init(media: .audioVideo, sdp: "second")), to: .init(device: "phone", generation: 1))
            ])
        #expect(
            caller.handle(.received(.answer(sdp: "answer"), generation: 1, device: "phone")) == [
                .setAnswer(sdp: "answer", generation: 1)
            ])
        _ = caller.handle(.media(.verified, generation: 1))
        #expect(
            caller.handle(.media(.firstVideoFrame, generation: 1)).last == .report(.connected, .firstFrame, by: .peer))
    }

    @Test("The device whose answer was not used replaces its media with that of the second offer")
    func secondOffer() {
        var phone = CallMachine.ringing(device: "phone").after(.answerCreated(sdp: "unused"), .accept)
        let offer = SignalingMessage.Offer(media: .audioVideo, sdp: "second")
        let effects = phone.handle(.received(.offer(offer), generation: 1))
        #expect(
            effects == [
                .close(generation: 0), .createAnswer(offer: "second", .audioVideo, generation: 1),
                .setGates(.init(audio: .live, video: .live), generation: 1),
            ])
        #expect(phone.handle(.media(.answerCreated(sdp: "a"), generation: 1)).messages == [.answer(sdp: "a")])
        #expect(phone.handle(.received(.offer(offer), generation: 1)).isNothing, "once")
    }

    @Test("U11: error 481 of the last ringing device ends the call; one of an unknown device does not")
    mutating func unknownAtDevices() {
        #expect(caller.handle(.received(.error(481), device: "car")).isNothing)
        #expect(caller.handle(.received(.error(481), device: "tv")).isNothing, "the phone still rings")
        #expect(caller.handle(.received(.error(481), device: "phone")) == .end(.unknownCall, by: .peer))
    }

    @Test("A hangup that arrives before the device's accept ends the call, and the others stop ringing")
    mutating func hangupOvertakesAccept() {
        let cancel = SignalingMessage.Body.cancel(.init(code: 200, text: "", winner: "tv"))
        #expect(
            caller.handle(.received(.hangup(9900), device: "tv")) == [.send(cancel)] + .end(.remoteHangup, by: .peer))
    }

    @Test("Only when the last ringing device vanishes does the call start the peer-gone timer")
    mutating func devicesGone() {
        #expect(caller.handle(.received(.gone, device: "tv")).isEmpty)
        #expect(caller.handle(.timerFired(.peerGone)).isNothing)
        #expect(caller.handle(.received(.gone, device: "phone")) == [.start(.peerGone, 2_000)])
        #expect(caller.handle(.timerFired(.peerGone)) == .end(.remoteLost, by: .peer, telling: .cancel(9906)))
    }

    @Test("A media state that changed while several devices rang is sent again to the one that accepts")
    mutating func stateSentAgain() {
        #expect(caller.handle(.setSending(audio: .muted, video: nil)).messages == [.state(.init(audio: .muted))])
        let effects = caller.handle(.received(.accept(sdp: "x"), device: "tv"))
        #expect(effects.contains(.send(.state(.init(audio: .muted)), to: .init(device: "tv"))))
    }

    @Test("That message has what is really sent: video is off if its encoder failed")
    mutating func failureSentAgain() {
        let failed = CallMachine.Event.media(.trackFailed(.encoder), generation: 0)
        #expect(caller.handle(failed).messages == [.state(.init(video: .off))])
        let effects = caller.handle(.received(.accept(sdp: "x"), device: "tv"))
        let states = effects.messages.filter { if case .state = $0 { true } else { false } }
        #expect(states == [.state(.init(video: .off))])
    }

    @Test("The accepting device gets the media state of its new connection, not of the one before")
    mutating func otherDeviceGetsTheNewState() {
        _ = caller.handle(.received(.progress(sdp: "of the tv"), device: "tv"))
        _ = caller.handle(.media(.trackFailed(.encoder), generation: 0))
        let effects = caller.handle(.received(.accept(sdp: nil), device: "phone"))
        #expect(effects.contains(.send(.state(.init()), to: .init(device: "phone", generation: 1))))
        #expect(effects.contains(.setGates(.init(audio: .live, video: .live), generation: 1)))
        #expect(
            caller.handle(.media(.captureFailed(.unplugged), generation: 1)).messages == [.state(.init(video: .off))])
    }

    @Test("The media state of the accepting device counts, not that of the device that answered early")
    mutating func otherDeviceSays() {
        _ = caller.handle(.received(.progress(sdp: "of the tv", state: .init(video: .off)), device: "tv"))
        #expect(caller.peerSends == .init(video: .off))
        _ = caller.handle(.received(.accept(sdp: nil, state: .init(audio: .muted)), device: "phone"))
        #expect(caller.peerSends == .init(audio: .muted))
        var plain = CallMachine.calling().after(
            .received(.progress(sdp: "of the tv", state: .init(video: .off)), device: "tv"),
            .received(.accept(sdp: nil), device: "phone"))
        #expect(plain.peerSends == .init(), "an accept without a state means that all is on")
        _ = plain.handle(.hangUp)
    }

    @Test(
        "An accept reports muted audio and a failed camera; the next connection reports the working camera"
    )
    func mutedWhileRinging() {
        var phone = CallMachine.ringing(device: "phone").after(
            .answerCreated(sdp: "unused"), .setSending(audio: .muted, video: nil),
            .media(.trackFailed(.encoder), generation: 0))
        #expect(phone.handle(.accept).messages == [.accept(sdp: nil, state: .init(audio: .muted, video: .off))])
        let offer = SignalingMessage.Offer(media: .audioVideo, sdp: "second")
        let effects = phone.handle(.received(.offer(offer), generation: 1))
        #expect(effects.messages == [.state(.init(audio: .muted))])
        #expect(effects.contains(.setGates(.init(audio: .blank, video: .live), generation: 1)))
    }
}
