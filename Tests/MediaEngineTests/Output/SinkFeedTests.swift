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
            _ kind: MediaKind, from source: CaptureSource, _ playout: Playout,
            _ body: (_ entering: Shared<[UInt64]>, _ arriving: Shared<[Passage]>) async throws -> Void
        ) async throws {
            let pipeline = try Pipeline(name: "sink", timeBase: .clock)
            let feed = try SinkFeed(kind, playout)
            let sink = try Element("fakesink")
            for name in ["sync", "async"] { try sink.set(name, "false") }
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
                for (time, passage) in zip(entering.value, arriving.value) {
                    #expect(passage.presented == time + 180_000_000)
                    #expect(passage.arrived >= passage.presented, "it is held until then")
                }
            }
        }

        @Test("Silence follows the delay without a gap")
        func audio() async throws {
            let engine = try await TestEngine.shared()
            let playout = Playout()
            try await feed(.audio, from: engine.capture(AudioSource.silence), playout) { _, arriving in
                /// Lets the delay settle at what these latenesses need.
                func settle(latenessMs: UInt64) {
                    for number in 1...2_000 as ClosedRange<UInt64> {
                        let now = number * 20_000_000 + 1_000_000_000
                        playout.note(.audio, presentedAt: now - latenessMs * 1_000_000, now: now)
                        playout.note(.video, presentedAt: now, now: now)
                    }
                }
                func later() -> Int { arriving.value.last.map { Int($0.presented) - Int($0.arrived) } ?? 0 }
                try await eventually("audio") { arriving.value.count >= 10 }
                settle(latenessMs: 200)
                try await eventually("a long delay") { later() > 170_000_000 }
                settle(latenessMs: 0)
                try await eventually("a short delay") { later() < 45_000_000 }
                let passages = arriving.value
                for (one, next) in zip(passages, passages.dropFirst()) {
                    let gap = Int(next.presented) - Int(one.presented + one.duration)
                    #expect(abs(gap) < 1_000_000, "\(gap) ns")
                }
            }
        }
    }
}
