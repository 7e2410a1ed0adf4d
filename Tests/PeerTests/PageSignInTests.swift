import Foundation
import Testing

extension Peers {
    /// Signing in on the page.
    @Suite struct PageSignInTests {
        @Test(
            "On a server with tokens the page signs in with a token and has no directory",
            arguments: BrowserKind.allCases)
        func tokens(kind: BrowserKind) async throws {
            let folder = NSTemporaryDirectory() + "callagent-peers-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let key = folder + "/key"
            try "a secret of more than thirty-two bytes, for tests\n".write(
                toFile: key, atomically: true, encoding: .utf8)
            func token(_ user: String) async throws -> String {
                let program = try Program(["token", "--key-file", key, "--user", user, "--lifetime", "10m"])
                #expect(try await program.waitForExit() == 0, "\(program.errors)")
                return program.output.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            let server = try await CallServer(["--token-key-file", key])
            try await token("bob").write(toFile: folder + "/bob", atomically: true, encoding: .utf8)
            let bob = try await server.listen("bob", ["--answer", "0s", "--token-file", folder + "/bob"])
            try await withBrowser(kind) { browser in
                _ = try await PageUser(browser, server, as: "alice")
                let alice = try await PageUser(browser, server, as: "alice", token: try await token("alice"))
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
    }
}
