import Foundation
import Testing

extension EndToEnd {
    /// The files of `--record`.
    @Suite struct RecordingTests {
        private let folder = Folder()

        @Test(
            "The recordings of a killed program are playable, in both directions and every format",
            arguments: [("call.mkv", "vp8"), ("call.webm", "vp9"), ("call.mp4", "h264")])
        func killed(name: String, codec: String) async throws {
            let trio = try await Trio()
            let path = folder.path(name)
            let bob = try await trio.listen(["--record", path, "--record-sent", "--audio", "tone:880"])
            let alice = try trio.call(["--events", "--duration", "10m", "--codec", codec])
            let sent = folder.path(name.replacing("call", with: "call.sent"))
            try await eventually("both recordings grow") {
                [path, sent].allSatisfy { path in
                    let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
                    return size ?? 0 > 80_000
                }
            }
            bob.signal(SIGKILL)
            #expect(try await bob.waitForExit() == -SIGKILL)
            alice.signal(SIGINT)
            for (path, hertz) in [(path, 440.0), (sent, 880)] {
                let file = try await RecordedFile(path)
                #expect(file.changes >= 20 && file.frames.allSatisfy { $0.width == 640 })
                #expect(abs(file.toneHz - hertz) < 10)
                #expect(abs(file.audioEnd - (file.frames.last?.time ?? 0)) < 1.5)
            }
        }

        @Test("A recorded file is sent with its video and its audio, again and again")
        func sentAgain() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--video", "test:smpte", "--video-size", "320x240", "--audio", "tone:660"])
            let path = folder.path("clip.mkv")
            let recorder = try trio.call(["--duration", "2s", "--record", path])
            #expect(try await recorder.waitForExit() == 0, "\(recorder.errors)")
            let alice = try trio.call(["--events", "--duration", "5s", "--video", "file:\(path)"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            try await eventually("bob's second report") { bob.count(of: ["event": "report"]) == 2 }
            let report = try #require(bob.events.last { $0["event"] as? String == "report" }).object("report")
            #expect(try abs(report.number("audio.received.toneHz") - 660) < 10)
            // More than the file has.
            #expect(try report.number("video.received.distinctFrames") > 70)
            bob.signal(SIGINT)
        }

        @Test("An impossible recording is refused before a call, and the error names what is possible")
        func refused() async throws {
            let trio = try await Trio()
            for (options, text) in [
                (["--record", folder.path("call.avi")], "NAME.mkv, NAME.webm, NAME.mp4"),
                (
                    ["--record", folder.path("call.mp4"), "--codec", "vp8"],
                    "video codec that MP4 can hold; use one of h264"
                ),
                (
                    ["--record", folder.path("call.webm"), "--audio-codec", "pcmu"],
                    "audio codec that WebM can hold; use one of opus"
                ),
                (["--record", folder.path("none/call.mkv")], "there is no folder"),
                (["--record-sent"], "--record-sent needs --record"),
            ] {
                let alice = try trio.call(options)
                #expect(try await alice.waitForExit() == 2)
                #expect(alice.errors.contains(text), "\(alice.errors)")
            }
        }

        @Test("A recording replaces no file, and the call uses an audio codec that the file can hold")
        func replacesNothing() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--record", folder.path("visit.webm")])
            try "mine".write(toFile: folder.path("visit-2.webm"), atomically: true, encoding: .utf8)
            for name in ["visit", "visit-3"] {
                let alice = try trio.call(["--duration", "2s", "--audio-codec", "pcmu,opus", "--json"])
                #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
                try await eventually("\(name) is there") {
                    try await RecordedFile(folder.path(name + ".webm")).changes >= 20
                }
                #expect(abs(try await RecordedFile(folder.path(name + ".webm")).toneHz - 440) < 10)
            }
            #expect(try String(contentsOfFile: folder.path("visit-2.webm"), encoding: .utf8) == "mine")
            bob.signal(SIGINT)
        }

        @Test("A full disk causes a warning, the call continues, and the exit code is 7")
        func fullDisk() async throws {
            let trio = try await Trio()
            let path = folder.path("call.mkv")
            let bob = try await trio.listen(["--once", "--record", path])
            // The free space at the time of the check.
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
            let alice = try trio.call(["--events", "--duration", "2s"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 7, "\(bob.errors)")
            #expect(bob.errors.contains("is not recorded"))
            let warning = try #require(bob.events.first { $0["event"] as? String == "mediaWarning" })
            #expect(try warning.text("text").contains("is not recorded"))
        }
    }
}
