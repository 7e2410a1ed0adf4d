import Foundation
import Testing

extension Peers {
    /// Two users call each other with the page, without an agent.
    @Suite struct TwoBrowsersTests {
        @Test("Chromium and Firefox see and hear each other, and one hangs up")
        func call() async throws {
            let server = try await CallServer()
            try await withBrowser(.chromium) { chromium in
                try await withBrowser(.firefox) { firefox in
                    let alice = try await PageUser(chromium, server, as: "alice")
                    let bob = try await PageUser(firefox, server, as: "bob")
                    try await alice.call("bob")
                    try await bob.waitForRing()
                    #expect(try await bob.seesAndHearsNothing())
                    #expect(try await alice.seesAndHearsNothing())
                    try await bob.click("#accept")
                    try await alice.waitForState("connected")
                    try await bob.waitForState("connected")
                    try await alice.seeMotion()
                    try await bob.seeMotion()
                    try await alice.hearTone(BrowserKind.firefox.microphoneHertz)
                    try await bob.hearTone(BrowserKind.chromium.microphoneHertz)
                    try await bob.click("#hang-up")
                    #expect(try await alice.waitForEnd() == "remoteHangup")
                }
            }
        }
    }
}
