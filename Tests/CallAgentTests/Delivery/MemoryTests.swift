import Testing

@testable import CallAgent

/// What the delivery remembers, for how long, and its limits.
struct MemoryTests {
    private var alice = DeliveryEnd(device: "tv")

    @Test("The messages of unknown calls are remembered for ten minutes")
    mutating func tenMinutes() {
        _ = alice.receive(.ofBob(1))
        alice.pass(599_000)
        _ = alice.receive(.ofBob(1, call: "c2"))
        #expect(alice.receive(.ofBob(1)).delivered.isEmpty, "still known")
        alice.pass(1_300_000)
        _ = alice.receive(.ofBob(1, call: "c3"))
        #expect(alice.receive(.ofBob(1)).delivered.count == 1, "forgotten")
    }

    @Test("The numbers of a running call never restart; its hangup would be dropped as a duplicate")
    mutating func longCall() {
        var bob = DeliveryEnd("bob", device: "tv")
        exchange(alice.send(.anInvite), &bob)
        _ = alice.receive(bob.send(.ringing, to: "alice").transmitted[0])
        for minute in 1...60 {
            alice.pass(60_000)
            bob.pass(60_000)
            // Messages of unknown calls keep both ends busy.
            _ = alice.receive(.ofBob(1, call: "x\(minute)"))
            _ = bob.receive(.ofBob(1, call: "x\(minute)"))
        }
        let heard = exchange(alice.send(.state(.init(video: .off))), &bob)
        #expect(heard == [.state(.init(video: .off))])
        #expect(exchange(alice.send(.hangup(9900)), &bob) == [.hangup(9900)])
    }

    @Test("The stream of a silent peer is kept; its next message would wait forever for the first one")
    mutating func silentPeer() {
        _ = alice.send(.ringing, device: "phone")
        for sequence in 1...5 { _ = alice.receive(.ofBob(sequence, device: "phone")) }
        for minute in 1...60 {
            alice.pass(60_000)
            _ = alice.receive(.ofBob(1, call: "x\(minute)"))
        }
        #expect(alice.receive(.ofBob(6, .info("x"), device: "phone")).delivered.count == 1)
        #expect(alice.receive(.ofBob(3, device: "phone")).delivered.isEmpty, "and a duplicate is still one")
    }

    @Test("A flood of unknown calls needs bounded memory and does not affect a running call")
    mutating func flood() {
        _ = alice.send(.ringing, device: "phone")
        _ = alice.receive(.ofBob(1, device: "phone"))
        for number in 0..<(3 * Delivery.maximumStreams) {
            alice.pass(1)
            _ = alice.receive(.ofBob(1, call: "x\(number)"))
        }
        #expect(alice.delivery.streamCount <= Delivery.maximumStreams)
        #expect(alice.receive(.ofBob(2, .info("x"), device: "phone")).delivered.count == 1)
    }

    @Test("A peer that invents devices needs bounded memory")
    mutating func devices() {
        _ = alice.send(.ringing)
        for number in 0..<(2 * Delivery.maximumStreams) {
            alice.pass(1)
            _ = alice.receive(.ofBob(1, device: "d\(number)"))
        }
        #expect(alice.delivery.streamCount <= Delivery.maximumStreams)
    }

    @Test("An ended call is forgotten like an unknown one")
    mutating func forgotten() {
        for call in 0..<2_000 {
            _ = alice.send(.ringing, call: "c\(call)")
            _ = alice.receive(.ofBob(1, call: "c\(call)"))
            _ = alice.send(.hangup(9900), call: "c\(call)")
            alice.delivery.forget("c\(call)")
            _ = alice.elapse(40_000)
        }
        #expect(alice.delivery.isIdle)
        #expect(alice.delivery.streamCount < 50)
        #expect(alice.delivery.counterCount < 50)
    }

    /// Delivers outgoing messages to the other end, and its acknowledgements back.
    ///
    /// - Returns: The messages that the calls of that end get.
    @discardableResult
    private mutating func exchange(
        _ actions: [Delivery.Action], _ other: inout DeliveryEnd
    ) -> [SignalingMessage.Body] {
        actions.transmitted.flatMap { message in
            let heard = other.receive(message)
            for ack in heard.transmitted { _ = alice.receive(ack) }
            return heard.delivered.map(\.body)
        }
    }
}
