import CallProtocol
import TestServers
import Testing

@testable import SignalingServer

/// A server whose clients are signed in at a broker, and whose messages go there.
struct SwitchboardRelayTests {
    private typealias Board = BoardUnderTest

    private func board(_ configure: (inout SwitchboardPolicy) -> Void = { _ in }) -> BoardUnderTest {
        BoardUnderTest {
            $0.hasRelay = true
            configure(&$0)
        }
    }

    /// Signs in at the server and at the relay.
    private func enter(_ user: String, _ board: inout BoardUnderTest, token: String? = nil) -> ConnectionID {
        let connection = board.opened()
        _ = board.received(Board.signIn(user, token: token), on: connection)
        _ = board.board.entered(connection, at: board.now)
        #expect(board.party(of: connection)?.user == user)
        return connection
    }

    @Test func aClientIsSignedInWhenTheRelayHasTakenIt() {
        var board = board()
        let alice = board.opened()
        let party = Party(user: "alice", device: "main")
        #expect(
            board.received(Board.signIn("alice", token: "t"), on: alice)
                == [.enterRelay(alice, party, token: "t", session: "resume-1")])
        // It is not signed in yet, so nothing goes anywhere.
        #expect(board.received(Board.message("alice", "bob"), on: alice).isEmpty && board.party(of: alice) == nil)
        #expect(
            board.board.entered(alice, at: board.now)
                == [.send(.signedIn(party, resume: "resume-1", tokenExpiresInMs: nil, unixMs: 5), to: alice)])
        #expect(board.board.entered(alice, at: board.now).isEmpty)
        #expect(board.received(Board.message("alice", "bob"), on: alice) == [.relay(from: alice, to: "bob")])
        #expect(board.board.relayed(Board.message("bob", "alice"), to: alice) == [.forward(to: alice)])
    }

    @Test func whatTheClientCouldReadInAnotherWayIsDropped() {
        var board = board()
        let alice = enter("alice", &board)
        func relayed(_ text: String) -> [SwitchboardAction] {
            board.board.relayed(Envelope(decoding: Array(text.utf8)), to: alice)
        }
        let unknown = callMessage("later", from: "bob", to: "alice")
        #expect(relayed(unknown) == [.forward(to: alice)])
        #expect(relayed(callMessage(from: "bob", to: "alice", extra: #","from":"carol""#)).isEmpty)
        #expect(relayed("x").isEmpty)
    }

    @Test func aProgramThatComesBackIsTheSameToOthersAlsoAtAnotherServer() {
        var board = board()
        let alice = board.opened()
        let actions = board.received(Board.signIn("alice", resume: "of-another-server"), on: alice)
        guard case .enterRelay(_, _, _, "of-another-server") = actions.last else {
            Issue.record("\(actions)")
            return
        }
        // What is no name could not be a session at the relay.
        let bob = board.opened()
        guard case .enterRelay(_, _, _, "resume-2") = board.received(Board.signIn("bob", resume: "a b"), on: bob).last
        else {
            Issue.record("a wrong session")
            return
        }
    }

    @Test func theRelaysRefusalIsTheServers() {
        var board = board()
        let alice = board.opened()
        _ = board.received(Board.signIn("alice"), on: alice)
        let refused = board.board.notEntered(alice, .refused(code: 403, text: "no"))
        #expect(refused == [.send(.refused(code: 403, text: "no"), to: alice), .close(alice, text: "no")])
        #expect(board.board.entered(alice, at: board.now).isEmpty)
        // One that cannot be reached may be there soon: the client connects again.
        let bob = board.opened()
        _ = board.received(Board.signIn("bob"), on: bob)
        #expect(board.board.notEntered(bob, .unreachable(text: "gone")) == [.close(bob, text: "gone")])
        // One that does not answer in time.
        let carol = board.opened()
        _ = board.received(Board.signIn("carol"), on: carol)
        #expect(Board.refusal(board.signInTimedOut(carol)) == 408)
        #expect(board.board.entered(carol, at: board.now).isEmpty)
        let dave = enter("dave", &board)
        #expect(board.board.relayEnded(dave, text: "the broker is gone") == [.close(dave, text: "the broker is gone")])
        _ = board.closed(dave)
        #expect(board.board.relayEnded(dave, text: "").isEmpty)
        #expect(board.board.relayed(Board.message("bob", "dave"), to: dave).isEmpty)
    }

    @Test func aSignInReplacesAnotherOneOnlyWhenTheRelayHasTakenIt() {
        var board = board()
        let first = enter("alice", &board)
        let thief = board.opened()
        #expect(board.received(Board.signIn("alice", resume: "resume-1", token: "wrong"), on: thief).count == 1)
        _ = board.board.notEntered(thief, .refused(code: 403, text: "no"))
        #expect(board.party(of: first) != nil)
        let second = board.opened()
        #expect(board.received(Board.signIn("alice"), on: second).count == 1)
        #expect(board.party(of: first) != nil)
        let actions = board.board.entered(second, at: board.now)
        #expect(actions.first == .close(first, text: "replaced by a newer sign-in of this device"))
        #expect(board.party(of: first) == nil && board.party(of: second)?.user == "alice")
        // The socket of the first one closes now.
        _ = board.closed(first)
        #expect(board.received(Board.message("alice", "bob"), on: second) == [.relay(from: second, to: "bob")])
    }

    @Test func theServerChecksMessagesBeforeTheyAreRelayed() {
        var board = board()
        let alice = enter("alice", &board)
        for envelope in [
            Board.message("bob", "carol"), Board.message("alice", "a b"), Board.message("alice", "bob", "gone"),
            Board.message("alice", "bob", device: "other"), Board.message("alice", "bob", toDevice: ""),
        ] {
            #expect(Board.fault(board.received(envelope, on: alice))?.code == 400)
        }
        #expect(Board.fault(board.received(Envelope(version: 2), on: alice))?.code == 426)
    }

    @Test func theRelayReportsPresence() {
        var board = board { $0.watchedUsers = 2 }
        let alice = enter("alice", &board)
        func watch(_ users: Envelope.Users) -> [SwitchboardAction] {
            board.received(Envelope(version: 1, type: "watch", users: users), on: alice)
        }
        #expect(
            watch(.named(["carol", "bob"])) == [
                .send(.watching, to: alice), .watchAtRelay(alice, users: ["bob", "carol"]),
            ])
        guard case .send(.watchRefused(400, _), alice) = watch(.named(["a", "b", "c"])).first else {
            Issue.record("three users were watched")
            return
        }
        #expect(watch(.everybody) == [.send(.watching, to: alice), .watchAtRelay(alice, users: nil)])
        #expect(
            board.board.relayed(presence: "bob", devices: ["tv"], to: alice)
                == [.send(.presence(user: "bob", devices: ["tv"]), to: alice)])
        #expect(
            board.board.watchRefused(alice, .refused(code: 403, text: "no"))
                == [.send(.watchRefused(code: 403, text: "no"), to: alice)])
        // A relay may say anything.
        let words = #"the "file" C:\x"# + "\n" + String(repeating: "é", count: 100)
        let refusal = board.board.watchRefused(alice, .refused(code: 403, text: words)).first
        guard case .send(.watchRefused(403, let text), _) = refusal else {
            Issue.record("it is not passed on")
            return
        }
        #expect(text.hasPrefix("the  file  C: x é") && (122...123).contains(text.utf8.count))
        // Nobody is announced by the server itself.
        #expect(board.closed(enter("bob", &board)).isEmpty)
    }

    /// A board that requires tokens, and a guest's token that allows calls to bob.
    private func guestBoard() async throws -> (board: BoardUnderTest, token: String) {
        let file = try TestToken.keyFile()
        let verifier = TokenVerifier(keys: [try await TokenKey.read(file: file.path)])
        var board = board { $0.verifier = verifier }
        board.now.unixMs = 1_700_000_000_000
        let token = TestToken.make(
            #"{"sub":"guest","iat":1700000000,"exp":1700000100,"anonymous":true,"account":"shop","mayCall":["bob"]}"#)
        return (board, token)
    }

    @Test(arguments: [true, false])
    func aGuestThatSignsInAgainKeepsItsCalls(isEndedFirst: Bool) async throws {
        var (board, token) = try await guestBoard()
        let first = enter("guest", &board, token: token)
        _ = board.received(Board.message("guest", "bob", "invite"), on: first)
        let second = board.opened()
        _ = board.received(Board.signIn("guest", resume: "resume-1", token: token), on: second)
        // The relay may end the former sign-in before its answer to the new one has come.
        if isEndedFirst {
            #expect(board.board.relayEnded(first, text: "replaced") == [.close(first, text: "replaced")])
            _ = board.closed(first)
        }
        _ = board.board.entered(second, at: board.now)
        #expect(board.board.relayed(Board.message("bob", "guest", "accept"), to: second) == [.forward(to: second)])
    }

    @Test func aGuestContinuesACallThatItBeganAtAnotherServer() async throws {
        var (board, token) = try await guestBoard()
        let guest = enter("guest", &board, token: token)
        // What was not acknowledged before comes first, then a query.
        let candidate = Board.message("guest", "bob", "candidate", call: "c7")
        #expect(board.received(candidate, on: guest) == [.relay(from: guest, to: "bob")])
        let accept = Board.message("bob", "guest", "accept", call: "c7")
        #expect(board.board.relayed(accept, to: guest) == [.forward(to: guest)])
        let other = Board.message("guest", "carol", "candidate", call: "c7")
        #expect(Board.fault(board.received(other, on: guest))?.code == 403)
    }

    @Test func aGuestIsKeptToItsCallsInBothDirections() async throws {
        var (board, token) = try await guestBoard()
        let guest = enter("guest", &board, token: token)
        func relayed(_ envelope: Envelope?) -> Bool { !board.board.relayed(envelope, to: guest).isEmpty }
        #expect(!relayed(Board.message("bob", "guest", "invite")) && !relayed(nil))
        #expect(Board.fault(board.received(Board.message("guest", "carol", "invite"), on: guest))?.code == 403)
        #expect(
            board.received(Board.message("guest", "bob", "invite"), on: guest) == [.relay(from: guest, to: "bob")])
        #expect(relayed(Board.message("bob", "guest", "accept")))
        #expect(!relayed(Board.message("carol", "guest", "accept")))
        #expect(!relayed(Board.message("bob", "guest", "accept", call: "c2")))
        // An error of the broker.
        #expect(relayed(Board.message("", "guest", "error")))
    }
}
