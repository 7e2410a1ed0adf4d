import Foundation
import TestServers
import Testing

extension Peers {
    /// The agent's connection fails during a call, and another one replaces it.
    @Suite struct ReplacementTests {
        /// A browser, and whether it calls.
        private static let parties = BrowserKind.allCases.flatMap { kind in [true, false].map { (kind, $0) } }

        @Test("The browser sees and hears the agent on each next connection", arguments: parties)
        func again(kind: BrowserKind, calls: Bool) async throws {
            let server = try await CallServer()
            let pipelines = try BrittlePipelines()
            let options = ["--events", "--pipelines", pipelines.folder]
            try await withBrowser(kind) { browser in
                let bob = calls ? try await server.listen("bob", ["--answer", "0s"] + options) : nil
                let alice = try await PageUser(browser, server, as: "alice")
                let agent = try bob ?? server.call("alice", as: "bob", ["--duration", "10m"] + options)
                if calls {
                    try await alice.call("bob")
                } else {
                    try await alice.waitForRing()
                    try await alice.click("#accept")
                }
                try await alice.waitForState("connected")
                try await eventually("the agent's second connection has failed, too") {
                    agent.events.count { $0["event"] as? String == "mediaChanged" } >= 2
                }
                try await alice.seeVideo("colour bars") { $0.isSMPTE }
                try await alice.seeMotion()
                try await alice.hearTone(440)
                #expect(try await alice.state() == "connected")
                try await alice.click("#hang-up")
                #expect(try await alice.waitForEnd() == "localHangup")
                let report = try await agent.report()
                #expect(report.text("end.reason") == "remoteHangup")
                // This also keeps the descriptions, which each connection needs.
                #expect(
                    report.number("video.received.distinctFrames") ?? 0 > Double(pipelines.frames),
                    "more than one connection decodes")
                #expect(report.hears(kind.microphoneHertz), "\(report.number("audio.received.toneHz") ?? 0) Hz")
            }
        }
    }
}
