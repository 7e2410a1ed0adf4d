import Foundation
import TestServers
import Testing

extension EndToEnd {
    /// A camera that shows itself to a room, and pauses that during a call.
    @Suite(.enabled(if: JanusServer.isPossible, "needs root, iproute2, nftables and Debian's janus"))
    struct BroadcastTests {
        /// How loud the viewer hears the camera now, from 0 to 1.
        private func level(_ viewer: RoomParty) -> Double? {
            let last = viewer.program.events.last { $0["event"] as? String == "statistics" }
            let kinds = (last?["interval"] as? [String: Any])?["inbound"] as? [[String: Any]] ?? []
            return kinds.first { $0["kind"] as? String == "audio" }?["audioLevel"] as? Double
        }

        private func start(_ lab: NetworkLab, _ place: NetworkLab.Place, _ arguments: [String]) throws -> Program {
            let command = lab.command(at: place, Program.path, arguments)
            return try Program(command.arguments, path: command.path)
        }

        @Test("Viewers see an image and hear nothing during a call; the broadcast goes on when the caller vanishes")
        func pause() async throws {
            let lab = try NetworkLab(hasNAT: false)
            let janus = try await JanusServer(in: lab)
            let signaling = "ws://\(NetworkLab.server):8080"
            let server = try start(lab, .internet, ["serve", "--listen", "\(NetworkLab.server):8080", "--events"])
            try await eventually("the server listens") { !server.lines.isEmpty }
            let folder = Folder()
            let still = folder.path("pause.png")
            let image = try Program(
                [
                    "-q", "videotestsrc", "num-buffers=1", "pattern=white", "!", "video/x-raw,width=160,height=120",
                    "!", "pngenc", "!", "filesink", "location=\(still)",
                ], path: "/usr/bin/gst-launch-1.0")
            #expect(try await image.waitForExit() == 0, "\(image.errors)")
            let camera = try start(
                lab, .alice,
                [
                    "listen", "--as", "camera", "--signaling", signaling, "--allow", "bob", "--events",
                    "--video", "test:ball", "--video-size", "160x120@10", "--audio", "tone:440",
                    "--broadcast", JanusServer.url, "--broadcast-room", JanusServer.room,
                    "--broadcast-pause", "image:\(still)",
                ])
            try await eventually("it broadcasts: \(camera.errors)") { camera.hasEvent(["event": "broadcasting"]) }
            let viewer = try RoomParty(
                "viewer", in: lab, at: .bob,
                command: [
                    "watch", JanusServer.room, "--record", folder.path("%p.mkv"), "--events", "--stats-interval",
                    "200ms",
                ])
            try await viewer.isConnected(with: ["camera"])
            try await viewer.expectMedia(of: "camera")
            try await eventually("the viewer hears the camera") { level(viewer) ?? 0 > 0.1 }

            let caller = try start(
                lab, .bob,
                [
                    "call", "camera", "--as", "bob", "--signaling", signaling, "--events", "--stats-interval", "200ms",
                    "--duration", "forever", "--require-media",
                ])
            try await eventually("bob sees the camera: \(caller.errors)") {
                caller.hasEvent(["event": "stateChanged", "state": "connected"])
            }
            #expect(camera.hasEvent(["event": "broadcastPaused"]))
            try await eventually("the viewer hears nothing") { level(viewer) == 0 }
            try await viewer.expectMedia(of: "camera")
            #expect(level(viewer) == 0)
            caller.signal(SIGKILL)
            try await eventually("the broadcast goes on") { camera.hasEvent(["event": "broadcastResumed"]) }
            try await eventually("the viewer hears the camera again") { level(viewer) ?? 0 > 0.1 }
            for _ in 1...2 { try await viewer.expectMedia(of: "camera") }
            // One connection all the time.
            #expect(camera.count(of: ["event": "broadcasting"]) == 1)
            viewer.program.signal(SIGINT)
            try await viewer.program.waitForExit()
            camera.signal(SIGINT)
            #expect(try await camera.waitForExit() == 130)
            // A small ball on black, a white image, the ball again.
            let means = try await RecordedFile(folder.path("camera.mkv")).frames.map(\.mean)
            let bright = try #require(means.firstIndex { $0 > 200 })
            let dark = try #require(means[bright...].firstIndex { $0 < 60 })
            #expect(means[..<bright].count { $0 < 60 } > 5 && means[dark...].count { $0 < 60 } > 5)
            #expect(means[bright..<dark].count { $0 > 200 } > 5)
            server.signal(SIGTERM)
            await server.letEnd(within: .seconds(5))
            janus.stop()
        }

        @Test("A broadcast without its server does not keep anybody from calling; wrong options are refused")
        func withoutServer() async throws {
            let server = try await TestServer()
            let camera = try Program(
                [
                    "listen", "--as", "camera", "--signaling", server.url, "--events", "--ice-interface", "127.0.0.1",
                    "--broadcast", "ws://127.0.0.1:1/", "--broadcast-room", "1", "--once",
                ])
            try await eventually("it says so: \(camera.errors)") { camera.hasEvent(["event": "broadcastLost"]) }
            let caller = try Program(
                [
                    "call", "camera", "--as", "bob", "--signaling", server.url, "--duration", "1s", "--require-media",
                    "--ice-interface", "127.0.0.1",
                ])
            #expect(try await caller.waitForExit() == 0, "\(caller.errors)")
            #expect(try await camera.waitForExit() == 0, "\(camera.errors)")
            for (words, text) in [
                (["--broadcast", "ws://127.0.0.1:1/"], "needs --broadcast-room"),
                (["--broadcast", "http://127.0.0.1:1/", "--broadcast-room", "1"], "are for a Janus server"),
                (["--broadcast", "rtmp://host/"], "neither a WHIP endpoint"),
                (["--broadcast-room", "1"], "need --broadcast"),
            ] {
                let program = try Program(["listen", "--as", "camera"] + words)
                #expect(try await program.waitForExit() == 2)
                #expect(program.errors.contains(text), "\(program.errors)")
            }
        }
    }
}
