import Foundation
import Testing

@testable import MediaEngine

@Suite("The pitch meter") struct PitchMeterTests {
    private func meter(
        _ hertz: Double, rate: Int = 48_000, amplitude: Double = 16_000, seconds: Double = 1, noise: Double = 0
    ) -> PitchMeter {
        var meter = PitchMeter(samplesPerSecond: rate)
        var random = SeededGenerator(seed: 1)
        for index in 0..<Int(Double(rate) * seconds) {
            let hiss = noise > 0 ? Double.random(in: -noise...noise, using: &random) : 0
            meter.add(Int16(amplitude * sin(2 * .pi * hertz * Double(index) / Double(rate)) + hiss))
        }
        return meter
    }

    @Test("measures a sine within 0.5 %", arguments: [50, 100, 440, 660, 997, 3_000, 8_000], [8_000, 44_100, 48_000])
    func sine(hertz: Int, rate: Int) throws {
        guard hertz * 4 <= rate else { return }
        let measured = try #require(meter(Double(hertz), rate: rate).hertz)
        #expect(abs(measured - Double(hertz)) < Double(hertz) * 0.005)
    }

    @Test("is not misled by noise on the tone")
    func noise() throws {
        let measured = try #require(meter(440, noise: 300).hertz)
        #expect(abs(measured - 440) < 9)
    }

    @Test("hears no tone in silence, in quiet noise, or before a window is full")
    func noTone() {
        #expect(meter(440, amplitude: 0).hertz == nil)
        #expect(meter(440, amplitude: 0, noise: 400).hertz == nil)
        #expect(meter(440, amplitude: 499).hertz == nil)
        #expect(meter(440, seconds: 0.09).hertz == nil)
        #expect(PitchMeter(samplesPerSecond: 48_000).hertz == nil)
    }

    @Test("keeps the pitch through a gap in the audio")
    func gap() throws {
        var meter = meter(440)
        for _ in 0..<9_600 { meter.add(0) }
        #expect(abs(try #require(meter.hertz) - 440) < 2)
    }

    @Test("follows a new tone once its windows outnumber the old ones, which expire after ten seconds")
    func newTone() throws {
        var meter = meter(440)
        for index in 0..<(48_000 * 10) { meter.add(Int16(16_000 * sin(2 * .pi * 880 * Double(index) / 48_000))) }
        #expect(abs(try #require(meter.hertz) - 880) < 5)
    }
}
