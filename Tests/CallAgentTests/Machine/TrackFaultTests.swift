import Testing

@testable import CallAgent

/// An encoder or a decoder fails, and the call continues with the other tracks.
struct TrackFaultTests {
    private let encoder = CallMachine.Event.media(.trackFailed(.encoder), generation: 0)
    private let decoder = CallMachine.Event.media(.trackFailed(.decoder), generation: 0)

    @Test(
        "A track whose encoder failed is reported as off, also when the user turns it on", arguments: CallRole.both)
    func encoderFails(role: CallRole) {
        var machine = CallMachine.connected(role)
        #expect(
            machine.handle(encoder) == [
                .send(.state(.init(video: .off))), .setGates(.init(audio: .live, video: .off, isReceiving: true)),
                .notify(.trackFailed(.encoder)),
            ])
        #expect(machine.sends == MediaState(video: .off))
        #expect(machine.handle(.setSending(audio: nil, video: .muted)) == [])
        #expect(machine.handle(.setSending(audio: nil, video: .on)) == [])
        #expect(
            machine.handle(.setSending(audio: .muted, video: nil)).messages == [
                .state(.init(audio: .muted, video: .off))
            ])
        #expect(machine.state == .connected)
    }

    @Test("The accept reports a track that failed before it")
    func beforeTheAccept() {
        var machine = CallMachine.ringing(.guarded).after(.answerCreated(sdp: "answer"))
        #expect(machine.handle(encoder).messages.isEmpty)
        #expect(machine.handle(.accept).messages == [.accept(sdp: nil, state: .init(video: .off))])
    }

    @Test("A call without a video decoder connects without a video frame", arguments: CallRole.both)
    func decoderFails(role: CallRole) {
        var machine = CallMachine.connecting(role).after(.verified, decoder)
        #expect(machine.state == .connecting)
        _ = machine.handle(.firstAudioSample)
        #expect(machine.state == .connected)
        var later = CallMachine.connecting(role).after(.verified, .firstAudioSample)
        #expect(later.handle(decoder).contains(.notify(.trackFailed(.decoder))))
        #expect(later.state == .connected)
    }

    @Test("Without any decoder, the verified transport makes the call connected")
    func nothingToDecode() {
        let audio = TrackFault(medium: .audio, direction: .receiving, element: "e", text: "t", remedy: "r")
        var machine = CallMachine.connecting(.caller).after(.verified, decoder)
        _ = machine.handle(.media(.trackFailed(audio), generation: 0))
        #expect(machine.state == .connected)
    }

    @Test("A new peer connection has all tracks again")
    func nextConnection() {
        let audio = TrackFault(medium: .audio, direction: .sending, element: "e", text: "t", remedy: "r")
        var machine = CallMachine.offering()
        #expect(machine.handle(.media(.trackFailed(audio), generation: 0)).messages == [.state(.init(audio: .off))])
        _ = machine.handle(.received(.answer(sdp: "answer1"), generation: 1))
        _ = machine.handle(.media(.verified, generation: 1))
        let effects = machine.handle(.media(.firstVideoFrame, generation: 1))
        #expect(machine.sends.audio == .on)
        #expect(effects.messages.contains(.commit))
        #expect((effects + machine.handle(.received(.commit, generation: 1))).messages.contains(.state(.init())))
    }
}
