import Foundation
import Testing

extension Peers {
    /// The list of recent calls.
    @Suite struct PageRecentTests {
        @Test(
            "A call that arrives while the user is busy is listed as missed; a reload keeps the list, a sign-out does not",
            arguments: BrowserKind.allCases)
        func busy(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"])
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                let carol = try server.call("alice", as: "carol")
                #expect(try await carol.waitForExit() == 4)
                #expect(carol.errors.contains("remoteBusy (486)"), "\(carol.errors)")
                try await alice.until("carol is listed", "\(entries).length === 1")
                #expect(try await alice.state() == "connected")
                try await alice.click("#hang-up")
                try await alice.until("bob is listed", "\(entries).length === 2")
                let before: [String] = try await browser.evaluate("return \(entries)")
                #expect(before[0].hasPrefix("bob false bobOutgoing · You hung up"), "\(before)")
                #expect(before[1].hasPrefix("carol true carolMissed"), "\(before)")

                try await browser.open(server.page)
                try await alice.until("signed in again", "window.callagent?.agent.user === 'alice'")
                #expect(try await browser.evaluate("return \(entries)") == before)
                try await alice.click("#sign-out")
                let again = try await PageUser(browser, server, as: "alice")
                try await again.until("an empty list", "\(entries).length === 0")
            }
            #expect(try await bob.report().text("end.reason") == "remoteHangup")
        }

        @Test("A call that another device of a busy user took is not missed", arguments: BrowserKind.allCases)
        func taken(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"])
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                // Her other device answers after a while.
                let other = try await server.listen("alice", ["--device", "other", "--answer", "5s"])
                let carol = try server.call("alice", as: "carol", ["--events", "--duration", "10m"])
                try await alice.until("carol is listed", "\(entries).length === 1")
                _ = try await carol.event(["event": "stateChanged", "state": "connected"])
                try await alice.until("carol is listed no more", "\(entries).length === 0")
                for program in [carol, other] { program.signal(SIGINT) }
                try await alice.click("#hang-up")
            }
            #expect(try await bob.report().text("end.reason") == "remoteHangup")
        }

        /// User, whether missed, and the text of each entry, newest first.
        private let entries = """
            Array.from(document.querySelectorAll('#recent-list li'),
              (entry) => [entry.querySelector('b').textContent, entry.dataset.missed, entry.textContent].join(' '))
            """
    }
}
