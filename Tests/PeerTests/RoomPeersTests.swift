import Foundation
import TestServers
import Testing

extension Peers {
    /// Other implementations in the same room of a real Janus.
    @Suite(.enabled(if: JanusServer.isPossible, "needs root, iproute2, nftables and Debian's janus"))
    struct RoomPeersTests {
        private struct Seen: Decodable {
            let distinct: Int
            let hertz: Double?

            func shows(_ hertz: Double, sinceFrames frames: Int = 0) -> Bool {
                distinct > frames + 10 && abs((self.hertz ?? 0) - hertz) < 12
            }
        }

        @Test("Chromium, aiortc and two programs see and hear one another")
        func together() async throws {
            let lab = try NetworkLab(hasNAT: false)
            let janus = try await JanusServer(in: lab)
            func program(_ name: String, _ hertz: Int, at place: NetworkLab.Place) throws -> Program {
                let command = lab.command(
                    at: place, Program.path,
                    [
                        "room", "join", JanusServer.room, "--as", name, "--server", JanusServer.url, "--events",
                        "--audio", "tone:\(hertz)", "--video", "test:ball", "--video-size", "160x120@10",
                    ])
                return try Program(command.arguments, path: command.path)
            }
            let alice = try program("alice", 440, at: .alice)
            let bob = try program("bob", 554, at: .bob)
            let dave = try Program.aiortc(
                "aiortc_room.py", [JanusServer.url, JanusServer.room, "dave", "10.77.1.2"], hasInput: true,
                prefix: lab.prefix(at: .alice))
            try await withBrowser(.chromium, BrowserOptions(prefix: lab.prefix(at: .bob))) { browser in
                try await browser.open("about:blank")
                let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .appendingPathComponent("Peers/browser_room.js")
                try await browser.perform(try String(contentsOf: script, encoding: .utf8))
                try await browser.perform(
                    "await window.roomClient.join('\(JanusServer.url)', \(JanusServer.room), 'chromium', 800)")
                for (name, hertz) in [("alice", 440.0), ("bob", 554), ("dave", 660)] {
                    try await eventually("Chromium sees and hears \(name)", within: .seconds(30)) {
                        try await browser.evaluate("return window.roomClient.seen('\(name)')", as: Seen.self)
                            .shows(hertz)
                    }
                }
                for (name, hertz) in [("alice", 440.0), ("bob", 554), ("chromium", 800)] {
                    try await eventually("aiortc sees and hears \(name): \(dave.errors)", within: .seconds(30)) {
                        let last = dave.events.last { $0["name"] as? String == name }
                        return Seen(distinct: last?["distinct"] as? Int ?? 0, hertz: last?["hertz"] as? Double)
                            .shows(hertz)
                    }
                }
                // Janus hears by the level that a participant sends (RFC 6464); browsers do.
                try await eventually("Chromium speaks") { alice.hasEvent(["event": "speaking", "peer": "chromium"]) }
                for (agent, other, hertz) in [(alice, "bob", 554.0), (bob, "alice", 440)] {
                    agent.signal(SIGINT)
                    #expect(try await agent.waitForExit() == 130, "\(agent.errors)")
                    for (peer, hertz) in [(other, hertz), ("dave", 660), ("chromium", 800)] {
                        let reports = agent.events.compactMap { $0["report"] as? [String: Any] }.map(Report.init)
                        let report = try #require(reports.last { $0.text("peer") == peer }, "of \(peer)")
                        #expect(report.number("video.received.distinctFrames") ?? 0 > 10, "of \(peer)")
                        #expect(abs((report.number("audio.received.toneHz") ?? 0) - hertz) < 8, "of \(peer)")
                    }
                }
            }
            try dave.write("\n")
            #expect(try await dave.waitForExit() == 0, "\(dave.errors)")
            janus.stop()
        }
    }
}
