import Foundation
import Testing

extension Peers {
    /// A connection to the server that dies without a word: the browser would notice it minutes later.
    @Suite struct PageConnectionTests {
        @Test(
            "After a sleep a banner tells of the dead connection and nobody can be called, until the server answers",
            arguments: BrowserKind.allCases)
        func sleep(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"])
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.until("everybody can be called", isConnected)
                // A stopped process keeps its sockets open and answers nothing.
                server.program.signal(SIGSTOP)
                try await browser.perform("const { now } = window.Date; window.Date.now = () => now() + 100_000")
                try await alice.until("the banner", isCutOff)
                server.program.signal(SIGCONT)
                try await alice.until("everybody can be called again", isConnected)
                try await alice.call("bob")
                try await alice.waitForState("connected")
                try await alice.click("#hang-up")
            }
            #expect(try await bob.report().text("end.reason") == "remoteHangup")
        }

        @Test(
            "When the network goes or comes back the page finds out whether the server answers",
            arguments: BrowserKind.allCases)
        func network(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob")
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.until("everybody can be called", isConnected)
                try await browser.perform(
                    """
                    window.lost = 0;
                    window.callagent.agent.addEventListener('lost', () => { window.lost += 1; });
                    window.callagent.agent.addEventListener('presence', () => { window.hasAnswer = true; });
                    """)
                // The server is on this machine and answers without a network.
                for isOffline in [true, false, true] { try await setOffline(isOffline, alice) }
                #expect(try await browser.evaluate("return window.lost") == 0)
                server.program.signal(SIGSTOP)
                try await browser.setOffline(false)
                try await alice.until("the banner", isCutOff)
                server.program.signal(SIGCONT)
                try await alice.until("everybody can be called again", isConnected)

                server.program.signal(SIGSTOP)
                try await browser.setOffline(true)
                try await alice.until("the banner", isCutOff)
                server.program.signal(SIGCONT)
                try await browser.setOffline(false)
                try await alice.until("everybody can be called again", isConnected)
                #expect(try await browser.evaluate("return window.lost") == 2)
            }
            bob.signal(SIGINT)
        }

        /// Changes the network, and waits for the answer that the page asks for then.
        private func setOffline(_ isOffline: Bool, _ user: PageUser) async throws {
            try await user.browser.perform("window.hasAnswer = false")
            try await user.browser.setOffline(isOffline)
            try await user.until("an answer", "navigator.onLine === \(!isOffline) && window.hasAnswer")
        }

        /// Four buttons: two for bob, and two beside the field for a name.
        private func buttons(areOff: Bool) -> String {
            """
            ((buttons) => buttons.length === 4 && buttons.every((button) => button.disabled === \(areOff)))(
              Array.from(document.querySelectorAll('#people button')))
            """
        }

        private var isCutOff: String {
            "!document.getElementById('banner').hidden && \(buttons(areOff: true))"
        }

        private var isConnected: String {
            "document.getElementById('banner').hidden && \(buttons(areOff: false))"
        }
    }
}
