import Testing

@testable import CallAgent

/// Which call a message belongs to, and what happens to a message of no call.
struct RoutingTests {
    private var routing = CallRouting(limit: 1)

    @Test("D2: a message belongs to a call only if its id and its peer match", arguments: EventKinds.bodies)
    mutating func idAndPeer(body: SignalingMessage.Body) {
        routing.list("c1", .init(peer: "bob", role: .caller, state: .ringing))
        #expect(routing.route(body, call: "c1") == .call("c1"))
        #expect(routing.route(body, call: "c1", from: "mallory") != .call("c1"))
        #expect(routing.route(body, call: "c1", from: "") == .call("c1"), "a message of the server itself")
        #expect(routing.route(body, call: "c2") != .call("c1"))
    }

    @Test(
        "E10: a late message of call N never reaches call N+1 with the same user",
        arguments: [
            SignalingMessage.Body.cancel(9900), .hangup(9900), .reject(603), .error(404), .gone, .ringing, .aCandidate,
        ])
    mutating func lateMessage(body: SignalingMessage.Body) {
        routing.list("c1", .init(peer: "bob", role: .callee, state: .ringing))
        routing.end("c1")
        routing.list("c2", .init(peer: "bob", role: .callee, state: .connected))
        #expect(routing.route(body, call: "c1").isStray)
        #expect(Set(routing.active.keys) == ["c2"])
    }

    @Test("E8, E9: a repeated invite goes to its call, and an invite of an ended call does not ring")
    mutating func repeatedInvite() {
        #expect(routing.route(.anInvite, call: "c1") == .ring)
        routing.list("c1", .init(peer: "bob", role: .callee, state: .ringing))
        #expect(routing.route(.anInvite, call: "c1") == .call("c1"))
        routing.end("c1")
        #expect(routing.route(.anInvite, call: "c1").isStray)
        let isUsedTwice = routing.add("c1", .init(peer: "bob", role: .callee, state: .calling))
        #expect(!isUsedTwice)
    }

    @Test(
        "U12: an invite does not ring if its farewell arrived first",
        arguments: [SignalingMessage.Body.cancel(9900), .hangup(9900), .reject(603)])
    mutating func farewellFirst(body: SignalingMessage.Body) {
        #expect(routing.route(body, call: "c1").isStray)
        #expect(routing.route(.anInvite, call: "c1").isStray)
        #expect(routing.route(.anInvite, call: "c2") == .ring)
    }

    @Test("E11: an invite older than its ring timeout does not ring; the clocks may differ by two seconds")
    mutating func expiry() {
        let ring = 30_000.0
        for (age, route) in [
            (0, CallRouting.Route.ring), (ring + 2_000, .ring), (ring + 2_001, .expired(milliseconds: 32_001)),
            (-1_000_000, .ring), (1e300, .expired(milliseconds: 1_000_000_000_000)),
        ] {
            #expect(routing.route(.anInvite, call: "c1", sentUnixMs: 1e9, unixMs: 1e9 + age) == route)
        }
        #expect(routing.route(.anInvite, call: "c1", sentUnixMs: 0, unixMs: 1e13) == .ring, "no clock at all")
    }

    @Test("An expired invite does not affect the next call")
    mutating func nextAfterExpiry() {
        #expect(routing.route(.anInvite, call: "c1", sentUnixMs: 1, unixMs: 1e6) == .expired(milliseconds: 999_999))
        #expect(routing.route(.anInvite, call: "c2", sentUnixMs: 1e6, unixMs: 1e6) == .ring)
    }

    @Test(
        "U15: at the limit the next call is busy, in every state of the other calls", arguments: CallState.allCases)
    mutating func busy(state: CallState) {
        routing = CallRouting(limit: 2)
        routing.list("c1", .init(peer: "bob", role: .callee, state: state))
        #expect(routing.route(.anInvite, call: "c3", from: "carol") == .ring)
        routing.list("c2", .init(peer: "dave", role: .callee, state: state))
        #expect(routing.isFull)
        #expect(routing.route(.anInvite, call: "c3", from: "carol") == .busy)
        let isAdded = routing.add("c3", .init(peer: "carol", role: .callee, state: .calling))
        #expect(!isAdded)
        routing.end("c1")
        #expect(routing.route(.anInvite, call: "c3", from: "carol") == .ring, "a busy call may be tried again")
    }

    @Test("U11: a query or accept of an unknown call gets an error; other messages are not answered")
    mutating func unknownCall() {
        for body in EventKinds.bodies + [.query, .status(.connected), .info("x"), .state(.init()), .ack("m"), .commit] {
            let route = routing.route(body, call: "c9")
            switch body {
            case .query, .accept: #expect(route == .unknownCall)
            case .invite: #expect(route == .ring)
            default: #expect(route.isStray)
            }
        }
        #expect(routing.route(.query, call: "c9") == .unknownCall, "after its end, too")
    }

    @Test("Only a peer's call that rings, or is about to ring, is found")
    mutating func ringingCall() {
        routing = CallRouting(limit: 3)
        routing.list("c1", .init(peer: "bob", role: .caller, state: .ringing))
        routing.list("c2", .init(peer: "carol", role: .callee, state: .calling))
        #expect(routing.ringing(from: "bob") == nil)
        let theirs = CallKey(peer: "carol", callId: "c2")
        #expect(routing.ringing(from: "carol") == theirs)
        routing.note(.ringing, of: theirs)
        #expect(routing.ringing(from: "carol") == theirs)
        routing.note(.connected, of: theirs)
        #expect(routing.ringing(from: "carol") == nil)
    }

    @Test("The memory of ended calls is bounded, and the oldest is forgotten first")
    mutating func bounded() {
        for number in 0..<1_025 {
            routing.list("x\(number)", .init(role: .callee, state: .ringing))
            routing.end("x\(number)")
        }
        #expect(routing.route(.anInvite, call: "x1024").isStray)
        #expect(routing.route(.anInvite, call: "x1").isStray)
        #expect(routing.route(.anInvite, call: "x0") == .ring)
    }

    @Test("Farewells of unknown calls displace only each other from the memory")
    mutating func strangersEnds() {
        routing.list("c1", .init(role: .callee, state: .ringing))
        routing.end("c1")
        for number in 0..<2_000 { _ = routing.route(.cancel(9900), call: "x\(number)", from: "mallory") }
        #expect(routing.route(.anInvite, call: "c1").isStray)
        #expect(routing.route(.anInvite, call: "x0", from: "mallory") == .ring)
        #expect(routing.route(.anInvite, call: "x1999", from: "mallory").isStray)
    }

    @Test("A stranger who guesses a call id cannot void, end or take a call")
    mutating func guessedId() {
        routing = CallRouting(limit: 2)
        for body in [SignalingMessage.Body.cancel(9900), .hangup(9900), .reject(603)] {
            #expect(routing.route(body, call: "c1", from: "mallory").isStray)
        }
        #expect(routing.route(.anInvite, call: "c1") == .ring, "the caller's own invite rings")
        routing.list("c1", .init(role: .callee, state: .ringing))
        #expect(routing.route(.cancel(9900), call: "c1", from: "mallory").isStray)
        #expect(routing.active["c1"] != nil)
        // A call of the stranger with that id is another call, and an error of the server is about the own one.
        routing.list("c1", .init(peer: "carol", role: .callee, state: .ringing))
        #expect(routing.route(.hangup(9900), call: "c1", from: "carol") == .call(CallKey(peer: "carol", callId: "c1")))
        #expect(routing.route(.error(480), call: "c1", from: "") == .call("c1"))
    }
}
