import Testing

@testable import CallAgent

/// A lost and restored connection, a transport that guarantees delivery, and a call that ends before its messages are delivered.
struct ConnectionTests {
    private var alice = DeliveryEnd()

    @Test("Without a connection nothing is sent; when it is back all waiting messages go out at once, in order")
    mutating func lostAndRestored() {
        let before = alice.send(.anInvite).transmitted
        alice.hearAck(1)
        let unheard = alice.send(.aCandidate).transmitted
        alice.delivery.connectionLost()
        #expect(alice.send(.state(.init(video: .off))).isEmpty)
        #expect(alice.send(.query).isEmpty)
        #expect(alice.elapse(60_000).isEmpty)
        let after = alice.delivery.connectionRestored(at: alice.now).transmitted
        #expect(before.count == 1)
        #expect(after.map(\.sequence) == [2, 3, 4])
        #expect(after.first == unheard.first, "the same message again")
    }

    @Test("After the connection is back the pauses start short again")
    mutating func shortPauses() {
        _ = alice.send(.aCandidate)
        _ = alice.elapse(20_000)
        alice.delivery.connectionLost()
        _ = alice.delivery.connectionRestored(at: alice.now)
        #expect(alice.elapse(8_000).map(\.at) == [21_000, 23_000, 27_000])
    }

    @Test("A message that expires without a connection is given up in time")
    mutating func expiresMeanwhile() {
        _ = alice.send(.anInvite)
        alice.delivery.connectionLost()
        #expect(alice.delivery.nextWake == 30_000)
        let happened = alice.elapse(40_000)
        #expect(happened.map(\.at) == [30_000])
        #expect(alice.delivery.connectionRestored(at: alice.now).isEmpty)
    }

    @Test("Acknowledgements and errors that arise without a connection are not sent later")
    mutating func unreliable() {
        alice.delivery.connectionLost()
        #expect(alice.send(.error(481)).isEmpty)
        #expect(alice.delivery.connectionRestored(at: 0).isEmpty)
    }

    // MARK: The end of a call

    @Test(
        "A farewell replaces all waiting messages of its call",
        arguments: [
            SignalingMessage.Body.hangup(9900), .cancel(9900), .reject(603),
        ])
    mutating func moot(farewell: SignalingMessage.Body) {
        _ = alice.send(.ringing)
        _ = alice.send(.aCandidate)
        _ = alice.send(.aCandidate, to: "carol", call: "c2")
        _ = alice.send(farewell)
        let repeated = alice.elapse(500).map(\.action).transmitted
        #expect(repeated.map(\.body) == [.aCandidate, farewell])
        #expect(repeated.map(\.callId) == ["c2", "c1"])
    }

    @Test("The cancel to the other devices does not remove waiting messages")
    mutating func notMoot() {
        _ = alice.send(.aCandidate)
        _ = alice.send(.cancel(.init(code: 200, text: "", winner: "tv")))
        #expect(alice.elapse(500).count == 2)
    }

    @Test("U12: if the call ends before its invite was sent, neither invite nor cancel is sent")
    mutating func inviteNeverSent() {
        alice.delivery.connectionLost()
        #expect(alice.send(.anInvite).isEmpty)
        #expect(alice.send(.cancel(9900)).isEmpty)
        #expect(alice.delivery.isIdle)
        #expect(alice.delivery.connectionRestored(at: 100).isEmpty)
    }

    @Test("An invite that may have been sent is followed by its cancel")
    mutating func inviteMaybeSent() {
        _ = alice.send(.anInvite)
        alice.delivery.connectionLost()
        #expect(alice.send(.cancel(9900)).isEmpty)
        #expect(alice.delivery.connectionRestored(at: 100).transmitted.map(\.body) == [.cancel(9900)])
    }

    // MARK: Transports that guarantee delivery

    @Test("A transport that guarantees delivery gets each message once, without numbers and acknowledgements")
    mutating func guaranteed() {
        alice = DeliveryEnd(isGuaranteed: true)
        for body in [SignalingMessage.Body.anInvite, .aCandidate, .hangup(9900), .error(481)] {
            #expect(alice.send(body).transmitted.map(\.sequence) == [nil])
        }
        #expect(alice.delivery.isIdle)
        #expect(alice.delivery.nextWake == nil)
        let message = SignalingMessage.ofBob(nil, .aCandidate)
        #expect(alice.receive(message) == [.deliver(message)])
    }

    @Test("Without a connection such a transport still gets every message")
    mutating func guaranteedWithoutConnection() {
        alice = DeliveryEnd(isGuaranteed: true)
        alice.delivery.connectionLost()
        #expect(alice.send(.anInvite).transmitted.count == 1)
        #expect(alice.send(.hangup(9900)).transmitted.count == 1)
        #expect(alice.delivery.connectionRestored(at: 0).isEmpty)
    }

    @Test("A numbered message is acknowledged on every transport")
    mutating func guaranteedAcknowledges() {
        alice = DeliveryEnd(isGuaranteed: true)
        #expect(alice.receive(.ofBob(1)).acknowledged == ["b1"])
    }
}
