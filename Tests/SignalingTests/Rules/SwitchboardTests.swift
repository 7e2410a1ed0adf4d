import CallProtocol
import Testing

@testable import SignalingServer

/// The switchboard gets facts and returns actions, without sockets or a clock.
struct SwitchboardTests {
    private var board = BoardUnderTest {
        $0.callsPerConnection = 2
        $0.rememberedUsers = 4
    }

    // MARK: Signing in

    @Test mutating func aUserIsKnownFromTheSignInUntilTheClose() {
        let alice = board.opened()
        #expect(board.party(of: alice) == nil)
        let party = Party(user: "alice", device: "main")
        #expect(
            received(signIn("alice"), alice)
                == [.send(.signedIn(party, resume: "resume-1", tokenExpiresInMs: nil, unixMs: 5), to: alice)])
        #expect(board.party(of: alice) == Party(user: "alice", device: "main"))
        #expect(board.closed(alice).isEmpty)
        #expect(board.party(of: alice) == nil)
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
        #expect(board.closed(second).isEmpty)
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
        #expect(board.closed(ghost).isEmpty)
    }

    // MARK: Routing

    @Test mutating func aMessageIsForwardedToWhomItIsFor() {
        let (alice, bob) = (signedIn("alice"), signedIn("bob"))
        #expect(received(message("alice", "bob"), alice) == [.forward(to: bob)])
        #expect(received(message("bob", "alice"), bob) == [.forward(to: alice)])
        #expect(fault(received(message("alice", "alice"), alice))?.code == 480)
    }

    @Test mutating func namesOf64CharactersPassAndOf65DoNot() {
        let alice = signedIn("alice")
        let longest = String(repeating: "n", count: 64)
        let tooLong = longest + "n"
        let bob = signedIn("bob")
        #expect(received(message("alice", "bob", call: longest, id: longest), alice) == [.forward(to: bob)])
        #expect(fault(received(message("alice", "bob", call: tooLong), alice))?.callId == "-")
        #expect(fault(received(message("alice", "bob", id: tooLong), alice))?.ref == "-")
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
        for user in ["b", "c", "d"] { _ = board.closed(signedIn(user)) }
        #expect(fault(received(message("alice", "b"), alice))?.code == 480)
        // The fifth name replaces the first, alice, and the sixth replaces b. A repeated name replaces none.
        _ = board.closed(signedIn("d"))
        for user in ["e", "f"] { _ = board.closed(signedIn(user)) }
        #expect(fault(received(message("alice", "b"), alice))?.code == 404)
        #expect(fault(received(message("alice", "c"), alice))?.code == 480)
        #expect(received(message("alice", "f", id: "x"), alice) != [])
    }

    // MARK: Calls

    @Test mutating func bothUsersOfACallAreToldOnceAboutTheOther() {
        let (alice, bob) = (signedIn("alice"), signedIn("bob"))
        _ = received(message("alice", "bob", "invite"), alice)
        let gone = board.closed(alice)
        #expect(
            gone == [.send(.gone(id: "server-1", callId: "c1", from: party("alice"), to: "bob", unixMs: 5), to: bob)])
        #expect(board.closed(bob).isEmpty)
    }

    @Test("A client that fell silent is offline, and its calls are not gone")
    mutating func silentClient() {
        let (alice, bob) = (signedIn("alice"), signedIn("bob"))
        _ = received(message("alice", "bob", "invite"), alice)
        #expect(board.closed(alice, isSilent: true).isEmpty)
        #expect(fault(received(message("bob", "alice"), bob))?.code == 480)
    }

    @Test mutating func theCallerIsToldAgainWhenTheCalleeLeavesAgain() {
        let alice = signedIn("alice")
        let bob = signedIn("bob")
        _ = received(message("alice", "bob", "invite"), alice)
        #expect(board.closed(bob).count == 1)
        let bobAgain = signedIn("bob")
        #expect(board.closed(bobAgain).count == 1)
    }

    @Test mutating func everyCallOfAConnectionIsGoneWithItInTheOrderOfTheirNames() {
        let (alice, bob, carol) = (signedIn("alice"), signedIn("bob"), signedIn("carol"))
        _ = received(message("alice", "bob", "invite", call: "c2"), alice)
        _ = received(message("alice", "carol", "invite", call: "c1"), alice)
        _ = received(message("bob", "alice", "invite", call: "c3"), bob)
        let told = board.closed(alice).compactMap { action -> String? in
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
        // The callee cannot cancel, and the caller cannot reject.
        _ = received(message("bob", "alice", "cancel"), bob)
        _ = received(message("alice", "bob", "reject"), alice)
        #expect(board.closed(bob).count == 1)
    }

    @Test mutating func aCallEndsHereAlsoWhenTheOtherUserCannotBeTold() {
        let alice = signedIn("alice")
        let bob = signedIn("bob")
        _ = received(message("alice", "bob", "invite"), alice)
        _ = board.closed(bob)
        #expect(fault(received(message("alice", "bob", "cancel"), alice))?.code == 480)
        #expect(board.closed(signedIn("bob")).isEmpty)
    }

    @Test mutating func anInviteThatWasNotDeliveredIsNoCall() {
        let alice = signedIn("alice")
        for number in 0..<5 {
            #expect(fault(received(message("alice", "bob", "invite", call: "c\(number)"), alice))?.code == 404)
        }
        #expect(board.closed(signedIn("bob")).isEmpty)
    }

    @Test mutating func theBoundCountsTheCallsThatAConnectionInvitedTo() {
        let (alice, bob) = (signedIn("alice"), signedIn("bob"))
        #expect(received(message("alice", "bob", "invite", call: "c1"), alice) == [.forward(to: bob)])
        #expect(received(message("alice", "bob", "invite", call: "c2"), alice) == [.forward(to: bob)])
        #expect(fault(received(message("alice", "bob", "invite", call: "c3"), alice))?.code == 429)
        // Incoming calls do not count, since a stranger could use up the limit.
        #expect(received(message("bob", "alice", "invite", call: "c3"), bob) == [.forward(to: alice)])
        #expect(received(message("alice", "bob", "hangup", call: "c1"), alice) == [.forward(to: bob)])
        #expect(received(message("alice", "bob", "invite", call: "c3"), alice) == [.forward(to: bob)])
    }

    // MARK: Helpers

    private func signIn(_ user: String) -> Envelope { BoardUnderTest.signIn(user) }

    private func party(_ user: String) -> Party { Party(user: user, device: "main") }

    private func message(
        _ from: String, _ to: String, _ type: String = "ringing", call: String = "c1", id: String = "m1"
    ) -> Envelope {
        BoardUnderTest.message(from, to, type, call: call, id: id)
    }

    private mutating func received(_ envelope: Envelope?, _ connection: ConnectionID) -> [SwitchboardAction] {
        board.received(envelope, on: connection)
    }

    private mutating func signedIn(_ user: String) -> ConnectionID { board.signedIn(user) }

    private func refusal(_ actions: [SwitchboardAction]) -> Int? { BoardUnderTest.refusal(actions) }

    private func fault(_ actions: [SwitchboardAction]) -> ServerMessage.Fault? { BoardUnderTest.fault(actions) }
}
