import CallProtocol
import TestServers
import Testing

@testable import SignalingServer

/// Sign-ins with tokens, expired tokens, and users without an account.
struct SwitchboardTokenTests {
    private typealias Board = BoardUnderTest

    @Test func aTokenIsAskedForAndItsEndIsScheduled() async throws {
        var board = try await board()
        #expect(Board.refusal(board.received(Board.signIn("alice"), on: board.opened())) == 401)
        let alice = board.opened()
        let actions = board.received(Board.signIn("alice", token: token("alice", 100)), on: alice)
        #expect(
            actions == [
                .send(
                    .signedIn(
                        Party(user: "alice", device: "main"), resume: "resume-2", tokenExpiresInMs: 100_000,
                        unixMs: board.now.unixMs), to: alice),
                .schedule(.tokenWarning, for: alice, afterMs: 40_000),
                .schedule(.tokenExpiry, for: alice, afterMs: 100_000),
            ])
    }

    @Test func aTimerThatComesEarlyWaitsOnAndOneThatIsDueActs() async throws {
        var board = try await board()
        let alice = board.signedIn("alice", token: token("alice", 100_000))
        #expect(
            board.board.timerFired(.tokenWarning, on: alice, at: board.now)
                == [.schedule(.tokenWarning, for: alice, afterMs: 86_400_000)])
        board.now.unixMs += 99_950_000
        #expect(
            board.board.timerFired(.tokenWarning, on: alice, at: board.now)
                == [.send(.tokenWillExpire(inMs: 50_000), to: alice)])
        #expect(
            board.board.timerFired(.tokenExpiry, on: alice, at: board.now)
                == [.schedule(.tokenExpiry, for: alice, afterMs: 50_000)])
        board.now.unixMs += 50_000
        #expect(
            board.board.timerFired(.tokenExpiry, on: alice, at: board.now)
                == [.close(alice, text: "the token expired")])
        _ = board.closed(alice)
        #expect(board.board.timerFired(.tokenExpiry, on: alice, at: board.now).isEmpty)
    }

    @Test func aTokenIsRenewedOrStays() async throws {
        var board = try await board()
        let alice = board.signedIn("alice", token: token("alice", 100))
        func renew(_ token: String?) -> SwitchboardAction? {
            board.received(Envelope(version: 1, type: "renew", token: token), on: alice).first
        }
        #expect(renew(token("alice", 200)) == .send(.renewed(tokenExpiresInMs: 200_000), to: alice))
        // The server has warned, or will warn: the same token again changes nothing.
        let again = Envelope(version: 1, type: "renew", token: token("alice", 200))
        #expect(board.received(again, on: alice) == [.send(.renewed(tokenExpiresInMs: 200_000), to: alice)])
        for (wrong, code) in [(nil, 401), (token("bob", 200), 403), (token("alice", -1), 410), ("x", 403)] {
            guard case .send(.renewalRefused(code, _), alice) = renew(wrong) else {
                Issue.record("\(code) was expected")
                continue
            }
        }
        guard case .send(.renewalRefused(403, _), alice) = renew(shopToken("alice", "bob")) else {
            Issue.record("the token of a guest did for an account")
            return
        }
        board.now.unixMs += 150_000
        #expect(
            board.board.timerFired(.tokenExpiry, on: alice, at: board.now)
                == [.schedule(.tokenExpiry, for: alice, afterMs: 50_000)])
    }

    @Test func anOpenServerKnowsNoTokens() {
        var board = BoardUnderTest()
        let alice = board.signedIn("alice", token: "whatever")
        #expect(
            board.received(Envelope(version: 1, type: "renew", token: "x"), on: alice)
                == [.send(.renewalRefused(code: 400, text: "this server knows no tokens"), to: alice)])
    }

    @Test func aGoodTokenReplacesTheOldConnectionWhoseCallsAreGone() async throws {
        var board = try await board()
        let (alice, bob) = (
            board.signedIn("alice", token: token("alice", 100)), board.signedIn("bob", token: token("bob", 100))
        )
        _ = board.received(Board.message("alice", "bob", "invite"), on: alice)
        let again = board.opened()
        let actions = board.received(Board.signIn("alice", token: token("alice", 100)), on: again)
        #expect(actions.first == .close(alice, text: "replaced by a newer sign-in of this device"))
        #expect(Board.gone(actions) == ["c1 alice/main \(bob.number)"])
        #expect(board.party(of: again)?.user == "alice" && board.party(of: alice) == nil)
        // A resume does not replace a token.
        let third = board.opened()
        #expect(Board.refusal(board.received(Board.signIn("alice", resume: "resume-3"), on: third)) == 401)
    }

    // MARK: Anonymous

    @Test func anAnonymousUserCallsWhomTheTokenNamesAndNobodyElse() async throws {
        var board = try await board()
        let bob = board.signedIn("bob", token: token("bob", 100))
        let carol = board.signedIn("carol", token: token("carol", 100))
        let guest = board.signedIn("guest", token: shopToken("guest", "bob"))
        func fault(_ envelope: Envelope, _ connection: ConnectionID) -> Int? {
            Board.fault(board.received(envelope, on: connection))?.code
        }
        // No user can reach the guest first.
        #expect(fault(Board.message("bob", "guest", "invite"), bob) == 404)
        #expect(fault(Board.message("bob", "guest", "query"), bob) == 404)
        #expect(fault(Board.message("guest", "bob", "ringing"), guest) == 403)
        #expect(fault(Board.message("guest", "carol", "invite"), guest) == 403)
        #expect(board.received(Board.message("guest", "bob", "invite"), on: guest) == [.forward(to: bob)])
        #expect(board.received(Board.message("bob", "guest", "accept"), on: bob) == [.forward(to: guest)])
        #expect(fault(Board.message("bob", "guest", "invite", call: "c2"), bob) == 404)
        #expect(fault(Board.message("carol", "guest", "ringing"), carol) == 404)
        #expect(fault(Board.message("guest", "carol", "ringing"), guest) == 403)
        // Messages in transit at the end of the call are delivered.
        #expect(board.received(Board.message("bob", "guest", "hangup"), on: bob) == [.forward(to: guest)])
        #expect(board.received(Board.message("guest", "bob", "ack"), on: guest) == [.forward(to: bob)])
        #expect(board.received(Board.message("bob", "guest", "ack"), on: bob) == [.forward(to: guest)])
        _ = board.closed(guest)
        #expect(fault(Board.message("bob", "guest"), bob) == 404)
    }

    @Test func theCallOfAnAnonymousUserOutlivesItsToken() async throws {
        var board = try await board()
        let bob = board.signedIn("bob", token: token("bob", 1_000))
        let guest = board.signedIn("guest", token: shopToken("guest", "bob"))
        #expect(board.received(Board.message("guest", "bob", "invite"), on: guest) == [.forward(to: bob)])
        #expect(board.received(Board.message("bob", "guest", "accept"), on: bob) == [.forward(to: guest)])
        board.now.unixMs += 300_000
        func expire() -> [SwitchboardAction] { board.board.timerFired(.tokenExpiry, on: guest, at: board.now) }
        #expect(expire() == [.schedule(.tokenExpiry, for: guest, afterMs: 5_000)])
        #expect(board.received(Board.message("guest", "bob", "state"), on: guest) == [.forward(to: bob)])
        // Also one that is sent again.
        #expect(board.received(Board.message("guest", "bob", "invite"), on: guest) == [.forward(to: bob)])
        let second = board.received(Board.message("guest", "bob", "invite", call: "c2"), on: guest)
        #expect(Board.fault(second)?.code == 410)
        #expect(board.received(Board.message("guest", "bob", "hangup"), on: guest) == [.forward(to: bob)])
        let again = board.received(Board.message("guest", "bob", "invite"), on: guest)
        #expect(Board.fault(again)?.code == 410, "a call that is over does not begin again")
        #expect(expire() == [.close(guest, text: "the token expired")])
    }

    @Test func theCallOfAnAnonymousUserOutlivesItsTokenByFourHoursAtMost() async throws {
        var board = try await board()
        _ = board.signedIn("bob", token: token("bob", 1_000))
        let guest = board.signedIn("guest", token: shopToken("guest", "bob"))
        _ = board.received(Board.message("guest", "bob", "invite"), on: guest)
        board.now.unixMs += 300_000 + 14_400_000
        #expect(
            board.board.timerFired(.tokenExpiry, on: guest, at: board.now)
                == [.close(guest, text: "the token expired")])
    }

    @Test func anAnonymousUserIsPresentToNobodyAndWatchesNobody() async throws {
        var board = try await board()
        let bob = board.signedIn("bob", token: token("bob", 100))
        _ = board.received(Envelope(version: 1, type: "watch", users: .named(["guest"])), on: bob)
        let guest = board.opened()
        let actions = board.received(Board.signIn("guest", token: shopToken("guest", "bob")), on: guest)
        #expect(!actions.contains { if case .send(.presence, _) = $0 { true } else { false } })
        #expect(
            board.received(Envelope(version: 1, type: "watch", users: .named(["bob"])), on: guest)
                == [.send(.watchRefused(code: 403, text: "an anonymous user watches nobody"), to: guest)])
        #expect(
            board.received(Envelope(version: 1, type: "watch", users: .named(["guest"])), on: bob).last
                == .send(.presence(user: "guest", devices: []), to: bob))
    }

    @Test func aNameWithAnAccountBelongsToIt() async throws {
        var board = try await board()
        let guest = board.signedIn("alice", device: "x", token: shopToken("alice", "bob"))
        let alice = board.opened()
        let actions = board.received(Board.signIn("alice", token: token("alice", 100)), on: alice)
        #expect(actions.first == .close(guest, text: "replaced by a newer sign-in of this device"))
        let late = board.opened()
        let refused = board.received(Board.signIn("alice", device: "y", token: shopToken("alice", "bob")), on: late)
        #expect(Board.refusal(refused) == 409)
    }

    @Test func theCallsOfAnAnonymousUserAreBoundedAlsoWhenTheyEnd() async throws {
        var board = try await board { $0.callsPerConnection = 2 }
        _ = board.signedIn("bob", token: token("bob", 100))
        let guest = board.signedIn("guest", token: shopToken("guest", "bob"))
        for call in ["c1", "c2", "c3"] {
            let actions = board.received(Board.message("guest", "bob", "invite", call: call), on: guest)
            #expect(Board.fault(actions)?.code == (call == "c3" ? 429 : nil))
            _ = board.received(Board.message("guest", "bob", "cancel", call: call), on: guest)
        }
    }

    // MARK: Helpers

    private static let now = 1_700_000_000

    private func board(_ configure: (inout SwitchboardPolicy) -> Void = { _ in }) async throws -> BoardUnderTest {
        let file = try TestToken.keyFile()
        let verifier = TokenVerifier(keys: [try await TokenKey.read(file: file.path)])
        var board = BoardUnderTest {
            $0.verifier = verifier
            configure(&$0)
        }
        board.now.unixMs = Self.now * 1_000
        return board
    }

    private func token(_ user: String, _ seconds: Int) -> String {
        TestToken.make(#"{"sub":"\#(user)","exp":\#(Self.now + seconds)}"#)
    }

    private func shopToken(_ user: String, _ callee: String) -> String {
        TestToken.make(
            #"{"sub":"\#(user)","iat":\#(Self.now),"exp":\#(Self.now + 300),"anonymous":true,"account":"shop","#
                + #""mayCall":["\#(callee)"]}"#)
    }
}
