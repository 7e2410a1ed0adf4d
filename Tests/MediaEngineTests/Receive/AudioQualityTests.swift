import Foundation
import Testing

@testable import MediaEngine

/// Generated audio that ticks.
private enum TickingTone {
    static func tone(seconds: Double, samplesPerSecond rate: Int, hertz: Double = 440) -> [Int16] {
        (0..<Int(seconds * Double(rate))).map { Int16(16_000 * sin(2 * .pi * hertz * Double($0) / Double(rate))) }
    }

    /// 250 ms after a full second.
    static let start = 1_790_000_000_250.0

    static func samples(seconds: Double, samplesPerSecond rate: Int, hertz: Double = 440) -> [Int16] {
        var samples = tone(seconds: seconds, samplesPerSecond: rate, hertz: hertz)
        let count = samples.count
        var ticker = AudioTicker(samplesPerSecond: rate)
        samples.withUnsafeMutableBufferPointer { all in
            for first in stride(from: 0, to: count, by: rate / 100) {
                let chunk = UnsafeMutableBufferPointer(rebasing: all[first..<min(count, first + rate / 100)])
                // Each buffer comes up to 3 ms late.
                let late = Double(first * 7 % 4)
                ticker.add(to: chunk, arrivingAt: start + Double(first) * 1_000 / Double(rate) + late)
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
            meter.begin(arrival: captured + 50, presentation: captured - TickingTone.start, frameSkew: nil)
            for sample in samples[first..<min(samples.count, first + rate / 50)] { meter.add(sample) }
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

    @Test("A gap is counted with its length, and a click as a click")
    func faults() throws {
        func silent(_ from: Int, _ count: Int) -> AudioQuality? {
            damaged { for index in from..<(from + count) { $0[index] = 0 } }
        }
        let gap = try #require(silent(96_000, 2_880))
        #expect(gap.gapCount == 1 && gap.clickCount == 0)
        #expect(abs(gap.longestGapMs - 60) <= 5 && gap.totalGapsMs == gap.longestGapMs)
        // Too short to be heard as one.
        #expect(try #require(silent(96_000, 240)).gapCount == 0)
        let outage = try #require(silent(60_000, 72_000))
        #expect(outage.gapCount == 1 && outage.clickCount == 0 && abs(outage.longestGapMs - 1_500) <= 5)
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
        #expect(judge(TickingTone.tone(seconds: 2, samplesPerSecond: 48_000)) == nil)
        #expect(judge([Int16](repeating: 0, count: 96_000)) == nil)
        // A tone of the pitch of the ticks.
        #expect(judge(TickingTone.tone(seconds: 2, samplesPerSecond: 48_000, hertz: 3_000)) == nil)
        var random = SeededGenerator(seed: 1)
        let noise = (0..<480_000).map { _ in Int16.random(in: .min ... .max, using: &random) }
        #expect(judge(noise) == nil)
    }

    @Test("Losses in an outage are part of it; half a minute of silence and another source are no gaps of the tone")
    func otherAudio() throws {
        var outage = TickingTone.samples(seconds: 8, samplesPerSecond: 48_000)
        for index in 96_000..<246_000 { outage[index] = 0 }
        let quality = try #require(judge(outage, skipping: [110, 120, 130, 140, 150, 200, 210]))
        #expect(quality.gapCount == 1 && quality.clickCount == 0, "\(quality)")
        #expect(abs(quality.longestGapMs - 3_125) <= 5, "\(quality)")
        var pause = TickingTone.samples(seconds: 40, samplesPerSecond: 48_000)
        for index in 100_000..<1_540_000 { pause[index] = 0 }
        #expect(try #require(judge(pause)).gapCount == 0)
        // Bursts of noise with pauses.
        var random = SeededGenerator(seed: 2)
        var other = TickingTone.samples(seconds: 10, samplesPerSecond: 48_000)
        for index in 150_000..<480_000 where index % 24_000 >= 4_800 {
            other[index] = .random(in: -9_000...9_000, using: &random)
        }
        for index in 150_000..<480_000 where index % 24_000 < 4_800 { other[index] = 0 }
        let replaced = try #require(judge(other))
        #expect(replaced.ticks == 2 && replaced.gapCount == 0 && replaced.clickCount == 0, "\(replaced)")
    }

    @Test("Audio that stops and stays away is a gap after two seconds; a closed gate is none")
    func endings() throws {
        var meter = AudioQualityMeter(samplesPerSecond: 48_000)
        meter.begin(arrival: TickingTone.start, presentation: 0, frameSkew: nil)
        for sample in TickingTone.samples(seconds: 4, samplesPerSecond: 48_000) { meter.add(sample) }
        let end = TickingTone.start + 4_000
        #expect(abs(meter.wait(at: end + 30_000) - 30_000) < 1)
        #expect(meter.ending(afterMs: 1_990).result?.gapCount == 0)
        let dead = try #require(meter.ending(afterMs: 30_000).result)
        #expect(dead.gapCount == 1 && abs(dead.longestGapMs - 30_000) < 1 && dead.totalGapsMs == dead.longestGapMs)
        meter.interrupt()
        #expect(meter.wait(at: end + 30_000) == 0 && meter.ending(afterMs: 30_000).result?.gapCount == 0)
        meter = AudioQualityMeter(samplesPerSecond: 48_000)
        meter.begin(arrival: TickingTone.start, presentation: 0, frameSkew: nil)
        for (index, sample) in TickingTone.samples(seconds: 8, samplesPerSecond: 48_000).enumerated() {
            if index == 144_000 {
                meter.interrupt()
                meter.begin(arrival: TickingTone.start + 3_000, presentation: 3_000, frameSkew: nil)
            }
            meter.add((130_000..<144_000).contains(index) ? 0 : sample)
        }
        let closed = try #require(meter.result)
        #expect(closed.gapCount == 0 && closed.clickCount == 0 && closed.ticks == 5, "\(closed)")
    }

    @Test("Audio that is presented later than the video of the same instant has a positive offset")
    func offset() throws {
        for shift in [-200.0, -1, 0, 35, 400] {
            var meter = AudioQualityMeter(samplesPerSecond: 48_000)
            let samples = TickingTone.samples(seconds: 6, samplesPerSecond: 48_000)
            // The clock of the pipelines began some time ago.
            let skew = -1_789_000_000_123.0
            meter.begin(
                arrival: TickingTone.start + 50, presentation: TickingTone.start + skew + shift, frameSkew: skew)
            for sample in samples { meter.add(sample) }
            let offset = try #require(meter.result?.videoOffsetMs)
            #expect(abs(offset.min - shift) <= 2 && abs(offset.max - shift) <= 2, "\(offset)")
        }
    }

    @Test("A source that stalls has its ticks at the right place", arguments: [300.0, 900])
    func stall(milliseconds: Double) throws {
        var samples = TickingTone.tone(seconds: 12, samplesPerSecond: 48_000)
        var ticker = AudioTicker(samplesPerSecond: 48_000)
        samples.withUnsafeMutableBufferPointer { all in
            for first in stride(from: 0, to: all.count, by: 480) {
                let captured = TickingTone.start + Double(first) / 48
                // The machine hangs; then all that waited comes at once.
                let resumed = TickingTone.start + 5_000 + milliseconds
                let arrival = (resumed - milliseconds..<resumed).contains(captured) ? resumed : captured
                ticker.add(to: UnsafeMutableBufferPointer(rebasing: all[first..<(first + 480)]), arrivingAt: arrival)
            }
        }
        let quality = try #require(judge(samples))
        // A stall of over half a second is a pause: the second within it has no tick.
        #expect(quality.ticks == (milliseconds < 500 ? 11 : 10))
        let delay = try #require(quality.delayMs)
        #expect(delay.min >= 44 && delay.max <= 53, "\(delay)")
    }
}

extension RealPipelines {
    @Suite("Quality of audio") struct AudioQualityTests {
        /// What the callee says as soon as `isEnough`; `prepare` does something to the call.
        private func received(
            _ codec: Codec, lossPercent loss: Double = 0, prepare: (LoopbackCall) async throws -> Void = { _ in },
            isEnough: (AudioQuality, PeerStatistics.Received) -> Bool
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
                try await eventually("the quality; so far \(String(describing: result))", within: .seconds(20)) {
                    result = await call.callee.peer.statistics().received[.audio]
                    guard let result, let quality = result.audioQuality else { return false }
                    return isEnough(quality, result)
                }
            }
            let received = try #require(result)
            return (try #require(received.audioQuality), received)
        }

        @Test(
            "Ticks arrive with every codec: with a short delay, and in step with the video",
            arguments: [Codec.opus, .pcmu])
        func perfect(codec: Codec) async throws {
            let (quality, received) = try await received(codec) { quality, _ in
                // The first ones may be from before the first sender reports.
                quality.ticks >= 2 && abs(quality.videoOffsetMs?.median ?? 100) < 40
            }
            // A busy machine may interrupt the tone.
            #expect(quality.totalGapsMs < 300, "\(quality)")
            #expect((received.concealedSamples == nil) == (codec != .opus))
            let delay = try #require(quality.delayMs)
            #expect(delay.min > 0 && delay.median < 150, "\(quality)")
            #expect(abs((received.toneHz ?? 0) - 440) < 5)
        }

        @Test("Lost packets are gaps where nothing conceals them, and concealed audio where the decoder does")
        func lost() async throws {
            let plain = try await received(.pcmu, lossPercent: 10) { quality, _ in quality.gapCount > 3 }
            #expect(plain.quality.longestGapMs > 15, "\(plain.quality)")
            #expect(plain.received.concealedSamples == nil)
            let concealed = try await received(.opus, lossPercent: 10) { quality, received in
                quality.ticks >= 2 && received.concealedSamples ?? 0 > 4 * 960
            }
            #expect(concealed.quality.totalGapsMs < 300, "\(concealed.quality)")
        }

        @Test("Audio that is captured late, by the times of its packets, is late by as much at the receiver")
        func outOfStep() async throws {
            let (quality, _) = try await received(.opus) { call in
                let webrtc = try #require(await call.caller.peer.media?.peer.webrtc)
                try webrtc.pad("sink_0").retime { present, _ in present + 200_000_000 }
            } isEnough: { quality, _ in
                // As soon as both streams have a sender report.
                (150...250).contains(quality.videoOffsetMs?.median ?? 0)
            }
            #expect(quality.ticks > 0)
        }
    }
}
