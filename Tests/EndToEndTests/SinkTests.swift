import Foundation
import Testing

extension EndToEnd {
    /// The outputs for video and audio.
    @Suite struct SinkTests {
        private let folder = Folder()

        @Test(
            "The window shows the peer's video, and the own camera before any call",
            .enabled(if: VirtualScreen.isThere, "there is no virtual screen; install xvfb and gstreamer1.0-x"))
        func windows() async throws {
            let screen = try await VirtualScreen()
            let trio = try await Trio()
            let preview = try previewing("test:smpte", on: screen, trio)
            try await screen.shows("the preview") { $0 > 30 }
            preview.signal(SIGTERM)
            try await preview.waitForExit()
            try await screen.shows("nothing") { $0 == 0 }
            let bob = try await trio.listen(
                ["--sink-video", "window", "--once", "--answer", "1s"], environment: ["DISPLAY": screen.display])
            let alice = try trio.call([
                "--events", "--duration", "10m", "--video", "test:white", "--at", "6s=video=test:black",
            ])
            try await screen.shows("the peer's white") { $0 > 100 }
            try await screen.shows("the peer's black") { $0 < 10 }
            alice.signal(SIGINT)
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            #expect(!bob.hasEvent(["event": "mediaWarning"]))
        }

        @Test(
            "The screen is sent as the video of a camera",
            .enabled(if: VirtualScreen.isThere, "there is no virtual screen; install xvfb and gstreamer1.0-x"))
        func screen() async throws {
            let (filmed, shown) = (try await VirtualScreen(), try await VirtualScreen())
            let trio = try await Trio()
            let bob = try await trio.listen(["--video", "screen:\(filmed.display)", "--once"])
            let alice = try trio.call(
                ["--events", "--duration", "10m", "--sink-video", "window"], environment: ["DISPLAY": shown.display])
            try await eventually("connected, by the frame of the empty screen") {
                alice.hasEvent(["event": "stateChanged", "state": "connected"])
            }
            let preview = try previewing("test:white", on: filmed, trio)
            // The wide window fills half of the screen. The screen keeps its aspect ratio, with borders, in a wide frame.
            try await shown.shows("what came onto it") { $0 > 30 }
            preview.signal(SIGTERM)
            try await shown.shows("the empty screen") { $0 == 0 }
            alice.signal(SIGINT)
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            #expect(!bob.hasEvent(["event": "mediaWarning"]))
        }

        /// Shows the camera's video before any call.
        private func previewing(_ frame: String, on screen: VirtualScreen, _ trio: Trio) throws -> Program {
            try Program(
                ["listen", "--as", "carol", "--video", frame, "--preview", "window"] + trio.common,
                environment: ["DISPLAY": screen.display])
        }

        @Test("A snapshot of the peer's video is written at its time; without a frame it is an error")
        func snapshots() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--video", "test:smpte", "--video-size", "480x270"])
            let (png, jpeg) = (folder.path("peer.png"), folder.path("peer.jpg"))
            let alice = try trio.call([
                "--events", "--duration", "2s", "--at", "1s=snapshot:\(png)", "--at", "1200ms=snapshot:\(jpeg)",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            for path in [png, jpeg] {
                let frame = try #require(try await RecordedFile(path).frames.first)
                #expect((frame.width, frame.height) == (480, 270))
                #expect(frame.sample.contains { $0 > 150 })
            }
            let late = try trio.call([
                "--events", "--audio-only", "--duration", "1s", "--at", "500ms=snapshot:\(folder.path("none.png"))",
            ])
            #expect(try await late.waitForExit() == 6)
            #expect(late.errors.contains("there is no frame yet"), "\(late.errors)")
            _ = bob
        }

        @Test("Audio is played by a user-defined sink")
        func own() async throws {
            let trio = try await Trio()
            let played = folder.path("played")
            let launch = "audioconvert ! opusenc ! matroskamux ! filesink name=sink sync=false location=\(played)"
            _ = try folder.write("# Into a file.\n\(launch)\n", "own-audio-sink.launch")
            let bob = try await trio.listen(["--once", "--sink-audio", "own", "--pipelines", folder.path(".")])
            let alice = try trio.call(["--events", "--duration", "3s", "--audio", "tone:700"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let file = try await RecordedFile(played)
            #expect(file.audio > 20 && abs(file.toneHz - 700) < 15, "\(file.toneHz)")
        }

        @Test("Audio is played by an ALSA device (a null device, which takes all samples at once)")
        func alsa() async throws {
            let trio = try await Trio()
            let configuration = try folder.write("pcm.nowhere { type null }\n", "asound.conf")
            let bob = try await trio.listen(
                ["--once", "--sink-audio", "alsa:nowhere"], environment: ["ALSA_CONFIG_PATH": configuration])
            let alice = try trio.call(["--events", "--duration", "1s"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            #expect(!bob.hasEvent(["event": "mediaWarning"]), "\(bob.output)")
        }

        @Test("A sink that does not open causes a warning, and the call continues; an invalid sink is refused")
        func failing() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--once", "--sink-audio", "alsa:nosuchdevice"])
            let alice = try trio.call(["--events", "--duration", "2s"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let warning = try #require(bob.events.first { $0["event"] as? String == "mediaWarning" })
            #expect(try warning.text("text").contains("the sink 'alsa:nosuchdevice' failed"))
            for (options, text) in [
                (["--sink-video", "none"], "no pipeline description 'none'"),
                (["--sink-video", "v4l2:/dev/video99"], "modprobe v4l2loopback"),
                (["--sink-audio", ":"], "no audio sink"),
            ] {
                let carol = try trio.call(options)
                #expect([2, 7].contains(try await carol.waitForExit()))
                #expect(carol.errors.contains(text), "\(carol.errors)")
            }
        }
    }
}
