import Foundation
import MediaEngine
import Testing

@testable import CallAgent

extension EndToEnd {
    /// Calls in which an end sends more than one video.
    @Suite struct SeveralVideosTests {
        private let folder = Folder()

        private static let second = VideoSource.test(.ball, format: VideoFormat(width: 160, height: 120))

        @Test("A second video arrives on its own; it is muted, held and shown with the first one")
        func gates() async throws {
            let pair = try await Talk { $0.media.additionalVideos = [Self.second] }
            let (first, other) = (try await pair.bob.look(.video), try await pair.bob.look(.video(2)))
            try await eventually("both move") { first.changes >= 10 && other.changes >= 10 }
            var shown = pair.theirs.call.frames(ofVideo: 2).makeAsyncIterator()
            let frame = await shown.next()
            #expect(frame?.width == 160 && frame?.height == 120)
            #expect(try await pair.theirs.call.snapshot(.png, ofVideo: 2).count > 100)

            await pair.mine.call.setVideo(.muted)
            try await eventually("both are black") { first.blackRun >= 10 && other.blackRun >= 10 }
            await pair.mine.call.setVideo(.on)
            try await eventually("both are back") { first.blackRun == 0 && other.blackRun == 0 }

            try await pair.mine.call.hold()
            try await pair.theirs.hears(.holdChanged(.remotelyHeld))
            // What was under way arrives.
            try await eventually("the first stops") { first.lastAt.map { .now - $0 > .seconds(1) } == true }
            try await eventually("the second stops") { other.lastAt.map { .now - $0 > .seconds(1) } == true }
            try await pair.mine.call.unhold()
            let changes = other.changes
            try await eventually("the second moves again") { other.changes >= changes + 10 }
            let report = await pair.theirs.call.report()
            let video = try #require(report.statistics.additionalVideos[2])
            #expect(report.statistics.additionalVideos.count == 1)
            #expect(video.received.width == 160 && video.received.decoded >= 20 && video.sent.frames == 0)
            #expect(video.received.shownBeforeOpening == 0)
            try await pair.close()
        }

        @Test("A call that gets video later gets all its videos")
        func addedLater() async throws {
            let pair = try await Talk(media: .audioOnly) { $0.media.additionalVideos = [Self.second] }
            try await pair.mine.call.changeMedia(to: .audioVideo)
            let other = try await pair.bob.look(.video(2), connection: 1)
            try await eventually("the second moves") { other.changes >= 10 }
            try await pair.theirs.seesAndHears(pair.alice.mark)
            try await pair.close()
        }

        @Test("A peer that takes one video gets the first one, and the user learns that the other is not sent")
        func refused() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--receive-videos", "1"])
            let alice = try trio.call(
                ["--events", "--duration", "2s", "--additional-video", "test:smpte", "--require-media"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(
                alice.hasEvent([
                    "event": "mediaWarning", "text": "video2 is not sent: the peer takes fewer videos",
                ]), "\(alice.events)")
            try await eventually("bob's report") { bob.hasEvent(["event": "report"]) }
            let report = try #require(bob.events.last { $0["event"] as? String == "report" }).object("report")
            #expect(try report.number("video.received.framesDecoded") > 10)
            #expect(report["video2"] == nil)
            bob.signal(SIGINT)
        }

        @Test("Both ends send several videos, which are judged and recorded each")
        func program() async throws {
            let trio = try await Trio()
            let path = folder.path("call.mkv")
            let bob = try await trio.listen(["--video", "clock", "--additional-video", "clock:smpte"])
            let alice = try trio.call([
                "--json", "--duration", "3s", "--additional-video", "test:smpte", "--additional-video", "clock",
                "--receive-videos", "4", "--record", path, "--expect", "video2.received.quality.framesMissing<10",
                "--expect", "video2.received.framesDecoded>40", "--expect", "video3.sent.framesSent>40",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            let document = try #require((try alice.document()["calls"] as? [[String: Any]])?.first)
            #expect(try document.number("video2.received.frameWidth") == 640)
            #expect(try document.number("video4.received.framesDecoded") == 0)
            let file = try await RecordedFile(path)
            // The frames of both videos.
            #expect(file.frames.count >= 80 && file.changes >= 60)
            try await eventually("bob's report") { bob.hasEvent(["event": "report"]) }
            let report = try #require(bob.events.last { $0["event"] as? String == "report" }).object("report")
            for video in ["video", "video2", "video3"] {
                #expect(try report.number("\(video).received.distinctFrames") > 40, "\(video)")
            }
            bob.signal(SIGINT)
        }

        @Test(
            "Impossible videos are refused before a call, with what can be done",
            arguments: [
                (["--additional-video", "none"], "name a source instead of none"),
                (["--video", "none", "--additional-video", "test"], "name it with --video"),
                (["--additional-video", "nonsense"], "'nonsense' is no source"),
                (Array(repeating: ["--additional-video", "test"], count: 4).flatMap(\.self), "3 times at most"),
                (["--receive-videos", "5"], "a number from 1 to 4"),
                (["--receive-videos", "0"], "a number from 1 to 4"),
            ])
        func impossible(options: [String], text: String) async throws {
            let call = try Program(["call", "bob", "--as", "alice", "--signaling", "ws://127.0.0.1:9"] + options)
            #expect(try await call.waitForExit() == 2)
            #expect(call.errors.contains(text), "\(call.errors)")
        }
    }
}
