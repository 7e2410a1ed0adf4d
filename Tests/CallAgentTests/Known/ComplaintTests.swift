import Testing

@testable import CallAgent

/// Complaints of users of other call products; see ``KnownDefects``.
struct ComplaintTests {
    @Test("U5: the application is notified when audio arrives long before video")
    func audioFirst() {
        var timeouts = CallTimeouts()
        timeouts.audioGraceMs = 500
        let machine = CallMachine(role: .caller, media: .audioVideo, timeouts: timeouts).after(
            .place, .offerCreated(sdp: "o"), .received(.accept(sdp: "a")), .verified, .firstAudioSample)
        #expect(machine.effects(of: .timerFired(.audioGrace)).contains(.notify(.videoPending)))
    }

    @Test("U7: a call is connected only after the first audio sample")
    func connectedTooEarly() {
        let verified = CallMachine.connecting(.caller, .audioOnly).after(.iceConnected, .verified)
        #expect(verified.state == .connecting)
        #expect(verified.after(.firstAudioSample).state == .connected)
        #expect(verified.after(.received(.state(.init(audio: .on)))).state == .connecting)
    }

    @Test("U8: neither user hears or sees the other before the accept", arguments: EarlyMediaPolicy.allCases)
    func beforeTheAccept(policy: EarlyMediaPolicy) {
        let ringing = CallMachine.ringing(policy).after(.answerCreated(sdp: "a"), .verified, .firstVideoFrame)
        #expect(!ringing.current.gates.isReceiving)
        if policy != .full { #expect(ringing.current.gates == MediaGates()) }
        let caller = CallMachine.hearsRinging().after(.received(.progress(sdp: "a")), .verified, .firstVideoFrame)
        #expect(!caller.current.gates.isReceiving, "early media of the callee is not shown either")
    }

    @Test("U9: when both users call each other, the call connects")
    func glare() {
        #expect(CallMachine.calling().after(.yield(to: .example, device: nil)).state == .connecting)
    }

    @Test("U10: a vanished peer is noticed after two seconds, also if its media was silent before")
    func vanished() {
        #expect(CallMachine.connecting(.caller).effects(of: .received(.gone)) == [.start(.peerGone, 2_000)])
        let silent = CallMachine.connected(.caller).after(.interrupted)
        #expect(silent.after(.received(.gone), .timerFired(.peerGone)).end?.reason == .remoteLost)
    }

    @Test("U11: a lost accept is repeated, and the caller queries the call")
    func lostAccept() {
        var callee = DeliveryEnd("bob")
        var caller = DeliveryEnd("alice")
        _ = callee.send(.accept(sdp: "answer"), to: "alice")
        _ = callee.elapse(7_400)
        let again = callee.elapse(200).map(\.action).transmitted
        #expect(again.flatMap { caller.receive($0).delivered.map(\.body) } == [.accept(sdp: "answer")])
        #expect(CallMachine.hearsRinging().effects(of: .signalingRestored).messages == [.query])
    }

    @Test("U12: a hang-up before the invite is sent causes no ringing")
    func ghostRinging() {
        let making = CallMachine(role: .caller, media: .audioVideo).after(.place)
        #expect(making.effects(of: .hangUp).messages.isEmpty)
        #expect(making.after(.hangUp).effects(of: .offerCreated(sdp: "late")).isEmpty)
        var routing = CallRouting(limit: 1)
        #expect(routing.route(.cancel(9900), call: "c1").isStray)
        #expect(routing.route(.anInvite, call: "c1").isStray, "a cancel that overtook its invite")
    }

    @Test("U13: a reject is repeated until the caller gets it")
    func missedDecline() {
        var end = DeliveryEnd("bob")
        let reject = end.send(.reject(603), to: "alice")
        #expect(end.elapse(4_000).map(\.action).transmitted.count == 3, "repeated until it is acknowledged")
        #expect(reject.transmitted.count == 1)
        for caller in [CallMachine.calling(), .hearsRinging()] {
            #expect(caller.after(.received(.reject(603))).end?.reason == .remoteRejected)
        }
    }

    @Test("U14: an accept at one device stops the ringing at the others")
    func otherDevices() {
        let effects = CallMachine.hearsRinging().effects(of: .received(.accept(sdp: "a"), device: "tv"))
        let cancel = SignalingMessage.Body.cancel(.init(code: 200, text: "", winner: "tv"))
        #expect(effects.messages.first == cancel)
        #expect(CallMachine.ringing(device: "phone").after(.received(cancel)).end?.reason == .answeredElsewhere)
    }

    @Test("U15: a second call gets a busy reject")
    func busy() {
        for state in [CallState.calling, .ringing, .connecting, .connected, .reconnecting] {
            var routing = CallRouting(limit: 1)
            routing.list("c1", .init(peer: "bob", role: .caller, state: state))
            #expect(routing.route(.anInvite, call: "c2", from: "carol") == .busy)
        }
    }

    @Test("U16: both ends use the configured ring timeout")
    func ringTimeout() {
        var timeouts = CallTimeouts()
        timeouts.ringMs = 7_000
        let caller = CallMachine(role: .caller, media: .audioVideo, timeouts: timeouts)
        #expect(caller.effects(of: .place).contains(.start(.ring, 7_000)))
        let invite = SignalingMessage.Invite(media: .audioVideo, ringTimeoutMs: 7_000, sdp: "o")
        let callee = CallMachine(role: .callee, media: .audioVideo).effects(of: .received(.invite(invite)))
        #expect(callee.contains(.start(.ring, 7_000)))
    }

    @Test("U17: an interrupted call is in the state reconnecting")
    func reconnecting() {
        #expect(CallMachine.connected(.caller).after(.interrupted).state == .reconnecting)
        #expect(CallMachine.connected(.caller).after(.interrupted, .resumed).state == .connected)
    }
}
