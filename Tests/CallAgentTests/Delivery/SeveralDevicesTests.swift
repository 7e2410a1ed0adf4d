import Testing

@testable import CallAgent

/// Messages to a user with several devices.
struct SeveralDevicesTests {
    private var alice = DeliveryEnd(device: "desk")

    @Test("A message to all devices is repeated until every device of the call has acknowledged it")
    mutating func everyDevice() {
        _ = alice.send(.anInvite)
        for device in ["tv", "phone"] { _ = alice.receive(.ofBob(1, .ringing, device: device)) }
        alice.hearAck(1, device: "tv")
        #expect(!alice.delivery.isIdle)
        alice.hearAck(1, device: "tv")
        #expect(!alice.delivery.isIdle, "the same one again is not another one")
        alice.hearAck(1, device: "phone")
        #expect(alice.delivery.isIdle)
    }

    @Test("A device of another call or another user does not count")
    mutating func othersDoNotCount() {
        _ = alice.send(.anInvite)
        _ = alice.receive(.ofBob(1, .ringing, call: "c2", device: "phone"))
        var carol = SignalingMessage.ofBob(1, .ringing, device: "car")
        carol.from = "carol"
        _ = alice.receive(carol)
        _ = alice.receive(.ofBob(1, .ringing, device: "tv"))
        alice.hearAck(1, device: "tv")
        #expect(alice.delivery.isIdle)
    }

    @Test("A message to one device needs only the acknowledgement of that device")
    mutating func oneDevice() {
        for device in ["tv", "phone"] { _ = alice.receive(.ofBob(1, .ringing, device: device)) }
        _ = alice.send(.state(.init(video: .off)), device: "tv")
        alice.hearAck(1, device: "tv")
        #expect(alice.delivery.isIdle)
    }

    @Test("U14: the cancel to the other devices is repeated until each acknowledges it, even after the hang-up")
    mutating func cancelOutlivesTheHangUp() {
        _ = alice.send(.anInvite)
        for device in ["tv", "phone"] {
            _ = alice.receive(.ofBob(1, .ringing, device: device))
            alice.hearAck(1, device: device)
        }
        _ = alice.send(.cancel(.init(code: 200, text: "", winner: "tv")))
        alice.hearAck(2, device: "tv")
        _ = alice.send(.hangup(9900), device: "tv")
        alice.hearAck(3, device: "tv")
        alice.delivery.forget("c1")
        #expect(alice.elapse(500).map(\.action).transmitted.map(\.id) == ["a2"], "the phone still rings")
        alice.hearAck(2, device: "phone")
        #expect(alice.delivery.isIdle)
    }

    @Test("A state to all devices that arrives after one to this device is older and is dropped")
    mutating func staleState() {
        var end = DeliveryEnd(device: "tv")
        let old = SignalingMessage.Body.state(.init(video: .off))
        #expect(end.receive(.ofBob(1, old, device: "desk", forAll: true)).delivered.map(\.body) == [old])
        #expect(end.receive(.ofBob(1, .state(.init()), device: "desk")).delivered.count == 1)
        let late = end.receive(.ofBob(2, old, device: "desk", forAll: true))
        #expect(late.delivered.isEmpty)
        #expect(late.acknowledged == ["b2"], "it is acknowledged, else it would be repeated forever")
        let candidate = end.receive(.ofBob(3, .aCandidate, device: "desk", forAll: true))
        #expect(candidate.delivered.count == 1, "a candidate is never stale")
    }

    @Test("A state to all devices is not dropped after another message to this device alone")
    mutating func firstState() async throws {
        var end = DeliveryEnd(device: "tv")
        #expect(end.receive(.ofBob(1, .info("hello"), device: "desk")).delivered.count == 1)
        let state = SignalingMessage.Body.state(.init(video: .off))
        #expect(end.receive(.ofBob(1, state, device: "desk", forAll: true)).delivered.map(\.body) == [state])
    }

    @Test("A state to all devices from another device is not dropped")
    mutating func stateOfAnother() {
        var end = DeliveryEnd(device: "tv")
        _ = end.receive(.ofBob(1, .state(.init()), device: "desk"))
        #expect(end.receive(.ofBob(1, .state(.init(audio: .off)), device: "phone", forAll: true)).delivered.count == 1)
    }
}
