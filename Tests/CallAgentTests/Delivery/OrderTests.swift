import Testing

@testable import CallAgent

/// Each message is delivered once and in order.
struct OrderTests {
    private var alice = DeliveryEnd(device: "tv")

    @Test("A duplicate is dropped and acknowledged again, since the first acknowledgement may be lost")
    mutating func duplicates() {
        let message = SignalingMessage.ofBob(1)
        let first = alice.receive(message)
        #expect(first.delivered == [message])
        #expect(first.acknowledged == ["b1"])
        for _ in 0..<3 {
            let again = alice.receive(message)
            #expect(again.delivered.isEmpty)
            #expect(again.acknowledged == ["b1"])
        }
    }

    @Test("An acknowledgement goes to the device that sent the message, about its call and peer connection")
    mutating func addressee() throws {
        var message = SignalingMessage.ofBob(1, device: "phone")
        message.generation = 2
        let ack = try #require(alice.receive(message).transmitted.first)
        #expect((ack.callId, ack.from, ack.to, ack.generation) == ("c1", "alice", "bob", 2))
        #expect((ack.device, ack.toDevice, ack.sequence) == ("tv", "phone", nil))
    }

    @Test("A message that arrives too early is acknowledged and waits for the missing one")
    mutating func reordered() {
        for sequence in [3, 2, 4] {
            let actions = alice.receive(.ofBob(sequence, .info("\(sequence)")))
            #expect(actions.delivered.isEmpty)
            #expect(actions.acknowledged == ["b\(sequence)"])
        }
        let delivered = alice.receive(.ofBob(1, .info("1"))).delivered
        #expect(delivered.map(\.sequence) == [1, 2, 3, 4])
    }

    @Test("Six messages, each sent twice, are delivered in order for every order of arrival")
    mutating func everyOrder() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            var end = DeliveryEnd(device: "tv")
            let row = ([1, 2, 3, 4, 5, 6] + [1, 2, 3, 4, 5, 6]).shuffled(using: &random)
            var delivered: [Int?] = []
            for sequence in row { delivered += end.receive(.ofBob(sequence)).delivered.map(\.sequence) }
            #expect(delivered == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test(
        "A farewell or a query does not wait for lost messages and is delivered once",
        arguments: [
            SignalingMessage.Body.hangup(9900), .cancel(9900), .reject(603), .query, .status(.connected),
        ])
    mutating func overtaking(body: SignalingMessage.Body) {
        #expect(alice.receive(.ofBob(3, body)).delivered.map(\.body) == [body])
        #expect(alice.receive(.ofBob(3, body)).delivered.isEmpty)
        #expect(alice.receive(.ofBob(2, .aCandidate)).delivered.isEmpty)
        #expect(alice.receive(.ofBob(1)).delivered.map(\.sequence) == [1, 2])
        #expect(alice.receive(.ofBob(4, .aCandidate)).delivered.map(\.sequence) == [4])
    }

    @Test("No other message overtakes")
    mutating func waiting() {
        let bodies: [SignalingMessage.Body] = [
            .anInvite, .ringing, .progress(sdp: "x"), .accept(sdp: "x"), .aCandidate, .state(.init()), .info("x"),
            .commit, .rollback, .answer(sdp: "x"), .offer(.init(media: .audioOnly, sdp: "x")), .renegotiate(.audioOnly),
        ]
        for (index, body) in bodies.enumerated() {
            #expect(alice.receive(.ofBob(index + 2, body)).delivered.isEmpty)
        }
        #expect(alice.receive(.ofBob(1)).delivered.count == bodies.count + 1)
    }

    @Test("Each call, sender and device has its own stream")
    mutating func rows() {
        #expect(alice.receive(.ofBob(1)).delivered.count == 1)
        #expect(alice.receive(.ofBob(1, call: "c2")).delivered.count == 1)
        #expect(alice.receive(.ofBob(1, device: "phone")).delivered.count == 1)
        #expect(alice.receive(.ofBob(1, device: "phone", forAll: true)).delivered.count == 1)
        var carol = SignalingMessage.ofBob(1)
        carol.from = "carol"
        #expect(alice.receive(carol).delivered.count == 1)
    }

    @Test("Messages to one device and messages to all devices have separate numbers")
    mutating func countersApart() {
        #expect(alice.send(.anInvite).transmitted.map(\.sequence) == [1])
        #expect(alice.send(.query, device: "phone").transmitted.map(\.sequence) == [1])
        #expect(alice.send(.aCandidate).transmitted.map(\.sequence) == [2])
        #expect(alice.send(.aCandidate, device: "phone").transmitted.map(\.sequence) == [2])
    }

    @Test("A message without a number is delivered at once and not acknowledged")
    mutating func unnumbered() {
        let message = SignalingMessage.ofBob(nil, .aCandidate)
        #expect(alice.receive(message) == [.deliver(message)])
        #expect(alice.receive(message) == [.deliver(message)])
        var server = SignalingMessage.ofBob(7, .error(404))
        server.from = ""
        #expect(alice.receive(server) == [.deliver(server)])
    }

    // MARK: Bounds

    @Test("A message too far ahead is neither kept nor acknowledged, so that it is repeated")
    mutating func window() {
        #expect(alice.receive(.ofBob(129)).isEmpty)
        #expect(alice.receive(.ofBob(1_000_000, .hangup(9900))).isEmpty, "not even a farewell")
        #expect(alice.receive(.ofBob(128)).acknowledged == ["b128"])
        #expect(alice.receive(.ofBob(1)).delivered.map(\.sequence) == [1])
        #expect(alice.receive(.ofBob(129)).acknowledged == ["b129"], "the window moves on")
    }

    @Test("All streams together have a limit of waiting messages; the missing message is always taken")
    mutating func held() {
        var kept = 0
        for call in 0..<20 {
            for sequence in 2...100 where !alice.receive(.ofBob(sequence, .aCandidate, call: "x\(call)")).isEmpty {
                kept += 1
            }
        }
        #expect(kept == Delivery.maximumHeld)
        #expect(alice.receive(.ofBob(2, call: "c1")).isEmpty)
        #expect(alice.receive(.ofBob(1, call: "c1")).delivered.count == 1)
        #expect(alice.receive(.ofBob(1, call: "x0")).delivered.count == 100)
        #expect(alice.receive(.ofBob(3, call: "c1")).acknowledged == ["b3"], "there is room again")
    }

    @Test("When too many messages are unacknowledged, a new one is given up, unless it ends a call")
    mutating func pendingBound() throws {
        for _ in 0..<Delivery.maximumPending { #expect(alice.send(.aCandidate).count == 1) }
        guard case .failed(let given, .tooManyWait) = alice.send(.aCandidate).first else {
            Issue.record("nothing was given up")
            return
        }
        #expect(given.id == "a1025" && given.sequence == nil)
        #expect(alice.send(.hangup(9900)).transmitted.map(\.sequence) == [1_025])
        #expect(!alice.delivery.isIdle)
    }
}
