import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Measurements") struct MeasurementTests {
        @Test("By default only counts; other measurements start and stop on request")
        func onDemand() async throws {
            var options = LoopbackCall.Options()
            options.measurements = []
            try await withCall(options) { call in
                try await call.connect()
                let (callee, peer) = (call.callee, call.callee.peer)
                func heardMore() async throws {
                    let heard = try await callee.received(.audio).decoded
                    try await callee.wait("half a second of audio") {
                        $0.received[.audio]?.decoded ?? 0 > heard + 24_000
                    }
                    try await callee.waitForMoreFrames(10)
                }
                try await heardMore()
                #expect(try await callee.measured == [])
                #expect(try await callee.received(.video).framesPerSecond != nil, "counted in any case")
                #expect(await peer.statisticsReport().inbound.allSatisfy { $0.audioLevel == nil })
                await peer.measure([.pitch, .distinctFrames])
                try await callee.waitForTone()
                try await callee.wait("frames that differ") { $0.received[.video]?.distinctFrames ?? 0 > 5 }
                #expect(try await callee.measured == [.pitch, .distinctFrames])
                #expect(try await abs(#require(callee.received(.audio).toneHz) - 440) < 5)
                let still = try #require(try await callee.received(.video).quality?.longestStillMs)
                #expect(still < 300, "only what was measured")
                await peer.measure([.level])
                try await callee.wait("a level") { $0.received[.audio]?.audioLevel ?? 0 > 0.3 }
                try await heardMore()
                #expect(try await callee.measured == [.level])
                #expect(try await callee.received(.video).quality?.longestStillMs == nil)
                await peer.measure([])
                try await heardMore()
                #expect(try await callee.measured == [])
            }
        }

        @Test(
            "What is requested before the negotiation is measured from the first packet", arguments: [true, false])
        func early(byConfiguration: Bool) async throws {
            var options = LoopbackCall.Options()
            options.measurements = byConfiguration ? [.level] : []
            try await withCall(options) { call in
                if !byConfiguration { for end in call.ends { await end.peer.measure([.level]) } }
                try await call.connect()
                for end in call.ends {
                    try await end.wait("a level") { $0.received[.audio]?.audioLevel ?? 0 > 0.3 }
                    #expect(try await end.measured == [.level])
                }
            }
        }
    }
}

extension RealPipelines.MeasurementTests {
    /// The latest frame is kept for a gate that opens, and for windows and snapshots that come later.
    @Test("Of the decoded frames only the latest is kept, with the gate closed or open and whatever is measured")
    func framesAreReleased() async throws {
        var options = LoopbackCall.Options()
        options.measurements = []
        try await withCall(options) { call in
            try await call.connect()
            let (callee, peer) = (call.callee, call.callee.peer)
            let kept = Shared<(last: [BufferRef], latestHeld: Int, olderHeld: Int)>(([], 0, 0))
            try #require(await peer.media?.receiving[.video]?.decoded).probe { frame in
                kept.update { kept in
                    // One reference is the test's own.
                    let isHeld = kept.last.map { $0.references > 1 }
                    if isHeld.last == true { kept.latestHeld += 1 }
                    if isHeld.count == 2, isHeld[0] { kept.olderHeld += 1 }
                    kept.last = kept.last.suffix(1) + [frame.reference]
                }
                return .pass
            }
            try await eventually("frames at a closed gate") { kept.value.latestHeld >= 10 }
            await peer.setReceiving(true)
            let before = kept.value.latestHeld
            try await eventually("frames at an open gate") { kept.value.latestHeld >= before + 20 }
            await peer.measure([.distinctFrames, .frameMarks])
            try await callee.wait("frames that differ") { $0.received[.video]?.distinctFrames ?? 0 > 10 }
            #expect(kept.value.olderHeld == 0)
        }
    }
}

extension CallEnd {
    /// The measurements that have values.
    fileprivate var measured: Set<MediaMeasurement> {
        get async throws {
            let (audio, video) = (try await received(.audio), try await received(.video))
            var measured: Set<MediaMeasurement> = []
            if audio.toneHz != nil { measured.insert(.pitch) }
            if audio.audioLevel != nil || audio.audioEnergy != nil || audio.measuredSeconds != nil {
                measured.insert(.level)
            }
            if video.distinctFrames != nil { measured.insert(.distinctFrames) }
            return measured
        }
    }
}
