import Testing

@testable import CallAgent

/// Twelve defects of a call product in the field; see ``KnownDefects``.
struct KnownDefectTests {
    @Test("D1: when both users call each other, one call connects")
    func glare() {
        let theirs = SignalingMessage.Invite(media: .audioVideo, ringTimeoutMs: 30_000, sdp: "of a")
        var loser = CallMachine.calling()
        let yielded = loser.handle(.yield(to: theirs, device: nil))
        #expect(yielded.contains(.createAnswer(offer: "of a", .audioVideo)))
        var winner = CallMachine.calling()
        let accept = loser.handle(.answerCreated(sdp: "answer")).messages
        #expect(accept == [.accept(sdp: "answer")])
        #expect(winner.handle(.received(accept[0])).contains(.setAnswer(sdp: "answer")))
        (winner, loser) = (winner.after(.verified, .firstVideoFrame), loser.after(.verified, .firstVideoFrame))
        #expect((winner.state, loser.state) == (.connected, .connected))
        #expect((winner.role, loser.role) == (.caller, .callee))
    }

    @Test("D2: a late cancel of one call does not end the next call")
    func lateCancel() {
        var routing = CallRouting(limit: 1)
        routing.list("n1", .init(peer: "bob", role: .callee, state: .ringing))
        #expect(routing.route(.cancel(9900), call: "n").isStray)
        #expect(routing.route(.cancel(9900), call: "n1") == .call("n1"))
    }

    @Test("D3: a duplicated invite does not change a connected call")
    func duplicatedInvite() {
        #expect(CallMachine.connected(.callee).after(.received(.anInvite)) == .connected(.callee))
    }

    @Test("D4: the ring timer and the connect timer are separate")
    func oneTimer() {
        let rings = CallMachine.hearsRinging()
        #expect(rings.effects(of: .timerFired(.connect)).isNothing)
        let accepted = rings.effects(of: .received(.accept(sdp: "a")))
        #expect(accepted.contains(.cancelTimer(.ring)) && accepted.contains(.start(.connect, 10_000)))
        #expect(CallMachine.connected(.caller).after(.timerFired(.ring), .timerFired(.connect)).state == .connected)
    }

    @Test("D5: without early media nothing is sent or shown before the accept")
    func sentBeforeTheAccept() {
        for policy in [EarlyMediaPolicy.guarded, .off] {
            var machine = CallMachine(role: .callee, media: .audioVideo, earlyMedia: policy)
            var before: [CallMachine.Effect] = []
            for event in [CallMachine.Event.received(.anInvite), .answerCreated(sdp: "a"), .verified, .firstVideoFrame]
            {
                before += machine.handle(event)
            }
            #expect(!before.contains { $0.opensSendGates || $0.opensReceiveGates })
        }
    }

    @Test("D7: cancel, reject and hangup count only in the right state and from the peer")
    func unchecked() {
        #expect(CallMachine.connected(.caller).effects(of: .received(.cancel(9900))).isNothing)
        #expect(CallMachine.connected(.caller).effects(of: .received(.reject(603))).isNothing)
        #expect(CallMachine.ringing().effects(of: .received(.reject(603))).isNothing)
        #expect(CallMachine(role: .callee, media: .audioVideo).effects(of: .received(.hangup(9900))).isNothing)
        var routing = CallRouting(limit: 1)
        routing.list("c1", .init(peer: "bob", role: .caller, state: .connected))
        #expect(routing.route(.hangup(9900), call: "c1", from: "mallory").isStray)
    }

    @Test("D8: a peer that vanishes ends the call")
    func vanished() {
        #expect(
            CallMachine.connected(.caller).after(.received(.gone), .interrupted, .timerFired(.peerGone)).end?.reason
                == .remoteLost)
        #expect(CallMachine.connected(.caller).after(.interrupted, .timerFired(.mediaLost)).end?.reason == .mediaLost)
        #expect(CallMachine.hearsRinging().after(.received(.gone), .timerFired(.peerGone)).end?.reason == .remoteLost)
        #expect(CallMachine.connected(.callee).after(.audit, .received(.error(481))).end?.reason == .unknownCall)
    }

    @Test("D9: a first frame counts only for its own connection")
    func staleFirstFrame() {
        let next = CallMachine.connecting(.callee)
        #expect(next.after(.media(.firstVideoFrame, generation: 1)).state == .connecting)
        let forked = CallMachine.calling().after(
            .received(.progress(sdp: "a"), device: "tv"), .verified, .firstVideoFrame,
            .received(.accept(sdp: nil), device: "phone"))
        #expect(forked.state == .connecting, "the tv's frame is not the phone's")
    }

    @Test("D10: errors end the call")
    func errors() {
        #expect(CallMachine.calling().after(.inviteFailed(text: "x")).end?.reason == .signalingFailed)
        #expect(CallMachine.calling().after(.received(.error(404))).end?.reason == .unknownUser)
        for fault in [MediaFault.other(text: ""), .incompatible(text: ""), .security(text: "")] {
            for role in CallRole.both {
                #expect(CallMachine.connecting(role).after(.mediaFailed(fault)).state == .ended)
            }
        }
    }

    @Test("D11: a video call connects although the peer's camera is off")
    func cameraOff() {
        let invite = SignalingMessage.Invite(
            media: .audioVideo, ringTimeoutMs: 30_000, sdp: "o", state: .init(video: .off))
        let callee = CallMachine(role: .callee, media: .audioVideo).after(
            .received(.invite(invite)), .answerCreated(sdp: "a"), .accept, .verified, .firstAudioSample)
        #expect(callee.state == .connected)
        let caller = CallMachine.hearsRinging().after(
            .received(.accept(sdp: "a", state: .init(video: .off))), .verified, .firstAudioSample)
        #expect(caller.state == .connected)
    }

    @Test("D12: a lost accept or farewell is repeated, and a ringing callee queries the call")
    func ghostRing() {
        for body in [SignalingMessage.Body.accept(sdp: "x"), .cancel(9900), .hangup(9900), .reject(603)] {
            var end = DeliveryEnd()
            let lost = end.send(body)
            #expect(end.elapse(500).map(\.action) == lost, "it is repeated")
        }
        #expect(CallMachine.ringing().effects(of: .audit).messages == [.query], "the callee queries the call")
        #expect(CallMachine.ringing().after(.received(.error(481))).end?.reason == .unknownCall)
    }
}
