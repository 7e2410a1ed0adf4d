import Foundation
import Testing

extension Peers {
    /// Calls with aiortc, a WebRTC of its own (Python), by a peer that was written from docs/signaling.md alone.
    @Suite struct AiortcTests {
        @Test("An agent calls aiortc")
        func answers() async throws {
            let server = try await CallServer()
            let dave = try await aiortc([server.url, "dave"])
            let bob = try server.call("dave", as: "bob", ["--json", "--duration", "3s"])
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            try check(try bob.onlyCall())
            try check(try await dave.event(["event": "ended", "by": "hangup"]))
            #expect(try await dave.waitForExit() == 0, "\(dave.errors)")
        }

        @Test("aiortc calls an agent")
        func calls() async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "500ms"])
            let dave = try await aiortc([server.url, "dave", "bob"])
            let report = try await bob.report()
            #expect(report.text("end.reason") == "remoteHangup")
            try check(report)
            try check(try await dave.event(["event": "ended", "by": "hangUp"]))
            #expect(try await dave.waitForExit() == 0, "\(dave.errors)")
        }

        /// Starts the peer, which says so when it is signed in.
        private func aiortc(_ arguments: [String]) async throws -> Program {
            let peer = try Program.aiortc("aiortc_peer.py", arguments)
            try await eventually("aiortc is signed in") { peer.hasEvent(["event": "signedIn"]) }
            return peer
        }

        /// That the agent received what aiortc sends.
        private func check(_ report: Report) throws {
            #expect(report.text("video.received.codec") == "VP8" && report.text("audio.received.codec") == "OPUS")
            #expect(report.number("video.received.distinctFrames") ?? 0 > 30)
            #expect(report.number("video.received.width") == 320)
            #expect(abs((report.number("audio.received.toneHz") ?? 0) - 660) < 5)
            #expect(report.number("video.received.shownBeforeConnected") == 0)
        }

        /// That aiortc received what the agent sends: colour bars and 440 Hz.
        private func check(_ ended: [String: Any]) throws {
            #expect(ended["distinct"] as? Int ?? 0 > 30)
            let bars = try #require(ended["colours"] as? [[Int]])
            #expect(PageUser.Picture(width: 640, height: 360, bars: bars, hash: 0).isSMPTE)
            #expect(abs((ended["hertz"] as? Double ?? 0) - 440) < 5)
        }
    }
}
