import Foundation
import Testing

@testable import MediaEngine

/// Generated audio that ticks.
private enum TickingTone {
    /// 250 ms after a full second.
    static let start = 1_790_000_000_250.0

    static func samples(seconds: Double, samplesPerSecond rate: Int, hertz: Double = 440) -> [Int16] {
        let count = Int(seconds * Double(rate))
        var samples = (0..<count).map { Int16(16_000 * sin(2 * .pi * hertz * Double($0) / Double(rate))) }
        var ticker = AudioTicker(samplesPerSecond: rate)
        samples.withUnsafeMutableBufferPointer { all in
            for first in stride(from: 0, to: count, by: rate / 100) {
                let chunk = UnsafeMutableBufferPointer(rebasing: all[first..<min(count, first + rate / 100)])
                // Each buffer comes up to 3 ms late.
                let late = Double(first * 7 % 4)
                ticker.add(to: chunk, capturedAt: start + Double(first) * 1_000 / Double(rate) + late)
            }
        }
        return samples
    }
}

@Suite("Audio that ticks") struct AudioQualityMeterTests {
    /// What a meter says about samples that come in packets of 20 ms, each decoded 30 ms after it was full.
    private func judge(_ samples: [Int16], rate: Int = 48_000, skipping skipped: Set<Int> = []) -> AudioQuality? {
        var meter = AudioQualityMeter(samplesPerSecond: rate)
        for (number, first) in stride(from: 0, to: samples.count, by: rate / 50).enumerated() {
            guard !skipped.contains(number) else { continue }
            let captured = TickingTone.start + Double(first) * 1_000 / Double(rate)
            meter.begin(arrival: captured + 50, presentation: captured - TickingTone.start)
            for sample in samples[first..<min(samples.count, first + rate / 50)] { _ = meter.add(sample) }
        }
        return meter.result
    }

    /// Ticking audio of 4 s with something done to it.
    private func damaged(rate: Int = 48_000, _ damage: (inout [Int16]) -> Void) -> AudioQuality? {
        var samples = TickingTone.samples(seconds: 4, samplesPerSecond: rate)
        damage(&samples)
        return judge(samples, rate: rate)
    }

    @Test("The delay is that of the path and of a packet, at every rate and pitch", arguments: [8_000, 16_000, 48_000])
    func perfect(rate: Int) throws {
        for hertz in [100.0, 440, 1_500] {
            let samples = TickingTone.samples(seconds: 5, samplesPerSecond: rate, hertz: hertz)
            let quality = try #require(judge(samples, rate: rate))
            #expect(quality.ticks == 4, "\(hertz) Hz")
            let delay = try #require(quality.delayMs)
            #expect(delay.min >= 48 && delay.max <= 54, "\(hertz) Hz: \(delay)")
            #expect(quality.gapCount == 0 && quality.clickCount == 0, "\(hertz) Hz: \(quality)")
        }
    }

    @Test("A gap is counted with its length, a click as a click, and a pause as nothing")
    func faults() throws {
        func silent(_ from: Int, _ count: Int) -> AudioQuality? {
            damaged { for index in from..<(from + count) { $0[index] = 0 } }
        }
        let gap = try #require(silent(96_000, 2_880))
        #expect(gap.gapCount == 1 && gap.clickCount == 0)
        #expect(abs(gap.longestGapMs - 60) <= 5 && gap.totalGapsMs == gap.longestGapMs)
        // Too short to be heard as one.
        #expect(try #require(silent(96_000, 240)).gapCount == 0)
        let pause = try #require(silent(60_000, 72_000))
        #expect(pause.gapCount == 0 && pause.clickCount == 0)
        let click = try #require(damaged { $0.removeSubrange(96_000..<96_050) })
        #expect(click.gapCount == 0 && click.clickCount == 1)
        let clicks = try #require(
            damaged { for index in stride(from: 60_000, to: 120_000, by: 12_000) { $0[index] = 32_000 } })
        #expect(clicks.gapCount == 0 && clicks.clickCount == 5)
        let dropped = try #require(
            judge(TickingTone.samples(seconds: 4, samplesPerSecond: 48_000), skipping: [100, 101]))
        #expect(dropped.gapCount == 1 && abs(dropped.longestGapMs - 40) < 1 && dropped.clickCount == 0)
    }

    @Test("Half a tick is none, and audio without ticks has no quality")
    func unknown() throws {
        // The second tick begins after 1.75 s.
        let half = try #require(damaged { for index in 84_000..<84_600 { $0[index] = 0 } })
        #expect(half.ticks == 2)
        let tone = (0..<96_000).map { Int16(16_000 * sin(2 * .pi * 440 * Double($0) / 48_000)) }
        #expect(judge(tone) == nil)
        #expect(judge([Int16](repeating: 0, count: 96_000)) == nil)
        // A tone of the pitch of the ticks.
        #expect(judge((0..<96_000).map { Int16(16_000 * sin(2 * .pi * Double($0) / 16)) }) == nil)
        var random = SeededGenerator(seed: 1)
        let noise = (0..<480_000).map { _ in Int16.random(in: .min ... .max, using: &random) }
        #expect(judge(noise) == nil)
    }

    @Test("Audio that is played later than its video has a positive offset, whatever the clocks say")
    func skew() throws {
        for shift in [-200.0, -1, 0, 35, 400] {
            var skew = AudioSkew()
            skew.note(tickPresentedAt: 7)
            #expect(skew.distribution == nil)
            for second in 1...20 {
                let captured = TickingTone.start + Double(second) * 1_000
                // The receiver's clock began some time ago.
                skew.note(frameCapturedAt: captured - 33, presentation: captured - 33 - 1_789_000_000_123)
                let tick = (captured / 1_000).rounded(.down) * 1_000
                skew.note(tickPresentedAt: tick - 1_789_000_000_123 + shift)
            }
            #expect(skew.distribution == .init(min: shift, median: shift, p95: shift, max: shift))
        }
    }
}

extension RealPipelines {
    @Suite("Quality of audio") struct AudioQualityTests {
        private typealias Received = PeerStatistics.Received

        /// What the callee says after some ticks of a call; `prepare` does something to the call.
        private func received(
            _ codec: Codec, lossPercent loss: Double = 0, prepare: (LoopbackCall) async throws -> Void = { _ in }
        ) async throws -> (quality: AudioQuality, received: PeerStatistics.Received) {
            var options = LoopbackCall.Options()
            options.audioCodecs = [codec]
            options.callerAudio = .clock(hertz: 440)
            options.callerVideo = .marked(.ball, format: VideoFormat(width: 320, height: 180))
            if loss > 0 {
                var conditions = NetworkConditions()
                (conditions.lossPercent, conditions.burst) = (loss, 1)
                let network = NetworkEmulator(conditions)
                options.configure = { $0.network = network }
            }
            var result: PeerStatistics.Received?
            try await withCall(options) { call in
                try await call.connect()
                try await prepare(call)
                try await eventually("some ticks", within: .seconds(20)) {
                    result = await call.callee.peer.statistics().received[.audio]
                    let quality = result?.audioQuality
                    return quality?.ticks ?? 0 >= 2 && quality?.videoOffsetMs != nil
                }
            }
            let received = try #require(result)
            return (try #require(received.audioQuality), received)
        }

        @Test(
            "Ticks arrive with every codec: with a short delay, in step with the video, and without a gap",
            arguments: [Codec.opus, .g722, .pcmu])
        func perfect(codec: Codec) async throws {
            let (quality, received) = try await received(codec)
            #expect(quality.gapCount == 0 && quality.clickCount == 0, "\(quality)")
            #expect(received.concealedSamples == (codec == .opus ? 0 : nil))
            let delay = try #require(quality.delayMs)
            #expect(delay.min > 0 && delay.median < 150, "\(quality)")
            #expect(abs(try #require(quality.videoOffsetMs).median) < 40, "\(quality)")
            #expect(abs((received.toneHz ?? 0) - 440) < 5)
        }

        @Test("Lost packets are gaps where nothing conceals them, and concealed audio where the decoder does")
        func lost() async throws {
            let plain = try await received(.pcmu, lossPercent: 10)
            #expect(plain.quality.gapCount > 3, "\(plain.quality)")
            #expect(plain.quality.longestGapMs >= 20, "\(plain.quality)")
            let concealed = try await received(.opus, lossPercent: 10)
            #expect(try #require(concealed.received.concealedSamples) > 48 * 20 * 3, "\(concealed.quality)")
            #expect(concealed.quality.gapCount < plain.quality.gapCount, "\(concealed.quality)")
        }

        @Test("Audio that is captured late, by the times of its packets, is late by as much at the receiver")
        func outOfStep() async throws {
            let (quality, _) = try await received(.opus) { call in
                let webrtc = try #require(await call.caller.peer.media?.peer.webrtc)
                try webrtc.pad("sink_0").retime { present, _ in present + 200_000_000 }
            }
            #expect((150...250).contains(try #require(quality.videoOffsetMs).max), "\(quality)")
        }
    }
}
