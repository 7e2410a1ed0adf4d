import Testing

@testable import CallAgent

/// What a caller says before its invite: nothing.
struct InviteTests {
    private var machine = CallMachine(role: .caller, media: .audioVideo).after(.place)

    @Test("No candidate overtakes the invite, which makes the call known to the callee")
    mutating func candidatesWaitForTheInvite() {
        let second = SignalingMessage.Candidate(candidate: "", mLine: 1)
        #expect(machine.handle(.localCandidate(.example)) == [])
        #expect(machine.handle(.localCandidate(second)) == [])
        #expect(
            machine.handle(.offerCreated(sdp: "offer")).messages == [
                .anInvite, .candidate(.example), .candidate(second),
            ])
        #expect(machine.handle(.localCandidate(.example)).messages == [.aCandidate])
    }

    @Test("One invite is sent, however often an offer is made")
    mutating func oneInvite() {
        #expect(machine.handle(.offerCreated(sdp: "offer")).messages == [.anInvite])
        #expect(machine.handle(.offerCreated(sdp: "offer")).isNothing)
        #expect(machine.handle(.place).isNothing)
    }

    @Test("U12: a hang-up while the offer is still made tells nobody, and the offer is not sent afterwards")
    mutating func hangUpBeforeTheInvite() {
        _ = machine.handle(.localCandidate(.example))
        #expect(machine.handle(.hangUp) == .end(.localCancelled, by: .local))
        #expect(machine.handle(.offerCreated(sdp: "offer")) == [])
    }

    @Test("An offer that cannot be made ends the call without a word")
    mutating func offerFails() {
        #expect(machine.handle(.mediaFailed(.other(text: "no camera"))) == .end(.mediaFailed, by: .local))
    }

    @Test("Answers to an invite that did not go out are not heard")
    mutating func answersToNothing() {
        for body in [SignalingMessage.Body.ringing, .accept(sdp: "x"), .hangup(9900), .gone, .error(404)] {
            #expect(machine.handle(.received(body)).isNothing)
        }
        #expect(machine.handle(.offerCreated(sdp: "offer")).messages == [.anInvite])
    }
}
