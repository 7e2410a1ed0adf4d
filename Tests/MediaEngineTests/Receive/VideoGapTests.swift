import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The jitter buffer of the video after an outage") struct VideoGapTests {
        @Test("The packets of a gap are requested again, unless it is an outage", arguments: [(5, true), (60, false)])
        func gap(lost: Int, isRequested: Bool) async throws {
            let stream = try VideoStream(losing: 60..<60 + lost)
            try await eventually("packets from after the gap") { stream.received >= 60 + 20 }
            #expect((stream.buffers.requests > 0) == isRequested)
            stream.end()
        }

        @Test("After a change of the path what was lost is hardly waited for", arguments: [true, false])
        func changedPath(isHurried: Bool) async throws {
            let stream = try VideoStream(losing: 60..<75)
            try await eventually("the gap has begun") { stream.sent > 65 }
            stream.buffers.hurry(isHurried)
            try await eventually("packets from after the gap") { stream.received > 60 }
            // 50 packets a second: it waits for 60 ms, or for 600.
            #expect((stream.sentAtEndOfGap - 75 < 15) == isHurried)
            stream.end()
        }
    }
}

/// 50 packets a second, of which some are lost before the jitter buffer; which codec they have makes no difference.
private final class VideoStream: Sendable {
    let buffers = JitterBuffers(waitMs: 20)
    private let pipeline: Pipeline
    private let counts = Shared((sent: 0, received: 0, sentAtEndOfGap: 0))

    init(losing gap: Range<Int>) throws {
        try GStreamerLibrary.initialize()
        pipeline = try Pipeline(name: "outage", timeBase: .ownStart)
        let bin = try Element(
            launch: """
                \(RawPeer.opus) ! identity name=path ! rtpjitterbuffer name=buffer
                ! fakesink name=sink sync=false async=false
                """,
            description: "outage", hasGhostPads: false)
        pipeline.bin.add(bin)
        let counts = counts
        try #require(bin.child("path")).pad("src").probeHead { _ in
            counts.update { $0.sent += 1 }
            return gap.contains(counts.value.sent) ? .drop : .pass
        }
        buffers.retransmit([111], isPossible: true)
        try buffers.add(try #require(bin.child("buffer")))
        try #require(bin.child("sink")).pad("sink").probeHead { _ in
            counts.update {
                $0.received += 1
                if $0.received == gap.lowerBound { $0.sentAtEndOfGap = $0.sent }
            }
            return .pass
        }
        try pipeline.bin.setState(.playing)
    }

    var sent: Int { counts.value.sent }
    var received: Int { counts.value.received }
    /// How many packets were sent when the first one after the gap left the jitter buffer.
    var sentAtEndOfGap: Int { counts.value.sentAtEndOfGap }

    func end() { pipeline.stop() }
}
