import Testing

@testable import CallAgent

/// Both users call each other, and this end takes the peer's call (A14).
struct GlareTests {
    private let invite = SignalingMessage.Invite(
        media: .audioVideo, ringTimeoutMs: 30_000, sdp: "theirs", state: .init(audio: .muted))

    @Test("U9: this end takes the peer's call without ringing, and cancels its own")
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

    @Test("The accept reports what this end sends, also if the own invite reported it already")
    func ownState() {
        var machine = CallMachine.calling().after(.setSending(audio: nil, video: .off), .yield(to: invite, device: nil))
        #expect(
            machine.handle(.answerCreated(sdp: "mine")).messages == [.accept(sdp: "mine", state: .init(video: .off))])
    }

    @Test("An invite that was not sent is not cancelled, and its offer is not sent later")
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

    @Test("Only a caller that waits for an accept yields")
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

    @Test("The devices and the vanished peer of the own call do not count for the peer's call")
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

    @Test("The winner gets a normal accept; the loser's cancel belongs to another call")
    func winner() {
        var machine = CallMachine.calling()
        #expect(
            machine.handle(.received(.accept(sdp: "theirs"))).last == .report(.connecting, .accepted, by: .peer))
    }
}
