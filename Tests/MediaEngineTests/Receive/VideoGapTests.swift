import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The jitter buffer of the video after an outage") struct VideoGapTests {
        @Test("The packets of a gap are requested again, unless it is an outage", arguments: [(5, true), (60, false)])
        func gap(lost: Int, isRequested: Bool) async throws {
            try GStreamerLibrary.initialize()
            let pipeline = try Pipeline(name: "outage", timeBase: .ownStart)
            defer { pipeline.stop() }
            // 50 packets a second; which codec they have makes no difference.
            let bin = try Element(
                launch: """
                    \(RawPeer.opus) ! identity name=path ! rtpjitterbuffer name=buffer
                    ! fakesink name=sink sync=false async=false
                    """,
                description: "outage", hasGhostPads: false)
            pipeline.bin.add(bin)
            let (sent, received) = (Shared(0), Shared(0))
            let gap = 60..<60 + lost
            try #require(bin.child("path")).pad("src").probeHead { _ in
                sent.update { $0 += 1 }
                return gap.contains(sent.value) ? .drop : .pass
            }
            let buffers = JitterBuffers(waitMs: 20)
            buffers.retransmit(111, isPossible: true)
            try buffers.add(try #require(bin.child("buffer")))
            try #require(bin.child("sink")).pad("sink").probeHead { _ in
                received.update { $0 += 1 }
                return .pass
            }
            try pipeline.bin.setState(.playing)
            try await eventually("packets from after the gap") { received.value >= gap.lowerBound + 20 }
            #expect((buffers.requests > 0) == isRequested)
        }
    }
}
