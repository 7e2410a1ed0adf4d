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
        report.transport.bytesReceived = bytes
        session.set(report)
        return GenerationMedia(Task { session }, logger: Logger(label: "test"))
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
