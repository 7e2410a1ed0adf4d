import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("What enters a sink") struct SinkFeedTests {
        /// One buffer on its way; times are those of the pipelines' clock, in ns.
        private struct Passage {
            let presented: UInt64
            let arrived: UInt64
            let duration: UInt64
        }

        /// Feeds a sink from a capture, and calls `body` with what enters it and what reached it.
        private func feed(
            _ track: TrackID, from source: CaptureSource, _ playout: Playout, waits: Bool = false,
            _ body: (_ entering: Shared<[UInt64]>, _ arriving: Shared<[Passage]>) async throws -> Void
        ) async throws {
            let pipeline = try Pipeline(name: "sink", timeBase: .clock)
            let feed = try SinkFeed(track, playout)
            let sink = try Element("fakesink")
            // Like a sound card, it takes each packet when its time comes.
            try sink.set("sync", waits ? "true" : "false")
            try sink.set("async", "false")
            for element in feed.elements + [sink] { pipeline.bin.add(element) }
            try feed.link(to: sink, in: pipeline.bin, through: nil)
            let (entering, arriving) = (Shared<[UInt64]>([]), Shared<[Passage]>([]))
            try sink.pad("sink").observeTimes { buffer, time in
                let passage = Passage(
                    presented: time ?? 0, arrived: Pipeline.now, duration: buffer.reference.duration)
                arriving.update { $0.append(passage) }
            }
            try pipeline.bin.setState(.playing)
            defer { pipeline.stop() }
            let monitor = try CaptureMonitor(source)
            _ = monitor.outlet.add { buffer in
                entering.update { $0.append(buffer.time) }
                feed.push(buffer)
            }
            try await monitor.start()
            try await body(entering, arriving)
            await monitor.stop()
        }

        @Test("Frames wait for their time, and for audio whose device has a buffer")
        func frames() async throws {
            let engine = try await TestEngine.shared()
            let source = VideoSource(name: "test", format: VideoFormat(width: 320, height: 180))
            let playout = Playout()
            playout.setLatency(0, of: .video)
            playout.setLatency(100_000_000, of: .audio)
            #expect(playout.shift(of: .audio) == UInt64(PlayoutDelay.initial))
            #expect(playout.shift(of: .video) == UInt64(PlayoutDelay.initial) + 100_000_000)
            try await feed(.video, from: engine.capture(source), playout) { entering, arriving in
                try await eventually("frames") { arriving.value.count >= 30 }
                // A machine that stands still drops some.
                let times = Set(entering.value.map { $0 + 180_000_000 })
                for passage in arriving.value {
                    #expect(times.contains(passage.presented))
                    #expect(passage.arrived >= passage.presented, "it is held until then")
                }
            }
        }

        @Test("Silence follows the delay, also a long one, and nothing of it is dropped")
        func audio() async throws {
            let engine = try await TestEngine.shared()
            let playout = Playout()
            playout.follow(roundTripMs: 300)
            try await feed(.audio, from: engine.capture(AudioSource.silence), playout, waits: true) { _, arriving in
                /// Lets the delay settle at what this lateness needs.
                func settle(latenessMs: UInt64, from begin: UInt64) {
                    for number in 1...2_000 as ClosedRange<UInt64> {
                        let now = begin + number * 20_000_000
                        playout.note(.audio, presentedAt: now - latenessMs * 1_000_000, now: now)
                    }
                }
                /// How much later than the previous packets this one is presented, in ns.
                func gaps() -> [Int] {
                    zip(arriving.value, arriving.value.dropFirst()).map {
                        Int($1.presented) - Int($0.presented + $0.duration)
                    }
                }
                try await eventually("audio") { arriving.value.count >= 10 }
                settle(latenessMs: 440, from: 1_000_000_000)
                #expect(playout.delayMs > 440)
                let before = arriving.value.count
                try await eventually("more of it") { arriving.value.count >= before + 100 }
                // A packet that is late in a busy moment may leave one, and may be worth several packets.
                #expect(gaps().count { abs($0) > 1_000_000 } <= 2, "\(gaps())")
                settle(latenessMs: 0, from: 100_000_000_000)
                #expect(playout.delayMs < 30)
                try await eventually("a short delay") {
                    arriving.value.last.map { Int($0.arrived) - Int($0.presented) > -5_000_000 } == true
                        && gaps().suffix(20).allSatisfy { abs($0) < 1_000_000 }
                }
            }
        }
    }
}
