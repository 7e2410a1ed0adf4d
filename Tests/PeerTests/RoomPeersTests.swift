import Foundation
import TestServers
import Testing

extension Peers {
    /// Other implementations in the same room of a real Janus.
    @Suite(.enabled(if: JanusServer.isPossible, "needs root, iproute2, nftables and Debian's janus"))
    struct RoomPeersTests {
        /// `callagent room` with these words, in the room of a lab's Janus.
        private func program(
            _ words: [String], as name: String, at place: NetworkLab.Place, in lab: NetworkLab
        ) throws -> Program {
            let command = lab.command(
                at: place, Program.path,
                ["room"] + words + ["--as", name, "--server", JanusServer.url, "--events"])
            return try Program(command.arguments, path: command.path)
        }

        /// Lets a browser join, with a tone of 800 Hz.
        private func join(_ browser: any Browser, isSimulcast: Bool = false) async throws {
            try await browser.open("about:blank")
            let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("Peers/browser_room.js")
            try await browser.perform(try String(contentsOf: script, encoding: .utf8))
            try await browser.perform(
                "await window.roomClient.join('\(JanusServer.url)', \(JanusServer.room), 'chromium', 800, \(isSimulcast))"
            )
        }

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
            func joining(_ hertz: Int) -> [String] {
                ["join", JanusServer.room, "--audio", "tone:\(hertz)", "--video", "test:ball"]
                    + ["--video-size", "160x120@10"]
            }
            let alice = try program(joining(440), as: "alice", at: .alice, in: lab)
            let bob = try program(joining(554), as: "bob", at: .bob, in: lab)
            let dave = try Program.aiortc(
                "aiortc_room.py", [JanusServer.url, JanusServer.room, "dave", "10.77.1.2"], hasInput: true,
                prefix: lab.prefix(at: .alice))
            try await withBrowser(.chromium, BrowserOptions(prefix: lab.prefix(at: .bob))) { browser in
                try await join(browser)
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

        @Test("Of video that a browser publishes in three versions, each one receives the version that it wants")
        func simulcast() async throws {
            let lab = try NetworkLab(hasNAT: false)
            let janus = try await JanusServer(in: lab)
            try await withBrowser(.chromium, BrowserOptions(prefix: lab.prefix(at: .bob))) { browser in
                try await join(browser, isSimulcast: true)
                try await receiveLayers(["low": 135, "medium": 270, "high": 540], of: "chromium", hertz: 800, in: lab)
            }
            janus.stop()
        }

        @Test(
            "A program publishes three versions, and each receiver gets the one that it asks for; Chromium gets one, too"
        )
        func published() async throws {
            let lab = try NetworkLab(hasNAT: false)
            let janus = try await JanusServer(in: lab)
            let alice = try program(
                ["join", JanusServer.room, "--simulcast", "--audio", "tone:440", "--video", "test:ball"]
                    + ["--video-size", "640x360@15"], as: "alice", at: .bob, in: lab)
            try await receiveLayers(["low": 90, "medium": 180, "high": 360], of: "alice", hertz: 440, in: lab)
            try await withBrowser(.chromium, BrowserOptions(prefix: lab.prefix(at: .bob))) { browser in
                try await join(browser)
                try await eventually("Chromium sees and hears alice", within: .seconds(30)) {
                    try await browser.evaluate("return window.roomClient.seen('alice')", as: Seen.self).shows(440)
                }
            }
            let carol = try program(
                ["join", JanusServer.room, "--audio", "none", "--video", "test:smpte", "--video-size", "160x120@10"]
                    + ["--layer", "low", "--at", "8s=layer:high", "--stats-interval", "200ms"], as: "carol", at: .alice,
                in: lab)
            var position = 0
            for height in [90, 360] {
                try await eventually("carol changes from low to high: \(carol.errors)", within: .seconds(30)) {
                    carol.newEvents(since: &position).contains { event in
                        let entries = event["statistics"] as? [[String: Any]] ?? []
                        return entries.contains {
                            $0["type"] as? String == "inbound-rtp" && $0["frameHeight"] as? Int == height
                        }
                    }
                }
            }
            for program in [carol, alice] {
                program.signal(SIGINT)
                #expect(try await program.waitForExit() == 130, "\(program.errors)")
            }
            janus.stop()
        }

        /// Expects pictures of these heights, by layer, and the tone of a participant.
        private func receiveLayers(
            _ heights: [String: Int], of publisher: String, hertz: Double, in lab: NetworkLab
        ) async throws {
            var watchers: [String: Program] = [:]
            for layer in heights.keys {
                watchers[layer] = try program(
                    ["watch", JanusServer.room, "--layer", layer, "--stats-interval", "200ms", "--only", publisher],
                    as: layer, at: .alice, in: lab)
            }
            for (layer, height) in heights {
                let watcher = try #require(watchers[layer])
                try await eventually(
                    "\(layer) receives pictures of this height: \(watcher.errors)", within: .seconds(40)
                ) {
                    let last = watcher.events.last { $0["event"] as? String == "statistics" }
                    let entries = last?["statistics"] as? [[String: Any]] ?? []
                    return entries.contains {
                        $0["frameHeight"] as? Int == height && $0["framesDecoded"] as? Int ?? 0 > 30
                    }
                }
                watcher.signal(SIGINT)
                #expect(try await watcher.waitForExit() == 130, "\(watcher.errors)")
                let reports = watcher.events.compactMap { $0["report"] as? [String: Any] }.map(Report.init)
                let report = try #require(reports.last { $0.text("peer") == publisher })
                #expect(report.number("video.received.distinctFrames") ?? 0 > 10, "\(layer)")
                #expect(abs((report.number("audio.received.toneHz") ?? 0) - hertz) < 8, "\(layer)")
            }
        }
    }
}
