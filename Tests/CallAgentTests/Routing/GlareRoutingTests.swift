import Testing

@testable import CallAgent

/// Both users call each other.
///
/// The call with the lower id remains, and both ends decide that without a message.
struct GlareRoutingTests {
    /// What each of two ends does with the other's invite.
    private func cross(_ mine: String, _ theirs: String, state: CallState = .calling) -> (
        CallRouting.Route, CallRouting.Route
    ) {
        var alice = CallRouting(limit: 1)
        var bob = CallRouting(limit: 1)
        _ = alice.add(mine, .init(peer: "bob", role: .caller, state: state))
        _ = bob.add(theirs, .init(peer: "alice", role: .caller, state: state))
        return (
            alice.route(.anInvite, call: theirs, from: "bob", to: "alice"),
            bob.route(.anInvite, call: mine, from: "alice", to: "bob")
        )
    }

    @Test("E1, U9: the lower id wins at both ends", arguments: [CallState.calling, .ringing])
    func lowerIdWins(state: CallState) {
        let (alice, bob) = cross("a", "b", state: state)
        #expect(alice.isStray)
        #expect(bob == .yield(CallKey(peer: "alice", callId: "b")))
        let (second, first) = cross("b", "a", state: state)
        #expect(second == .yield("b"))
        #expect(first.isStray)
    }

    @Test("For any two ids exactly one end yields")
    func exactlyOne() {
        var random = SeededGenerator(seed: 7)
        let letters = Array("abcXYZ019._-@+:")
        for _ in 0..<2_000 {
            let ids = (0..<2).map { _ in
                String((0...random.below(4)).map { _ in random.element(of: letters) })
            }
            guard ids[0] != ids[1] else { continue }
            let (alice, bob) = cross(ids[0], ids[1])
            #expect(
                (alice == .yield(CallKey(peer: "bob", callId: ids[0])))
                    != (bob == .yield(CallKey(peer: "alice", callId: ids[1]))), "\(ids)")
            #expect(alice.isStray != bob.isStray)
        }
    }

    @Test("Later messages of the losing call are ignored, in any order", arguments: 0..<24)
    func permuted(order: Int) {
        var random = SeededGenerator(seed: UInt64(order))
        var alice = CallRouting(limit: 1)
        alice.list("a", .init(peer: "bob", role: .caller, state: .calling))
        // The loser's invite is first, since a query and an accept follow it.
        #expect(alice.route(.anInvite, call: "b").isStray)
        for body in [SignalingMessage.Body.query, .aCandidate, .accept(sdp: "x"), .anInvite].shuffled(using: &random) {
            #expect(alice.route(body, call: "b").isStray)
        }
        #expect(alice.route(.cancel(200), call: "b").isStray)
        #expect(alice.route(.anInvite, call: "b").isStray, "after its cancel it never rings")
        #expect(alice.route(.ringing, call: "a") == .call("a"))
    }

    @Test("The end that yields continues with the peer's call id, and its own call is over")
    func adopt() {
        var bob = CallRouting(limit: 1)
        bob.list("b", .init(peer: "alice", role: .caller, state: .calling))
        let (old, new) = (CallKey(peer: "alice", callId: "b"), CallKey(peer: "alice", callId: "a"))
        #expect(bob.route(.anInvite, call: "a", from: "alice", to: "bob") == .yield(old))
        bob.adopt("a", insteadOf: old)
        #expect(bob.active == [new: .init(role: .callee, state: .calling)])
        #expect(bob.route(.aCandidate, call: "a", from: "alice", to: "bob") == .call(new))
        #expect(bob.route(.ringing, call: "b", from: "alice", to: "bob").isStray)
        #expect(bob.route(.anInvite, call: "a", from: "alice", to: "bob") == .call(new), "repeated")
        bob.adopt("z", insteadOf: "nothing")
        #expect(bob.active.count == 1)
    }

    @Test(
        "An accepted call, a call with another user and an incoming call do not yield",
        arguments: [
            ("bob", CallRole.caller, CallState.connecting), ("bob", .caller, .connected),
            ("bob", .caller, .reconnecting),
            ("bob", .callee, .ringing), ("carol", .caller, .calling),
        ])
    func noGlare(peer: String, role: CallRole, state: CallState) {
        var alice = CallRouting(limit: 1)
        alice.list("z", .init(peer: peer, role: role, state: state))
        #expect(alice.route(.anInvite, call: "a") == .busy)
    }

    @Test("An expired invite causes no glare")
    func expired() {
        var alice = CallRouting(limit: 1)
        alice.list("z", .init(peer: "bob", role: .caller, state: .calling))
        #expect(alice.route(.anInvite, call: "a", sentUnixMs: 1, unixMs: 1e6) == .expired(milliseconds: 999_999))
    }

    @Test("The memory of calls that lost is bounded")
    func bounded() {
        var alice = CallRouting(limit: 1)
        alice.list("a", .init(peer: "bob", role: .caller, state: .calling))
        for number in 0..<65 { _ = alice.route(.anInvite, call: "b\(number)") }
        #expect(alice.route(.query, call: "b64").isStray)
        #expect(alice.route(.query, call: "b0") == .unknownCall)
    }
}
