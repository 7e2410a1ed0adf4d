import Foundation
import Testing

@testable import MediaEngine

extension EndToEnd {
    /// Where pictures and sound come out of the program.
    @Suite struct SinkTests {
        private let folder = Folder()

        @Test(
            "The peer's pictures, and those of the own camera before any call, are on the screen",
            .enabled(if: VirtualScreen.isThere))
        func windows() async throws {
            let screen = try await VirtualScreen()
            let trio = try await Trio()
            let display = ["DISPLAY": screen.display]
            let options = ["--signaling", trio.url, "--ice-interface", "127.0.0.1", "--events"]
            let preview = try Program(
                ["listen", "--as", "carol", "--video", "test:smpte", "--preview", "window"] + options,
                environment: display)
            // Colour bars: a white one among others.
            try await screen.shows("the preview") { $0.max() ?? 0 > 150 }
            preview.signal(SIGTERM)
            try await preview.waitForExit()
            try await screen.shows("nothing") { $0.allSatisfy { $0 < 20 } }
            let bob = try Program(
                ["listen", "--as", "bob", "--sink-video", "window", "--once", "--answer", "1s"] + options,
                environment: display)
            try await eventually("bob listens") { bob.hasEvent(["event": "listening"]) }
            let alice = try trio.call(["--events", "--duration", "10m", "--video", "test:ball"])
            try await screen.shows("the ball") { $0.max() ?? 0 > 200 }
            let first = try await screen.picture()
            try await screen.shows("the ball moves") { $0 != first }
            alice.signal(SIGINT)
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            #expect(!bob.hasEvent(["event": "mediaWarning"]))
            try await screen.close()
        }

        @Test("A snapshot of the peer's picture is written at its time, and told when there is none")
        func snapshots() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--video", "test:smpte", "--video-size", "480x270"])
            let (png, jpeg) = (folder.path("peer.png"), folder.path("peer.jpg"))
            let alice = try trio.call([
                "--events", "--duration", "2s", "--at", "1s=snapshot:\(png)", "--at", "1200ms=snapshot:\(jpeg)",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            for path in [png, jpeg] {
                let picture = try #require(try await RecordedFile(path).pictures.first)
                #expect((picture.width, picture.height) == (480, 270))
                #expect(picture.sample.contains { $0 > 150 })
            }
            let late = try trio.call([
                "--events", "--audio-only", "--duration", "1s", "--at", "500ms=snapshot:\(folder.path("none.png"))",
            ])
            #expect(try await late.waitForExit() == 6)
            #expect(late.errors.contains("there is no picture yet"), "\(late.errors)")
            _ = bob
        }

        @Test("Sound is played by ALSA, here into a file, or by a sink of one's own", arguments: ["alsa:file", "own"])
        func sound(sink: String) async throws {
            let trio = try await Trio()
            let played = folder.path("played.wav")
            // https://www.alsa-project.org/alsa-doc/alsa-lib/pcm_plugins.html: a device that writes what it is given.
            let alsa = try folder.write(
                """
                pcm.nowhere { type null }
                pcm.file { type file slave.pcm nowhere file "\(played)" format wav }
                """, "asound.conf")
            let own = "audioconvert ! wavenc ! filesink name=sink sync=false location=\(played)"
            _ = try folder.write("# Into a file.\n\(own)\n", "own-audio-sink.launch")
            let bob = try Program(
                ["listen", "--as", "bob", "--events", "--once", "--sink-audio", sink] + trio.common
                    + ["--pipelines", folder.path(".")], environment: ["ALSA_CONFIG_PATH": alsa])
            try await eventually("bob listens") { bob.hasEvent(["event": "listening"]) }
            let alice = try trio.call(["--events", "--duration", "3s", "--audio", "tone:700"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            #expect(!bob.hasEvent(["event": "mediaWarning"]), "\(bob.output)")
            let file = try await RecordedFile(played)
            #expect(file.sounds > 20 && abs(file.toneHz - 700) < 15, "\(file.toneHz)")
        }

        @Test("A sink that does not open is told, and the call goes on without it; one that cannot exist is refused")
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
