import Foundation
import TestServers
import Testing

@testable import SignalingServer

/// Users and tokens that are denied although the token is valid.
struct DenyListTests {
    @Test func aListNamesTokensAndUsers() throws {
        let list = try DenyList("# lost in a train\r\njti a1/b#2\n\n\t sub\tbob \n  # sub carol\nsub dave".utf8)
        #expect(list.denies("alice", tokenID: "a1/b#2") && list.denies("bob", tokenID: nil))
        #expect(list.denies("dave", tokenID: "x"))
        #expect(!list.denies("carol", tokenID: "x") && !list.denies("alice", tokenID: nil))
        #expect(!list.denies("a1/b#2", tokenID: "bob"))
        #expect(try DenyList("".utf8) == DenyList())
    }

    @Test(arguments: [
        ("bob", 1), ("sub bob\nsub", 2), ("sub a b", 1), ("\n\nsub ä", 3), ("jti \u{1}", 1),
        ("jti " + String(repeating: "x", count: 257), 1),
        ("SUB bob", 1), ("sub \0", 1),
    ])
    func aMistakeIsToldWithItsLine(text: String, line: Int) {
        #expect(throws: DenyList.Mistake(text: "its line \(line) is neither 'jti IDENTIFIER' nor 'sub USER'")) {
            try DenyList(text.utf8)
        }
    }

    @Test func aListHasABound() {
        let longest = String(repeating: "\n", count: DenyList.longestBytes)
        #expect(throws: Never.self) { try DenyList(longest.utf8) }
        #expect(throws: DenyList.Mistake.self) { try DenyList((longest + "\n").utf8) }
    }

    @Test func aFileIsNewsOnlyWhenItSaysSomethingElse() throws {
        let path = NSTemporaryDirectory() + "callagent-deny-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path), options: .atomic) }
        var file = DenyListFile(path: path)
        let missing = DenyListFile.News.unusable(text: "it cannot be read; does it exist, and may this user read it?")
        #expect(file.readAgain(isFirst: true) == missing)
        #expect(file.readAgain() == .none)
        try write("sub bob")
        #expect(file.readAgain() == .list(try DenyList("sub bob".utf8)))
        #expect(file.readAgain() == .none)
        try write("sub bib")
        #expect(file.readAgain() == .list(try DenyList("sub bib".utf8)))
        try write("sub")
        #expect(file.readAgain() == .unusable(text: "its line 1 is neither 'jti IDENTIFIER' nor 'sub USER'"))
        #expect(file.readAgain() == .none)
        try FileManager.default.removeItem(atPath: path)
        #expect(file.readAgain() == missing)
        #expect(file.readAgain() == .none)
    }

    @Test func whoIsDeniedDoesNotSignInNorRenewAndIsThrownOut() async throws {
        let key = try TestToken.keyFile()
        let verifier = TokenVerifier(keys: [try await TokenKey.read(file: key.path)])
        var board = BoardUnderTest { $0.verifier = verifier }
        board.now.unixMs = 1_700_000_000_000
        func token(_ user: String, _ identifier: String) -> String {
            TestToken.make(#"{"sub":"\#(user)","exp":1700000100,"jti":"\#(identifier)"}"#)
        }
        let alice = board.signedIn("alice", token: token("alice", "t1"))
        let bob = board.signedIn("bob", token: token("bob", "t2"))
        let carol = board.signedIn("carol", token: token("carol", "t3"))
        #expect(board.board.deny(try DenyList("jti t9\nsub dave".utf8)).isEmpty)
        let list = try DenyList("jti t1\nsub bob\njti t4".utf8)
        #expect(
            board.board.deny(list) == [alice, bob].map { .close($0, text: "the token was denied") })
        for (user, identifier, code) in [("alice", "t1", 403), ("bob", "t5", 403), ("alice", "t5", nil)] {
            let signIn = BoardUnderTest.signIn(user, device: "new", token: token(user, identifier))
            #expect(BoardUnderTest.refusal(board.received(signIn, on: board.opened())) == code)
        }
        let renewal = Envelope(version: 1, type: "renew", token: token("carol", "t4"))
        #expect(
            board.received(renewal, on: carol) == [
                .send(.renewalRefused(code: 403, text: "the token was denied"), to: carol)
            ])
        // A renewed token has its own identifier.
        _ = board.received(Envelope(version: 1, type: "renew", token: token("carol", "t6")), on: carol)
        #expect(board.board.deny(try DenyList("jti t3".utf8)).isEmpty)
        #expect(board.board.deny(try DenyList("jti t6".utf8)) == [.close(carol, text: "the token was denied")])
    }
}
