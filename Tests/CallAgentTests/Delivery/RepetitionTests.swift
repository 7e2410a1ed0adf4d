import Testing

@testable import CallAgent

/// Which messages are repeated, how often, and when they are given up.
struct RepetitionTests {
    private var alice = DeliveryEnd()

    @Test("A message is sent at once with its number, and an acknowledgement stops its repetition")
    mutating func acknowledged() {
        let first = alice.send(.anInvite).transmitted
        let second = alice.send(.aCandidate).transmitted
        #expect((first + second).map(\.sequence) == [1, 2])
        #expect(!alice.delivery.isIdle)
        alice.hearAck(2)
        alice.hearAck(1)
        #expect(alice.delivery.isIdle)
        #expect(alice.delivery.nextWake == nil)
        #expect(alice.elapse(100_000).isEmpty)
    }

    @Test("The same message is repeated after 0.5, 1, 2 and 4 s and then every 4 s")
    mutating func backOff() {
        let first = alice.send(.aCandidate)
        let repeated = alice.elapse(20_000)
        #expect(repeated.map(\.at) == [500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500])
        #expect(repeated.allSatisfy { [$0.action] == first })
    }

    @Test("The pauses are configurable")
    mutating func configured() {
        var timing = DeliveryTiming()
        (timing.firstRetryMs, timing.longestRetryMs, timing.expiryMs) = (10, 15, 50)
        alice = DeliveryEnd(timing: timing)
        _ = alice.send(.hangup(9900))
        let happened = alice.elapse(1_000)
        #expect(happened.map(\.at) == [10, 25, 40, 50])
        #expect(happened.last.map { if case .failed = $0.action { true } else { false } } == true)
    }

    @Test("An invite is given up at its ring timeout and reported")
    mutating func inviteExpires() throws {
        let invite = try #require(
            alice.send(.invite(.init(media: .audioVideo, ringTimeoutMs: 5_000, sdp: "o"))).transmitted.first)
        let happened = alice.elapse(60_000)
        #expect(happened.last?.at == 5_000)
        #expect(happened.last?.action == .failed(invite, .unacknowledged))
        #expect(alice.delivery.isIdle)
    }

    @Test(
        "A farewell is given up after 32 s",
        arguments: [SignalingMessage.Body.hangup(9900), .cancel(487), .reject(603)])
    mutating func farewellExpires(body: SignalingMessage.Body) throws {
        let farewell = try #require(alice.send(body).transmitted.first)
        let happened = alice.elapse(100_000)
        #expect(happened.last?.at == 32_000)
        #expect(happened.last?.action == .failed(farewell, .unacknowledged))
        #expect(happened.count == 11, "ten repetitions")
    }

    @Test("Other messages are repeated until the call is forgotten, and a farewell also after that")
    mutating func untilForgotten() {
        _ = alice.send(.state(.init(video: .off)))
        _ = alice.send(.query)
        #expect(alice.elapse(3_600_000).count > 1_700)
        #expect(!alice.delivery.isIdle)
        _ = alice.send(.aCandidate, to: "carol", call: "c2")
        alice.delivery.forget("c1")
        let later = alice.elapse(10_000).map(\.action).transmitted
        #expect(Set(later.map(\.callId)) == ["c2"], "another call is not touched")
        _ = alice.send(.hangup(9900), to: "carol", call: "c2")
        alice.delivery.forget(CallKey(peer: "carol", callId: "c2"))
        #expect(!alice.delivery.isIdle, "the farewell is still on its way")
        #expect(alice.elapse(5_000).map(\.action).transmitted.map(\.body) == Array(repeating: .hangup(9900), count: 3))
    }

    @Test("Acknowledgements, errors and server notices are sent once and without a number")
    mutating func unreliable() {
        for body in [SignalingMessage.Body.ack("m"), .error(481), .gone] {
            #expect(alice.send(body).transmitted.map(\.sequence) == [nil])
        }
        #expect(alice.delivery.isIdle)
    }

    @Test("An acknowledgement counts only from the receiver, for that call and that message")
    mutating func foreignAcknowledgement() {
        _ = alice.send(.anInvite)
        alice.hearAck(1, from: "mallory")
        alice.hearAck(1, call: "c2")
        alice.hearAck(2)
        #expect(!alice.delivery.isIdle)
        alice.hearAck(1)
        #expect(alice.delivery.isIdle)
    }

    @Test("An acknowledgement of an acknowledgement does not acknowledge a message")
    mutating func acksAreSilent() {
        _ = alice.send(.anInvite)
        let ack = SignalingMessage(id: "k", callId: "c1", from: "bob", to: "alice", sentUnixMs: 0, body: .ack("a1"))
        #expect(alice.receive(ack).isEmpty)
    }

    // MARK: Errors

    @Test(
        "An invite that the server or the peer refuses is not repeated",
        arguments: [400, 403, 404, 413, 426, 429, 480, 481])
    mutating func inviteRefused(code: Int) {
        _ = alice.send(.anInvite)
        let error = fault(code, ref: "a1")
        #expect(alice.receive(error) == [.deliver(error)], "the call gets the error")
        #expect(alice.delivery.isIdle)
    }

    @Test("A message to an absent user or a busy server is repeated", arguments: [404, 480, 429])
    mutating func repeatedThroughErrors(code: Int) {
        _ = alice.send(.state(.init(video: .off)))
        _ = alice.receive(fault(code, ref: "a1"))
        #expect(!alice.delivery.isIdle)
        #expect(alice.elapse(500).count == 1)
    }

    @Test("A permanently refused message is not repeated and is reported", arguments: [400, 403, 413, 426, 481])
    mutating func finalErrors(code: Int) {
        _ = alice.send(.state(.init(video: .off)))
        var error = fault(code, ref: "a1")
        error.from = "bob"
        guard case .failed(let given, .refused(code, _)) = alice.receive(error).first else {
            Issue.record("nobody was told")
            return
        }
        #expect(given.id == "a1")
        #expect(alice.delivery.isIdle)
    }

    @Test(
        "A message that the server refused is replaced by a skip with the same number",
        arguments: [400, 403, 413])
    mutating func skipped(code: Int) throws {
        _ = alice.send(.state(.init(video: .off)))
        let second = try #require(alice.send(.aCandidate).transmitted.first)
        let actions = alice.receive(fault(code, ref: "a1"))
        let skip = try #require(actions.transmitted.first)
        #expect(skip.body == .skip && skip.sequence == 1 && skip.id == "s1")
        var bob = DeliveryEnd("bob")
        #expect(bob.receive(second).delivered.isEmpty)
        #expect(
            bob.receive(skip).delivered.map(\.sequence) == [2], "the waiting message is delivered, the skip is not")
        // The skip is repeated like any message. A refused skip is not replaced again.
        #expect(alice.elapse(500).map(\.action).transmitted.map(\.id) == ["s1", "a2"])
        #expect(alice.receive(fault(403, ref: "s1")).transmitted.isEmpty)
    }

    @Test("A message to all devices still waits for the others after one of them refused it")
    mutating func refusedByOneDevice() {
        for device in ["tv", "phone"] { _ = alice.receive(.ofBob(1, .ringing, device: device)) }
        _ = alice.send(.state(.init(video: .off)))
        var error = fault(426, ref: "a1")
        (error.from, error.device) = ("bob", "tv")
        _ = alice.receive(error)
        #expect(!alice.delivery.isIdle)
        alice.hearAck(1, device: "phone")
        #expect(alice.delivery.isIdle)
    }

    @Test("An error about another message, of another call or from a stranger stops no repetition")
    mutating func errorsOfOthers() {
        _ = alice.send(.anInvite)
        _ = alice.receive(fault(404, ref: "a2"))
        _ = alice.receive(fault(404, ref: nil))
        _ = alice.receive(fault(404, ref: "a1", call: "c2"))
        _ = alice.receive(fault(404, ref: "a1", from: "mallory"))
        #expect(!alice.delivery.isIdle)
        _ = alice.receive(fault(400, ref: "a1", from: "bob"))
        #expect(alice.delivery.isIdle)
    }

    private func fault(_ code: Int, ref: String?, call: String = "c1", from: String = "") -> SignalingMessage {
        SignalingMessage(
            id: "e", callId: call, from: from, to: "alice", sentUnixMs: 0,
            body: .error(.init(code: code, text: "", ref: ref)))
    }
}
