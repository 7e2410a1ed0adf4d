import Foundation
import Testing

@testable import MediaEngine

@Suite("Speech that is compared") struct SpeechMeterTests {
    /// The odd harmonics that a syllable has, in dB.
    private static let harmonics = [-0.4, -11.1, -18.1, -25.8, -38.6, -41.9, -36.7, -37.6, -42.0, -53.6, -52.0, -46.3]
    private static let interval = 0.22

    /// Syllables of 129 ms each 220 ms.
    private func speech(seconds: Double, rate: Int, harmonics: [Double] = harmonics, volume: Double = 0.4) -> [Int16] {
        (0..<Int(seconds * Double(rate))).map { index in
            let time = Double(index) / Double(rate)
            let inSyllable = time.truncatingRemainder(dividingBy: Self.interval)
            guard inSyllable < 18.0 / 140 else { return 0 }
            let value = harmonics.enumerated().reduce(0) { sum, harmonic in
                let hertz = 140 * Double(2 * harmonic.offset + 1)
                return sum + pow(10, harmonic.element / 20) * sin(2 * .pi * hertz * inSyllable)
            }
            return Int16(32_767 * volume * value)
        }
    }

    /// What a meter says about samples that come in packets of 20 ms.
    private func judge(_ samples: [Int16], rate: Int = 48_000, skipping skipped: Set<Int> = []) -> SpeechQuality? {
        var meter = SpeechMeter(samplesPerSecond: rate)
        for (number, first) in stride(from: 0, to: samples.count, by: rate / 50).enumerated() {
            guard !skipped.contains(number) else { continue }
            meter.begin(presentation: Double(first) * 1_000 / Double(rate))
            samples[first..<min(samples.count, first + rate / 50)].withUnsafeBufferPointer {
                meter.add($0, channels: 1)
            }
        }
        return meter.result
    }

    @Test(
        "Speech that arrives as it was sent has no distance, at every rate and volume",
        arguments: [8_000, 16_000, 48_000])
    func perfect(rate: Int) throws {
        for volume in [0.02, 0.4, 0.7] {
            let quality = try #require(judge(speech(seconds: 3, rate: rate, volume: volume), rate: rate))
            // The first one only tells when the next is due.
            #expect((11...13).contains(quality.syllables))
            // The samples of quiet speech are rounded.
            let limit = volume < 0.1 ? 1.5 : 0.5
            #expect(try #require(quality.spectralDistanceDb).max <= limit, "\(volume): \(quality)")
        }
    }

    @Test("A missing harmonic, noise and clipping each increase the distance")
    func distorted() throws {
        let narrow = speech(seconds: 3, rate: 48_000, harmonics: Array(Self.harmonics.prefix(4)))
        #expect((5...9).contains(try median(narrow)))
        var random = SeededGenerator(seed: 1)
        func noisy(_ amplitude: Int16) -> [Int16] {
            speech(seconds: 3, rate: 48_000).map { $0 + .random(in: -amplitude...amplitude, using: &random) }
        }
        // 20 dB and 10 dB below the speech.
        let (little, much) = (try median(noisy(1_600)), try median(noisy(5_000)))
        #expect(little > 3 && much > little + 3, "\(little) \(much)")
        let clipped = speech(seconds: 3, rate: 48_000).map { max(-4_000, min(4_000, $0)) }
        #expect(try median(clipped) > 3)
    }

    private func median(_ samples: [Int16]) throws -> Double {
        try #require(judge(samples)?.spectralDistanceDb).median
    }

    @Test(
        "A lost packet damages one syllable, and what the decoder leaves out does not change the rhythm",
        arguments: 55...60)
    func lost(packet: Int) throws {
        let samples = speech(seconds: 4, rate: 48_000)
        let whole = try #require(judge(samples))
        // The sixth syllable.
        let quality = try #require(judge(samples, skipping: [packet]))
        let distance = try #require(quality.spectralDistanceDb)
        #expect(quality.syllables == whole.syllables)
        #expect(distance.max > 3 && distance.median < 0.5, "\(quality)")
        // Two whole syllables.
        let more = try #require(judge(samples, skipping: Set(55..<77)))
        #expect(more.syllables == whole.syllables)
        #expect(abs(try #require(more.spectralDistanceDb).max - 15.4) < 0.2, "\(more)")
    }

    @Test("A pause is no damage, and speech after it is compared again")
    func pause() throws {
        var samples = speech(seconds: 8, rate: 48_000)
        for index in 96_000..<192_000 { samples[index] = 0 }
        let quality = try #require(judge(samples))
        #expect(try #require(quality.spectralDistanceDb).max < 0.5, "\(quality)")
        #expect((22...26).contains(quality.syllables))
        var meter = SpeechMeter(samplesPerSecond: 48_000)
        let all = speech(seconds: 3, rate: 48_000)
        all.withUnsafeBufferPointer { meter.add($0, channels: 1) }
        let before = meter.result?.syllables
        meter.interrupt()
        // In another rhythm.
        all.dropFirst(5_000).withUnsafeBufferPointer { meter.add($0, channels: 1) }
        #expect(try #require(meter.result?.spectralDistanceDb).max < 0.5)
        #expect(meter.result?.syllables ?? 0 > before ?? 0)
    }

    @Test("Other audio is no speech: a tone, ticks, noise, silence, and bursts in another rhythm or pitch")
    func other() {
        let tone = (0..<240_000).map { Int16(16_000 * sin(2 * .pi * 140 * Double($0) / 48_000)) }
        #expect(judge(tone) == nil)
        var random = SeededGenerator(seed: 2)
        #expect(judge((0..<240_000).map { _ in .random(in: -9_000...9_000, using: &random) }) == nil)
        #expect(judge([Int16](repeating: 0, count: 240_000)) == nil)
        let bursts = (0..<480_000).map { index in index % 12_000 < 6_200 ? tone[index % 12_000] : 0 }
        #expect(judge(bursts) == nil)
        let higher = (0..<480_000).map { index in
            index % 10_560 < 6_170 ? Int16(16_000 * sin(2 * .pi * 200 * Double(index) / 48_000)) : 0
        }
        #expect(judge(higher) == nil)
        // Nothing that a peer sends traps: absurd times, rates and buffers.
        var meter = SpeechMeter(samplesPerSecond: 1)
        for time in [0, .infinity, -.infinity, .nan, 1e300] {
            meter.begin(presentation: time)
            [Int16](repeating: .min, count: 100).withUnsafeBufferPointer { meter.add($0, channels: 3) }
        }
        #expect(meter.result == nil)
    }
}

extension RealPipelines {
    @Suite("Quality of speech") struct SpeechQualityTests {
        @Test(
            "Speech arrives with the spectrum that the meter expects, changed by the codec alone",
            arguments: [(Codec.pcmu, 1.2), (.opus, 4)])
        func perfect(codec: Codec, limit: Double) async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.audioCodecs = [codec]
            options.callerAudio = .speech
            try await withCall(options) { call in
                try await call.connect()
                var quality: SpeechQuality?
                try await eventually("ten syllables; so far \(String(describing: quality))") {
                    quality = await call.callee.peer.statistics().received[.audio]?.speechQuality
                    return quality?.syllables ?? 0 >= 10
                }
                #expect(try #require(quality?.spectralDistanceDb).median < limit, "\(String(describing: quality))")
                // The callee sends a tone.
                #expect(await call.caller.peer.statistics().received[.audio]?.speechQuality == nil)
            }
        }
    }
}
