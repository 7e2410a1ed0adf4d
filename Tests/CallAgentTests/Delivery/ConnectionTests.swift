import Testing

@testable import CallAgent

/// The connection is lost and comes back; a transport needs no help; a call ends before its messages are through.
struct ConnectionTests {
    private var alice = DeliveryEnd()

    @Test("Nothing goes out without a connection; with it all that waits does, at once and in order")
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

    @Test("After the connection came back the pauses are short again")
    mutating func shortPauses() {
        _ = alice.send(.aCandidate)
        _ = alice.elapse(20_000)
        alice.delivery.connectionLost()
        _ = alice.delivery.connectionRestored(at: alice.now)
        #expect(alice.elapse(8_000).map(\.at) == [21_000, 23_000, 27_000])
    }

    @Test("What expires meanwhile is given up in time, without a connection, too")
    mutating func expiresMeanwhile() {
        _ = alice.send(.anInvite)
        alice.delivery.connectionLost()
        #expect(alice.delivery.nextWake == 30_000)
        let happened = alice.elapse(40_000)
        #expect(happened.map(\.at) == [30_000])
        #expect(alice.delivery.connectionRestored(at: alice.now).isEmpty)
    }

    @Test("Acknowledgements and errors of the time without connection are not sent later")
    mutating func unreliable() {
        alice.delivery.connectionLost()
        #expect(alice.send(.error(481)).isEmpty)
        #expect(alice.delivery.connectionRestored(at: 0).isEmpty)
    }

    // MARK: The end of a call

    @Test(
        "A farewell takes the place of all that waits about its call",
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

    @Test("That another device has the call leaves what waits alone")
    mutating func notMoot() {
        _ = alice.send(.aCandidate)
        _ = alice.send(.cancel(.init(code: 200, text: "", winner: "tv")))
        #expect(alice.elapse(500).count == 2)
    }

    @Test("U12: an invite that never went out is not sent, and not followed by a cancel")
    mutating func inviteNeverSent() {
        alice.delivery.connectionLost()
        #expect(alice.send(.anInvite).isEmpty)
        #expect(alice.send(.cancel(9900)).isEmpty)
        #expect(alice.delivery.isIdle)
        #expect(alice.delivery.connectionRestored(at: 100).isEmpty)
    }

    @Test("An invite that may have gone out is followed by its cancel")
    mutating func inviteMaybeSent() {
        _ = alice.send(.anInvite)
        alice.delivery.connectionLost()
        #expect(alice.send(.cancel(9900)).isEmpty)
        #expect(alice.delivery.connectionRestored(at: 100).transmitted.map(\.body) == [.cancel(9900)])
    }

    // MARK: Transports that need no help

    @Test("A transport that guarantees delivery gets everything once, without numbers and acknowledgements")
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

    @Test("It keeps what it cannot send at present, or says that it does not: nothing is swallowed here")
    mutating func guaranteedWithoutConnection() {
        alice = DeliveryEnd(isGuaranteed: true)
        alice.delivery.connectionLost()
        #expect(alice.send(.anInvite).transmitted.count == 1)
        #expect(alice.send(.hangup(9900)).transmitted.count == 1)
        #expect(alice.delivery.connectionRestored(at: 0).isEmpty)
    }

    @Test("What the other end numbers is acknowledged on any transport")
    mutating func guaranteedAcknowledges() {
        alice = DeliveryEnd(isGuaranteed: true)
        #expect(alice.receive(.ofBob(1)).acknowledged == ["b1"])
    }
}
