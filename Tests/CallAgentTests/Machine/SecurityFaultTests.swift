import Testing

@testable import CallAgent

/// The peer's certificate does not match the fingerprint in its SDP.
struct SecurityFaultTests {
    static let phases: [(CallMachine, SignalingMessage.Body, CallMachine)] = [
        (.hearsRinging().after(.received(.progress(sdp: "answer"))), .cancel(9906, "wrong"), .ringing()),
        (.ringing(.full).after(.answerCreated(sdp: "answer")), .reject(9906, "wrong"), .hearsRinging()),
        (.ringing().after(.answerCreated(sdp: "answer")), .reject(9906, "wrong"), .hearsRinging()),
        (.connecting(.caller), .hangup(9906, "wrong"), .connecting(.callee)),
        (.connecting(.callee), .hangup(9906, "wrong"), .connecting(.caller)),
        (.connected(.caller), .hangup(9906, "wrong"), .connected(.callee)),
        (.connected(.callee).after(.interrupted), .hangup(9906, "wrong"), .connected(.caller)),
    ]

    @Test("It ends the call in every phase and opens no gate; the other end gets remoteFailed", arguments: phases)
    func everyPhase(machine: CallMachine, message: SignalingMessage.Body, other: CallMachine) {
        var (machine, other) = (machine, other)
        #expect(
            machine.handle(.mediaFailed(.security(text: "wrong")))
                == .end(.securityFailed, by: .peer, telling: message))
        #expect(machine.end == CallEnd(reason: .securityFailed, code: 9906, text: "wrong", by: .peer))
        #expect(other.handle(.received(message)) == .end(.remoteFailed, by: .peer))
        #expect(machine.handle(.firstVideoFrame) == [], "the media of such a peer is never shown")
    }
}
