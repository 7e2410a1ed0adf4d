import Testing

@testable import SignalingServer

/// Facts in, actions out: no socket, no clock.
struct SwitchboardTests {
    private var board = Switchboard(callsPerConnection: 2, rememberedUsers: 4)

    // MARK: Signing in

    @Test mutating func aUserIsKnownFromTheSignInUntilTheClose() {
        let alice = board.opened()
        #expect(board.user(of: alice) == nil)
        #expect(received(signIn("alice"), alice) == [.send(.signedIn(user: "alice"), to: alice)])
        #expect(board.user(of: alice) == "alice")
        #expect(board.closed(alice, unixMs: 5).isEmpty)
        #expect(board.user(of: alice) == nil)
    }

    @Test mutating func aRefusalIsSaidAndThenClosedAndNothingMoreIsHeard() {
        let first = board.opened()
        let second = board.opened()
        _ = received(signIn("alice"), first)
        let text = "alice is signed in already"
        #expect(
            received(signIn("alice"), second)
                == [.send(.refused(code: 409, text: text), to: second), .close(second, text: text)])
        #expect(received(signIn("bob"), second).isEmpty)
        #expect(board.signInTimedOut(second).isEmpty)
        #expect(board.closed(second, unixMs: 5).isEmpty)
    }

    @Test mutating func theVersionIsLookedAtBeforeTheRest() {
        let connection = board.opened()
        #expect(refusal(received(Envelope(version: 2, type: "hello"), connection)) == 426)
    }

    @Test mutating func theTimeToSignInEndsOnlyForThoseWhoDidNot() {
        let late = board.opened()
        let early = board.opened()
        _ = received(signIn("early"), early)
        #expect(board.signInTimedOut(early).isEmpty)
        #expect(refusal(board.signInTimedOut(late)) == 408)
        #expect(board.signInTimedOut(late).isEmpty)
    }

    @Test mutating func aConnectionThatDoesNotExistSaysNothing() {
        let ghost = ConnectionID(number: 99)
        #expect(received(signIn("alice"), ghost).isEmpty)
        #expect(board.signInTimedOut(ghost).isEmpty)
        #expect(board.closed(ghost, unixMs: 5).isEmpty)
    }

    // MARK: Routing

    @Test mutating func aMessageIsForwardedToWhomItIsFor() {
        let (alice, bob) = (signedIn("alice"), signedIn("bob"))
        #expect(received(message("alice", "bob"), alice) == [.forward(to: bob)])
        #expect(received(message("bob", "alice"), bob) == [.forward(to: alice)])
        #expect(received(message("alice", "alice"), alice) == [.forward(to: alice)])
    }

    @Test mutating func namesOf64CharactersPassAndOf65DoNot() {
        let alice = signedIn("alice")
        let longest = String(repeating: "n", count: 64)
        let tooLong = longest + "n"
        #expect(received(message("alice", "alice", call: longest, id: longest), alice) == [.forward(to: alice)])
        #expect(fault(received(message("alice", "alice", call: tooLong), alice))?.callId == "-")
        #expect(fault(received(message("alice", "alice", id: tooLong), alice))?.ref == "-")
        #expect(fault(received(message("alice", longest), alice))?.code == 404)
        #expect(fault(received(message("alice", tooLong), alice))?.code == 400)
    }

    @Test(arguments: [(-1, 0), (0, 0), (10_000, 10_000), (10_001, 0)])
    func anErrorRepeatsAGenerationWithinTheBounds(given: Int, expected: Int) {
        var copy = self
        let alice = copy.signedIn("alice")
        var envelope = message("alice", "nobody")
        envelope.generation = given
        #expect(copy.fault(copy.received(envelope, alice))?.generation == expected)
    }

    @Test mutating func theServersOwnMessagesHaveDifferentIds() {
        let alice = signedIn("alice")
        let ids = (0..<10).compactMap { _ -> String? in
            guard case .send(.error(_, let id, _, _), _) = received(nil, alice).first else { return nil }
            return id
        }
        #expect(Set(ids).count == 10)
    }

    @Test mutating func onlyTheLastUsersAreRemembered() {
        let alice = signedIn("alice")
        for user in ["b", "c", "d"] { _ = board.closed(signedIn(user), unixMs: 5) }
        #expect(fault(received(message("alice", "b"), alice))?.code == 480)
        // The fifth name takes the place of the first, alice, and the sixth that of b. A name again takes none.
        _ = board.closed(signedIn("d"), unixMs: 5)
        for user in ["e", "f"] { _ = board.closed(signedIn(user), unixMs: 5) }
        #expect(fault(received(message("alice", "b"), alice))?.code == 404)
        #expect(fault(received(message("alice", "c"), alice))?.code == 480)
        #expect(received(message("alice", "alice"), alice) == [.forward(to: alice)])
    }

    // MARK: Calls

    @Test mutating func bothUsersOfACallAreToldOnceAboutTheOther() {
        let (alice, bob) = (signedIn("alice"), signedIn("bob"))
        _ = received(message("alice", "bob", "invite"), alice)
        let gone = board.closed(alice, unixMs: 7)
        #expect(
            gone == [.send(.gone(id: "server-1", callId: "c1", from: "alice", to: "bob", unixMs: 7), to: bob)])
        #expect(board.closed(bob, unixMs: 8).isEmpty)
    }

    @Test mutating func theCallerIsToldAgainWhenTheCalleeLeavesAgain() {
        let alice = signedIn("alice")
        let bob = signedIn("bob")
        _ = received(message("alice", "bob", "invite"), alice)
        #expect(board.closed(bob, unixMs: 5).count == 1)
        let bobAgain = signedIn("bob")
        #expect(board.closed(bobAgain, unixMs: 5).count == 1)
    }

    @Test mutating func everyCallOfAConnectionIsGoneWithItInTheOrderOfTheirNames() {
        let (alice, bob, carol) = (signedIn("alice"), signedIn("bob"), signedIn("carol"))
        _ = received(message("alice", "bob", "invite", call: "c2"), alice)
        _ = received(message("alice", "carol", "invite", call: "c1"), alice)
        _ = received(message("bob", "alice", "invite", call: "c3"), bob)
        let told = board.closed(alice, unixMs: 5).compactMap { action -> String? in
            guard case .send(.gone(_, let callId, _, let to, _), let receiver) = action else { return nil }
            #expect(receiver == (to == "bob" ? bob : carol))
            return "\(callId) \(to)"
        }
        #expect(told == ["c1 carol", "c2 bob", "c3 bob"])
    }

    @Test mutating func onlyThePartiesOfACallCanEndIt() {
        let (alice, bob, eve) = (signedIn("alice"), signedIn("bob"), signedIn("eve"))
        _ = received(message("alice", "bob", "invite"), alice)
        for type in ["reject", "cancel", "hangup"] {
            _ = received(message("eve", "alice", type), eve)
            _ = received(message("eve", "bob", type), eve)
        }
        // The callee does not cancel, and the caller does not reject.
        _ = received(message("bob", "alice", "cancel"), bob)
        _ = received(message("alice", "bob", "reject"), alice)
        #expect(board.closed(bob, unixMs: 5).count == 1)
    }

    @Test mutating func aCallEndsHereAlsoWhenTheOtherUserCannotBeTold() {
        let alice = signedIn("alice")
        let bob = signedIn("bob")
        _ = received(message("alice", "bob", "invite"), alice)
        _ = board.closed(bob, unixMs: 5)
        #expect(fault(received(message("alice", "bob", "cancel"), alice))?.code == 480)
        #expect(board.closed(signedIn("bob"), unixMs: 5).isEmpty)
    }

    @Test mutating func anInviteThatWasNotDeliveredIsNoCall() {
        let alice = signedIn("alice")
        for number in 0..<5 {
            #expect(fault(received(message("alice", "bob", "invite", call: "c\(number)"), alice))?.code == 404)
        }
        #expect(board.closed(signedIn("bob"), unixMs: 5).isEmpty)
    }

    @Test mutating func theBoundCountsTheCallsThatAConnectionInvitedTo() {
        let (alice, bob) = (signedIn("alice"), signedIn("bob"))
        #expect(received(message("alice", "bob", "invite", call: "c1"), alice) == [.forward(to: bob)])
        #expect(received(message("alice", "bob", "invite", call: "c2"), alice) == [.forward(to: bob)])
        #expect(fault(received(message("alice", "bob", "invite", call: "c3"), alice))?.code == 429)
        // Whom one is called by does not count: a stranger could use it up.
        #expect(received(message("bob", "alice", "invite", call: "c3"), bob) == [.forward(to: alice)])
        #expect(received(message("alice", "bob", "hangup", call: "c1"), alice) == [.forward(to: bob)])
        #expect(received(message("alice", "bob", "invite", call: "c3"), alice) == [.forward(to: bob)])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func anyOrderOfFactsKeepsTheRules(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var board = Switchboard(callsPerConnection: 3, rememberedUsers: 5)
        var open: [ConnectionID] = []
        var users: [ConnectionID: String] = [:]
        let names = ["a", "b", "c", "d"]
        for _ in 0..<2_000 {
            let name = names.randomElement(using: &generator) ?? "a"
            let connection = open.randomElement(using: &generator)
            var actions: [SwitchboardAction] = []
            switch (Int.random(in: 0..<10, using: &generator), connection) {
            case (0, _), (_, nil): open.append(board.opened())
            case (1, let connection?):
                actions = board.closed(connection, unixMs: 1)
                open.removeAll { $0 == connection }
                users[connection] = nil
            case (2, let connection?): actions = board.signInTimedOut(connection)
            case (3, let connection?): actions = board.received(signIn(name), on: connection, unixMs: 1)
            case (_, let connection?):
                let type = ["invite", "reject", "cancel", "hangup", "error", "ringing"].randomElement(using: &generator)
                let from = Bool.random(using: &generator) ? users[connection] ?? name : name
                actions = board.received(
                    message(from, name, type ?? "", call: "c\(Int.random(in: 0..<5, using: &generator))"),
                    on: connection, unixMs: 1)
            }
            for action in actions {
                switch action {
                case .send(.signedIn(let user), let receiver):
                    #expect(!users.values.contains(user), "seed \(seed)")
                    users[receiver] = user
                case .forward(let receiver), .send(.gone, let receiver), .send(.error, let receiver):
                    #expect(users[receiver] != nil, "seed \(seed)")
                case .send(.refused, let receiver), .close(let receiver, _):
                    #expect(users[receiver] == nil, "seed \(seed)")
                }
            }
        }
    }

    // MARK: Pieces

    private func signIn(_ user: String) -> Envelope { Envelope(version: 1, type: "signIn", user: user) }

    private func message(
        _ from: String, _ to: String, _ type: String = "ringing", call: String = "c1", id: String = "m1"
    ) -> Envelope {
        Envelope(version: 1, type: type, id: id, callId: call, from: from, to: to)
    }

    private mutating func received(_ envelope: Envelope?, _ connection: ConnectionID) -> [SwitchboardAction] {
        board.received(envelope, on: connection, unixMs: 5)
    }

    private mutating func signedIn(_ user: String) -> ConnectionID {
        let connection = board.opened()
        #expect(received(signIn(user), connection) == [.send(.signedIn(user: user), to: connection)])
        return connection
    }

    private func refusal(_ actions: [SwitchboardAction]) -> Int? {
        guard actions.count == 2, case .send(.refused(let code, _), _) = actions[0], case .close = actions[1] else {
            return nil
        }
        return code
    }

    private func fault(_ actions: [SwitchboardAction]) -> ServerMessage.Fault? {
        guard actions.count == 1, case .send(.error(let fault, _, _, _), _) = actions[0] else { return nil }
        return fault
    }
}
