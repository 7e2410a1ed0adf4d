import Testing

@testable import CallAgent

/// Both users call each other; this end's call becomes the peer's (A14).
struct GlareTests {
    private let invite = SignalingMessage.Invite(
        media: .audioVideo, ringTimeoutMs: 30_000, sdp: "theirs", state: .init(audio: .muted))

    @Test("U9: it takes the peer's call without ringing, and cancels its own")
    func yields() {
        var machine = CallMachine.calling()
        #expect(
            machine.handle(.yield(to: invite, device: "tv")) == [
                .send(.cancel(200)), .close(generation: 0), .adoptCall, .cancelTimer(.fork), .cancelTimer(.peerGone),
                .createAnswer(offer: "theirs", .audioVideo), .cancelTimer(.ring), .start(.connect, 10_000),
                .openSendGates, .report(.connecting, .glare, by: .peer),
            ])
        #expect(machine.role == .callee)
        #expect(machine.peerSends == .init(audio: .muted))
        #expect(
            machine.handle(.answerCreated(sdp: "mine")) == [.send(.accept(sdp: "mine"), to: .init(device: "tv"))])
        #expect(
            machine.after(.verified).effects(of: .firstVideoFrame).last == .report(.connected, .firstFrame, by: .peer))
    }

    @Test("The peer is told what this end sends, whatever it told with its own call")
    func ownState() {
        var machine = CallMachine.calling().after(.setSending(audio: nil, video: .off), .yield(to: invite, device: nil))
        #expect(
            machine.handle(.answerCreated(sdp: "mine")).messages == [.accept(sdp: "mine", state: .init(video: .off))])
    }

    @Test("An invite that is not out yet is not cancelled, and its offer is not sent afterwards")
    func beforeTheInvite() {
        for start in [
            CallMachine(role: .caller, media: .audioVideo), .init(role: .caller, media: .audioVideo).after(.place),
        ] {
            var machine = start
            let effects = machine.handle(.yield(to: invite, device: nil))
            #expect(effects.messages.isEmpty)
            #expect(effects.contains(.createAnswer(offer: "theirs", .audioVideo)))
            #expect(machine.state == .connecting)
            #expect(machine.handle(.place).isNothing)
            #expect(machine.handle(.offerCreated(sdp: "late")).isNothing)
        }
    }

    @Test("Only a caller that waits yields")
    func nobodyElse() {
        for start in [
            CallMachine.ringing(), .connecting(.caller), .connected(.caller), .connected(.callee),
            CallMachine(role: .callee, media: .audioVideo),
        ] {
            var machine = start
            #expect(machine.handle(.yield(to: invite, device: nil)).isNothing)
            #expect(machine == start)
        }
    }

    @Test("What the own call heard of devices and of a vanished peer does not count any more")
    func freshStart() {
        var machine = CallMachine.calling().after(
            .received(.ringing, device: "tv"), .received(.reject(486), device: "tv"), .received(.gone),
            .yield(to: invite, device: "phone"))
        #expect(machine.handle(.timerFired(.fork)).isNothing)
        #expect(machine.handle(.timerFired(.peerGone)).isNothing)
        #expect(machine.state == .connecting)
        #expect(machine.handle(.received(.hangup(9900), device: "tv")).isNothing, "another device of the peer")
        #expect(machine.handle(.hangUp).first == .send(.reject(603), to: .init(device: "phone")))
    }

    @Test("The winner hears an accept and goes on as after any other; the loser's cancel is another call's")
    func winner() {
        var machine = CallMachine.calling()
        #expect(
            machine.handle(.received(.accept(sdp: "theirs"))).last == .report(.connecting, .accepted, by: .peer))
    }
}
