import Foundation
import Testing

extension Peers {
    /// Calls with aiortc, an independent WebRTC implementation (Python).
    ///
    /// The peer was written from docs/signaling.md alone.
    @Suite struct AiortcTests {
        @Test("An agent calls aiortc; each mutes, stops its video and holds, and the other perceives it")
        func answers() async throws {
            let server = try await CallServer()
            let dave = try await aiortc([server.url, "dave"] + Self.steps)
            let options = ["--events", "--duration", "8400ms"] + Program.tellsMoments + Self.script
            let bob = try server.call("dave", as: "bob", options)
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            try check(try await bob.report())
            try check(try await dave.event(["event": "ended", "by": "hangup"]))
            #expect(try await dave.waitForExit() == 0, "\(dave.errors)")
            bob.expectPerceptions(Self.perceptions)
            dave.expectPerceptions(Self.perceptions)
        }

        @Test("aiortc calls an agent; each mutes, stops its video and holds, and the other perceives it")
        func calls() async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "500ms"] + Program.tellsMoments + Self.script)
            let dave = try await aiortc([server.url, "dave", "bob", "--at", "8.4=hangup"] + Self.steps)
            let report = try await bob.report()
            #expect(report.text("end.reason") == "remoteHangup")
            try check(report)
            try check(try await dave.event(["event": "ended", "by": "hangUp"]))
            #expect(try await dave.waitForExit() == 0, "\(dave.errors)")
            bob.expectPerceptions(Self.perceptions)
            dave.expectPerceptions(Self.perceptions)
        }

        @Test("An audio-only call with aiortc", arguments: ["bob", "dave"])
        func audio(caller: String) async throws {
            let server = try await CallServer()
            let (bob, dave): (Program, Program)
            let options = ["--audio-only", "--at", "2=hangup"]
            if caller == "bob" {
                dave = try await aiortc([server.url, "dave"] + options)
                bob = try server.call("dave", as: "bob", ["--audio-only", "--events"])
            } else {
                bob = try await server.listen("bob", ["--answer", "0s"])
                dave = try await aiortc([server.url, "dave", "bob"] + options)
            }
            let report = try await bob.report()
            #expect(report.text("end.reason") == "remoteHangup")
            #expect(report.number("video.received.framesDecoded") == nil)
            #expect(abs((report.number("audio.received.toneHz") ?? 0) - 660) < 5)
            let ended = try await dave.event(["event": "ended", "by": "hangUp"])
            #expect(ended["distinct"] as? Int == 0)
            #expect(abs((ended["hertz"] as? Double ?? 0) - 440) < 5)
            #expect(try await dave.waitForExit() == 0, "\(dave.errors)")
        }

        /// The actions of the agent and, at the same times, of aiortc.
        ///
        /// At the end each holds in turn.
        private static let script = [
            "1200ms=mute-audio", "2400ms=unmute-audio", "2400ms=stop-video", "3600ms=start-video", "3600ms=hold",
            "4800ms=unhold",
        ].flatMap { ["--at", $0] }
        private static let steps = [
            "1.2=mute", "2.4=unmute", "2.4=stop", "3.6=start", "6=hold", "7.2=unhold",
        ].flatMap { ["--at", $0] }

        /// The perceptions that follow at both ends.
        private static let perceptions: [Perception] = [
            .everything, .videoOnly, .audioOnly, .nothing, .everything, .nothing, .everything,
        ]

        /// Starts the peer and waits until it is signed in.
        private func aiortc(_ arguments: [String]) async throws -> Program {
            let peer = try Program.aiortc("aiortc_peer.py", arguments)
            try await eventually("aiortc is signed in") { peer.hasEvent(["event": "signedIn"]) }
            return peer
        }

        /// Expects that the agent received aiortc's media.
        private func check(_ report: Report) throws {
            #expect(report.text("video.received.codec") == "VP8" && report.text("audio.received.codec") == "OPUS")
            #expect(report.number("video.received.distinctFrames") ?? 0 > 30)
            #expect(report.number("video.received.frameWidth") == 320)
            #expect(abs((report.number("audio.received.toneHz") ?? 0) - 660) < 5)
            #expect(report.number("video.received.shownBeforeConnected") == 0)
        }

        /// Expects that aiortc received the agent's media: colour bars and 440 Hz.
        private func check(_ ended: [String: Any]) throws {
            #expect(ended["distinct"] as? Int ?? 0 > 30)
            let bars = try #require(ended["colours"] as? [[Int]])
            #expect(PageUser.Frame(width: 640, height: 360, bars: bars, hash: 0).isSMPTE)
            #expect(abs((ended["hertz"] as? Double ?? 0) - 440) < 5)
        }
    }
}
