import Testing

@testable import CallAgent

extension CallMachine.Effect {
    fileprivate var isOfferTaken: Bool { if case .createAnswer = self { true } else { false } }
}

/// Each way to end a call before it is connected.
///
/// Each story has the reason and code at the end that ends the call, the message, and the reason that the other end derives from it.
struct FarewellTests {
    struct Story: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The end that ends the call.
        var machine: CallMachine
        var event: CallMachine.Event
        var reason: EndReason
        var code: Int
        var by = CallParty.local
        var message: SignalingMessage.Body
        /// The other end at that moment, and the reason that it derives from the message.
        var other: CallMachine
        var otherReason: EndReason
    }

    static let stories = [
        Story(
            testDescription: "the callee declines", machine: .ringing(), event: .reject(code: 603, text: "no"),
            reason: .localRejected, code: 603, message: .reject(603, "no"), other: .hearsRinging(),
            otherReason: .remoteRejected),
        Story(
            testDescription: "the callee is busy", machine: .ringing(), event: .reject(code: 486, text: "busy"),
            reason: .localRejected, code: 486, message: .reject(486, "busy"), other: .calling(),
            otherReason: .remoteBusy),
        Story(
            testDescription: "an unknown code is passed on", machine: .ringing(),
            event: .reject(code: 12_345, text: "?"), reason: .localRejected, code: 12_345,
            message: .reject(12_345, "?"), other: .hearsRinging(), otherReason: .remoteRejected),
        Story(
            testDescription: "the callee hangs up while it rings", machine: .ringing(), event: .hangUp(text: "x"),
            reason: .localRejected, code: 603, message: .reject(603, "x"), other: .hearsRinging(),
            otherReason: .remoteRejected),
        Story(
            testDescription: "the caller gives up before any sign", machine: .calling(), event: .hangUp(text: "x"),
            reason: .localCancelled, code: 9901, message: .cancel(9900, "x"), other: .ringing(),
            otherReason: .remoteCancelled),
        Story(
            testDescription: "the caller gives up while it rings", machine: .hearsRinging(), event: .hangUp,
            reason: .localCancelled, code: 9901, message: .cancel(9900), other: .ringing(.off),
            otherReason: .remoteCancelled),
        Story(
            testDescription: "the caller's ring timer fires", machine: .hearsRinging(), event: .timerFired(.ring),
            reason: .ringTimeout, code: 487, message: .cancel(487), other: .ringing(),
            otherReason: .remoteRingTimeout),
        Story(
            testDescription: "no sign of the callee at all", machine: .calling(), event: .timerFired(.ring),
            reason: .ringTimeout, code: 487, message: .cancel(487), other: .ringing(),
            otherReason: .remoteRingTimeout),
        Story(
            testDescription: "the callee rings out", machine: .ringing(), event: .timerFired(.ring),
            reason: .ringTimeout, code: 487, message: .reject(487), other: .hearsRinging(),
            otherReason: .remoteRingTimeout),
        Story(
            testDescription: "no media at the caller", machine: .connecting(.caller), event: .timerFired(.connect),
            reason: .connectTimeout, code: 408, message: .hangup(408), other: .connecting(.callee),
            otherReason: .remoteConnectTimeout),
        Story(
            testDescription: "no media at the callee, while the caller is connected", machine: .connecting(.callee),
            event: .timerFired(.connect), reason: .connectTimeout, code: 408, message: .hangup(408),
            other: .connected(.caller), otherReason: .remoteConnectTimeout),
        Story(
            testDescription: "the offer cannot be used", machine: .ringing(),
            event: .mediaFailed(.incompatible(text: "no codec")), reason: .incompatibleMedia, code: 488, by: .peer,
            message: .reject(488, "no codec"), other: .hearsRinging(), otherReason: .incompatibleMedia),
        Story(
            testDescription: "the answer cannot be used",
            machine: .hearsRinging().after(.received(.progress(sdp: "answer"))),
            event: .mediaFailed(.incompatible(text: "line 3")), reason: .incompatibleMedia, code: 488, by: .peer,
            message: .cancel(488, "line 3"), other: .ringing(), otherReason: .incompatibleMedia),
        Story(
            testDescription: "the caller's media fails", machine: .hearsRinging(),
            event: .mediaFailed(.other(text: "no camera")), reason: .mediaFailed, code: 9906,
            message: .cancel(9906), other: .ringing(), otherReason: .remoteFailed),
        Story(
            testDescription: "the callee's media fails", machine: .ringing(),
            event: .mediaFailed(.other(text: "no camera")), reason: .mediaFailed, code: 9906,
            message: .reject(9906), other: .calling(), otherReason: .remoteFailed),
        Story(
            testDescription: "the offer cannot be used, as shows after the callee accepted",
            machine: .ringing().after(.accept), event: .mediaFailed(.incompatible(text: "no codec")),
            reason: .incompatibleMedia, code: 488, by: .peer, message: .reject(488, "no codec"),
            other: .hearsRinging(), otherReason: .incompatibleMedia),
        Story(
            testDescription: "the callee hangs up before its accept went out", machine: .ringing(.off).after(.accept),
            event: .hangUp(text: "x"), reason: .localRejected, code: 603, message: .reject(603, "x"),
            other: .hearsRinging(), otherReason: .remoteRejected),
        Story(
            testDescription: "the answer takes too long", machine: .ringing().after(.accept),
            event: .timerFired(.connect), reason: .connectTimeout, code: 408, message: .reject(408),
            other: .hearsRinging(), otherReason: .remoteConnectTimeout),
        Story(
            testDescription: "the callee of a glare cannot use the offer", machine: .yielding(),
            event: .mediaFailed(.incompatible(text: "no codec")), reason: .incompatibleMedia, code: 488, by: .peer,
            message: .reject(488, "no codec"), other: .calling(), otherReason: .incompatibleMedia),
        Story(
            testDescription: "media fails in a connected call, and the caller offers no other connection",
            machine: .connected(.callee).after(.mediaFailed(.other(text: "dtlsdec"))),
            event: .timerFired(.change), reason: .mediaFailed, code: 9906,
            message: .hangup(9906), other: .connected(.caller), otherReason: .remoteFailed),
    ]

    @Test(arguments: stories)
    func eachEndKnowsWhyTheCallEnded(story: Story) {
        var machine = story.machine
        #expect(machine.handle(story.event) == .end(story.reason, by: story.by, telling: story.message))
        #expect(machine.end?.reason == story.reason)
        #expect(machine.end?.code == story.code)
        var other = story.other
        #expect(other.handle(.received(story.message)) == .end(story.otherReason, by: .peer))
        // After a normal end the other end has no code either.
        let told = story.code == EndReason.localCancelled.code ? EndReason.remoteCancelled.code : story.code
        #expect(other.end?.code == told, "the code is passed on unchanged")
    }

    @Test("A callee ignores an offer for another peer connection before its accept was sent")
    func offerBeforeTheAccept() {
        var machine = CallMachine.ringing().after(.accept)
        let offer = SignalingMessage.Body.offer(.init(media: .audioVideo, sdp: "second"))
        #expect(machine.handle(.received(offer, generation: 1)).isNothing)
        #expect(machine.handle(.answerCreated(sdp: "answer")).messages == [.accept(sdp: "answer")])
        #expect(machine.handle(.received(offer, generation: 1)).contains { $0.isOfferTaken })
    }

    @Test("A text that is too long is cut in the message and kept whole at this end")
    func longText() {
        let text = String(repeating: "t", count: 300)
        var machine = CallMachine.ringing()
        let effects = machine.handle(.reject(code: 603, text: text))
        #expect(effects.messages == [.reject(603, String(text.prefix(256)))])
        #expect(machine.end?.text == text)
    }

    @Test("A reject with an invalid code is sent with code 603", arguments: [-1, 100_000, .max])
    func impossibleCode(code: Int) {
        var machine = CallMachine.ringing()
        #expect(machine.handle(.reject(code: code, text: "")).messages == [.reject(603)])
        #expect(machine.end?.code == 603)
    }

    @Test("E4: ring and connect have separate timers")
    func ringAndConnectAreSeparate() {
        var machine = CallMachine.hearsRinging()
        #expect(machine.handle(.timerFired(.connect)).isNothing)
        _ = machine.handle(.received(.accept(sdp: "answer")))
        #expect(machine.handle(.timerFired(.ring)).isNothing, "a late ring timer")
        #expect(machine.state == .connecting)
        _ = machine.handle(.firstVideoFrame)
        #expect(machine.handle(.timerFired(.connect)).isNothing)
        #expect(machine.state == .connected)
    }
}
