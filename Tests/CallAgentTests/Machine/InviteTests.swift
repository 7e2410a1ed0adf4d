import Testing

@testable import CallAgent

/// A caller sends nothing before its invite.
struct InviteTests {
    private var machine = CallMachine(role: .caller, media: .audioVideo).after(.place)

    @Test("Candidates are sent after the invite")
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

    @Test("One invite is sent, even if several offers are created")
    mutating func oneInvite() {
        #expect(machine.handle(.offerCreated(sdp: "offer")).messages == [.anInvite])
        #expect(machine.handle(.offerCreated(sdp: "offer")).isNothing)
        #expect(machine.handle(.place).isNothing)
    }

    @Test("U12: a hang-up while the offer is created sends nothing, and the offer is not sent later")
    mutating func hangUpBeforeTheInvite() {
        _ = machine.handle(.localCandidate(.example))
        #expect(machine.handle(.hangUp) == .end(.localCancelled, by: .local))
        #expect(machine.handle(.offerCreated(sdp: "offer")) == [])
    }

    @Test("A failed offer ends the call without a message")
    mutating func offerFails() {
        #expect(machine.handle(.mediaFailed(.other(text: "no camera"))) == .end(.mediaFailed, by: .local))
    }

    @Test("Replies before the invite was sent are ignored")
    mutating func answersToNothing() {
        for body in [SignalingMessage.Body.ringing, .accept(sdp: "x"), .hangup(9900), .gone, .error(404)] {
            #expect(machine.handle(.received(body)).isNothing)
        }
        #expect(machine.handle(.offerCreated(sdp: "offer")).messages == [.anInvite])
    }
}
