import Foundation
import TestServers
import Testing
import WebSocketSignaling

@testable import CallAgent

extension EndToEnd {
    /// Two users call each other at the same moment and get one call.
    @Suite struct GlareTests {
        @Test(
            "An agent and a process that call each other have one call, whichever call id is lower",
            arguments: [true, false])
        func agentAndProcess(agentWins: Bool) async throws {
            let server = try await TestServer()
            let signaling = HeldSignaling(WebSocketTransport(url: server.url, logger: .quiet))
            let bob = try await Station("bob", signaling, width: 240, hertz: 554).prepared()
            let alice = try Program(
                ["call", "bob", "--as", "alice", "--events", "--duration", "10m", "--video-size", "320x160"]
                    + ["--audio", "tone:440", "--signaling", server.url, "--ice-interface", "127.0.0.1"])
            try await eventually("alice's invite is on its way") { signaling.heldCount > 0 }
            // The program's call ids consist of hexadecimal digits.
            let id = agentWins ? "+lowest" : "zzz-highest"
            let mine = FollowedCall(try await bob.agent.call("alice", id: id))
            signaling.release()
            try await mine.reaches(.connected)
            try await mine.seesAndHears(Mark(user: "alice", width: 320, hertz: 440))
            #expect((mine.call.id == id) == agentWins)
            #expect(bob.incoming.isEmpty)

            await mine.call.hangUp()
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(alice.count(of: ["event": "stateChanged", "state": "connected"]) == 1)
            let reports = alice.events.filter { $0["event"] as? String == "report" }
            let report = try #require(reports.first).object("report")
            #expect(reports.count == 1)
            #expect(try report.text("callId") == mine.call.id)
            #expect(try report.number("video.received.frameWidth") == 240)
            #expect(try report.number("video.received.distinctFrames") >= 10)
            #expect(try abs(report.number("audio.received.toneHz") - 554) < 11)
            await bob.agent.close()
        }

        @Test("Who asks for audio alone is heard and not seen, also when the peer's video call is the one that stays")
        func audioAlone() async throws {
            let server = try await TestServer()
            let signaling = HeldSignaling(WebSocketTransport(url: server.url, logger: .quiet))
            let bob = try await Station("bob", signaling, width: 240, hertz: 554).prepared()
            let alice = try Program(
                ["call", "bob", "--as", "alice", "--events", "--duration", "10m", "--audio-only"]
                    + ["--audio", "tone:440", "--signaling", server.url, "--ice-interface", "127.0.0.1"])
            try await eventually("alice's invite is on its way") { signaling.heldCount > 0 }
            let mine = FollowedCall(try await bob.agent.call("alice", id: "+lowest"))
            signaling.release()
            try await mine.reaches(.connected)
            try await mine.hears(Mark(user: "alice", width: 0, hertz: 440))
            #expect(await mine.call.media == .audioVideo, "it is bob's call")
            // Alice receives bob's video, so hers had the time to arrive, too.
            try await eventually("alice's report of a call with video") {
                await mine.call.report().statistics.video?.sent.frames ?? 0 > 60
            }
            let received = try #require(await mine.call.report().statistics.video?.received)
            #expect(received.decoded == 0 && received.arrivals.isEmpty)
            await mine.call.hangUp()
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            let reports = alice.events.filter { $0["event"] as? String == "report" }
            let report = try #require(reports.first).object("report")
            #expect(try report.number("video.sent.framesSent") == 0)
            #expect(try report.number("video.received.distinctFrames") >= 10)
            await bob.agent.close()
        }

        @Test("Two processes that call each other have one call, and neither has a critical warning")
        func twoProcesses() async throws {
            let server = try await MortalServer()
            let port = try #require(server.url.split(separator: ":").last.flatMap { Int($0) })
            // Both wait for the stopped server. Their invites cross when it continues, since each waits 2 s for a STUN server
            // that never answers: the one that signs in first must find the other.
            let silent = try await HeldUDP(to: port)
            server.freeze()
            defer { server.thaw() }
            let ends = try [("alice", "bob", "320x160", "440"), ("bob", "alice", "240x120", "554")].map {
                try Program(
                    [
                        "call", $1, "--as", $0, "--events", "--duration", "2s", "--video-size", $2, "--audio",
                        "tone:\($3)",
                    ]
                        + ["--signaling", server.url, "--ice-interface", "127.0.0.1", "--ice-gather-timeout", "0s"]
                        + ["--ice-server", "stun:127.0.0.1:\(silent.port)"],
                    environment: ["G_DEBUG": "fatal-criticals"])
            }
            try await eventually("both have connected") { Self.connections(toPort: port) == 2 }
            server.thaw()
            for end in ends { #expect(try await end.waitForExit() == 0, "\(end.errors)") }
            let reports = try ends.map { end in
                #expect(end.count(of: ["event": "stateChanged", "state": "connected"]) == 1)
                let all = end.events.filter { $0["event"] as? String == "report" }
                #expect(all.count == 1)
                return try #require(all.first).object("report")
            }
            #expect(silent.count > 0)
            #expect(try reports[0].text("callId") == reports[1].text("callId"))
            for (report, width, hertz) in [(reports[0], 240.0, 554.0), (reports[1], 320, 440)] {
                #expect(try report.number("video.received.frameWidth") == width)
                #expect(try report.number("video.received.distinctFrames") >= 20)
                #expect(try abs(report.number("audio.received.toneHz") - hertz) < 0.02 * hertz)
            }
        }

        @Test("Two agents call each other at once, ten times: each time they see and hear each other in one call")
        func soak() async throws {
            let server = try await TestServer()
            let alice = try await Station("alice", at: server.url, hertz: 440).prepared()
            let bob = try await Station("bob", at: server.url, width: 240, hertz: 554).prepared()
            for round in 1...10 {
                let (low, high) = ("a-\(round)", "b-\(round)")
                async let first = alice.call(bob, id: round.isMultiple(of: 2) ? low : high)
                async let second = bob.call(alice, id: round.isMultiple(of: 2) ? high : low)
                let (mine, theirs) = (try await first, try await second)
                for call in [mine, theirs] { try await call.reaches(.connected) }
                #expect(mine.call.id == theirs.call.id)
                #expect(mine.call.role != theirs.call.role)
                try await expectMedia((mine, alice), (theirs, bob))
                // The ringing call was accepted at once, since its callee was calling too.
                for (station, call) in [(alice, mine), (bob, theirs)] {
                    #expect(station.incoming.allSatisfy { $0.call === call.call || $0.call.id != call.call.id })
                    #expect(station.agent.activeCalls.count == 1)
                }
                await (round.isMultiple(of: 3) ? mine : theirs).call.hangUp()
                for call in [mine, theirs] { try await call.reaches(.ended) }
            }
            await alice.agent.close()
            await bob.agent.close()
        }

        /// The number of clients that are connected to a port of 127.0.0.1, including those that are not accepted yet.
        private static func connections(toPort port: Int) -> Int {
            let suffix = ":" + String(65_536 + port, radix: 16, uppercase: true).suffix(4)
            return KernelTable.rows("/proc/net/tcp").count { fields in
                fields.count > 3 && fields[2].hasSuffix(suffix) && fields[3] == "01"
            }
        }
    }
}
