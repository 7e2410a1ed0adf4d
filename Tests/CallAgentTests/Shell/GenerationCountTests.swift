import CallProtocol
import Logging
import Testing

@testable import CallAgent
@testable import MediaEngine

/// What is counted on connections that were replaced, and what waits on them.
struct GenerationCountTests {
    /// A connection that has decoded so many video frames and received so many bytes.
    private static func media(frames: Int, bytes: Int) async throws -> GenerationMedia {
        let session = FakeMediaSession(label: "m", media: .audioVideo, servers: [], plan: .init())
        var report = MediaReport()
        var received = MediaReport.Received(codec: "VP8")
        (received.decoded, received.seconds, received.framesReceived) = (frames, 1, frames)
        report.video = .init(sent: .init(codec: "VP8", frames: 2 * frames), received: received)
        var quality = AudioQuality()
        (quality.gapCount, quality.totalGapsMs, quality.longestGapMs) = (1, Double(frames), Double(frames))
        var audio = MediaReport.Received(codec: "OPUS")
        audio.audioQuality = quality
        report.audio = .init(sent: .init(codec: "OPUS"), received: audio)
        report.transport.bytesReceived = bytes
        session.set(report)
        return GenerationMedia(after: nil, logger: Logger(label: "test")) { session }
    }

    @Test("The counts of a connection that was replaced go on, before and after it is closed")
    func replaced() async throws {
        let session = FakeMediaSession(label: "m", media: .audioVideo, servers: [], plan: .init())
        var generations = CallGenerations(session)
        let (first, second) = (try await Self.media(frames: 100, bytes: 7), try await Self.media(frames: 30, bytes: 5))
        generations.add(first, 0)
        generations.add(second, 1)
        #expect(await generations.report().video?.received.decoded == 100, "the next one is not shown yet")
        generations.show(1)
        for isClosed in [false, true] {
            if isClosed { generations.keep(await first.report(), of: first) }
            let report = await generations.report()
            #expect(report.video?.received.decoded == 130 && report.video?.received.framesReceived == 130)
            #expect(report.video?.sent.frames == 260)
            #expect(report.video?.received.seconds == 2)
            let audio = report.audio?.received.audioQuality
            #expect(audio?.gapCount == 2 && audio?.totalGapsMs == 130 && audio?.longestGapMs == 100)
            #expect(report.transport.bytesReceived == 12)
        }
    }

    @Test("After a rollback each connection counts once")
    func rolledBack() async throws {
        let session = FakeMediaSession(label: "m", media: .audioVideo, servers: [], plan: .init())
        var generations = CallGenerations(session)
        let (first, second) = (try await Self.media(frames: 100, bytes: 7), try await Self.media(frames: 30, bytes: 5))
        generations.add(first, 0)
        generations.add(second, 1)
        generations.show(1)
        generations.show(0)
        #expect(await generations.report().video?.received.decoded == 130)
        #expect(generations.remove(1) === second)
        generations.keep(await second.report(), of: second)
        #expect(await generations.report().video?.received.decoded == 130)
        #expect(generations.reported === first)
    }

    @Test("However fast the peer offers other connections, only a few are made while others close")
    func flood() async throws {
        let (provider, latch) = (FakeMediaProvider(), Latch())
        provider.plan.closeLatch = latch
        var generations = CallGenerations(
            FakeMediaSession(label: "m", media: .audioVideo, servers: [], plan: .init()))
        for number in 1...50 {
            let media = GenerationMedia(after: generations.obstacle, logger: Logger(label: "test")) {
                try await provider.makeSession(label: "\(number)", peer: nil, media: .audioVideo, role: .callee)
            }
            generations.add(media, number)
            if number <= CallGenerations.maximumClosing {
                try await eventually("connection \(number)") { provider.sessions.count == number }
            }
            _ = generations.remove(number)
            generations.note(closing: Task { await media.close() })
        }
        let last = GenerationMedia(after: generations.obstacle, logger: Logger(label: "test")) {
            try await provider.makeSession(label: "last", peer: nil, media: .audioVideo, role: .callee)
        }
        #expect(provider.sessions.count == CallGenerations.maximumClosing)
        latch.open()
        _ = await last.report()
        for task in generations.takeAll().closing { await task.value }
        let made = provider.sessions.filter { $0.label != "last" }
        #expect(provider.sessions.count == made.count + 1 && made.allSatisfy { $0.commands == [.close] })
    }

    @Test(
        "Data channels of a device that did not get the call never reach the application; those of the other wait for the accept"
    )
    func channelsOfAFork() async {
        let channels = CallDataChannels()
        let (lost, won) = (DataChannel(label: "lost", options: .init()), DataChannel(label: "won", options: .init()))
        channels.add(lost, of: 0)
        channels.add(won, of: 1)
        channels.forget(0)
        channels.accept()
        let late = DataChannel(label: "late", options: .init())
        channels.add(late, of: 1)
        channels.end()
        #expect(await channels.opened.reduce(into: []) { $0.append($1.label) } == ["won", "late"])
    }
}
