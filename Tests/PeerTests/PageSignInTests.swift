import Foundation
import Testing

extension Peers {
    /// Signing in on the page.
    @Suite struct PageSignInTests {
        /// A server that requires tokens, and a callee.
        private final class Site {
            let server: CallServer
            let bob: Program
            private let folder = NSTemporaryDirectory() + "callagent-peers-\(UUID().uuidString)"

            init() async throws {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try "a secret of more than thirty-two bytes, for tests\n".write(
                    toFile: folder + "/key", atomically: true, encoding: .utf8)
                server = try await CallServer(["--token-key-file", folder + "/key"])
                try await Self.token("bob", "10m", folder).write(
                    toFile: folder + "/bob", atomically: true, encoding: .utf8)
                bob = try await server.listen("bob", ["--answer", "0s", "--token-file", folder + "/bob"])
            }

            deinit { try? FileManager.default.removeItem(atPath: folder) }

            func token(_ user: String, lifetime: String = "10m") async throws -> String {
                try await Self.token(user, lifetime, folder)
            }

            private static func token(_ user: String, _ lifetime: String, _ folder: String) async throws -> String {
                let program = try Program([
                    "token", "--key-file", folder + "/key", "--user", user, "--lifetime", lifetime,
                ])
                #expect(try await program.waitForExit() == 0, "\(program.errors)")
                return program.output.trimmingCharacters(in: .whitespacesAndNewlines)
            }
        }

        @Test(
            "On a server with tokens the page signs in with a token and has no directory",
            arguments: BrowserKind.allCases)
        func tokens(kind: BrowserKind) async throws {
            let site = try await Site()
            let token = try await site.token("alice")
            let (server, bob) = (site.server, site.bob)
            try await withBrowser(kind) { browser in
                _ = try await PageUser(browser, server, as: "alice")
                let alice = try await PageUser(browser, server, as: "alice", token: token)
                try await alice.until("no directory", "!document.getElementById('no-directory').hidden")
                try await alice.callByName("bob")
                try await alice.waitForState("connected")
                try await alice.seeMotion()
                try await alice.click("#hang-up")
                // After a call the page watches the peer's presence.
                try await alice.until("bob is there", "document.querySelector('li[data-user=bob][data-online=true]')")
            }
            #expect(try await bob.report().text("end.reason") == "remoteHangup")
        }

        /// Notices that the page shows; they go after some seconds.
        private static let refusals =
            "[...document.getElementById('notices').children].filter((line) => line.textContent.includes('not valid for')).length"

        @Test("A call goes on when the token expires, and a new token signs in again")
        func expiry() async throws {
            let site = try await Site()
            let (server, bob) = (site.server, site.bob)
            let (wrong, next) = (try await site.token("carol"), try await site.token("alice"))
            try await withBrowser(.chromium) { browser in
                let short = try await site.token("alice", lifetime: "20s")
                let alice = try await PageUser(browser, server, as: "alice", token: short)
                // The warning comes at once: less than a minute is left.
                try await alice.until("the form", "!document.getElementById('renewal').hidden")
                try await alice.callByName("bob")
                try await alice.waitForState("connected")
                // A wrong one does not replace the present one, before the end of which it is refused, and after that.
                try await alice.renew(wrong)
                try await alice.until("the refusal", Self.refusals + " === 1")
                try await alice.until("the token has expired", "callagent.agent.isExpired", within: .seconds(40))
                try await alice.seeMotion()
                try await alice.waitForState("connected")
                try await alice.renew(wrong)
                try await alice.until("the second refusal", Self.refusals + " >= 1 && callagent.agent.isExpired")
                try await alice.waitForState("connected")
                try await alice.renew(next)
                try await alice.until(
                    "signed in again",
                    "!callagent.agent.isExpired && document.getElementById('renewal').hidden && document.getElementById('banner').hidden"
                )
                try await alice.waitForState("connected")
                try await alice.click("#hang-up")
            }
            // The hang-up came by signaling.
            #expect(try await bob.report().text("end.reason") == "remoteHangup")
        }
    }
}

extension PageUser {
    fileprivate func renew(_ token: String) async throws {
        try await browser.perform("document.getElementById('new-token').value = '\(token)';")
        try await click("#renewal button")
    }
}
