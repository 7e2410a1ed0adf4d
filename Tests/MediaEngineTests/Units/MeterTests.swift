import Foundation
import Testing

@testable import MediaEngine

@Suite("Meters of video and audio") struct MeterTests {
    @Test("A gap between regular frames is a freeze of its length; jitter and a slower rate are none")
    func freezes() {
        var meter = FreezeMeter()
        var now = ClockReading.now
        func show(_ count: Int, every milliseconds: Int) {
            for _ in 0..<count {
                meter.add(at: now)
                now = now + .milliseconds(milliseconds)
            }
        }
        show(60, every: 33)
        #expect(meter.count == 0 && abs((meter.framesPerSecond(at: now) ?? 0) - 30.3) < 0.1)
        #expect(meter.framesPerSecond(at: now + .milliseconds(1_001)) == 0)
        now = now + .milliseconds(967)
        show(60, every: 33)
        #expect(meter.count == 1 && abs(meter.duration - 1) < 0.001)
        // A freeze needs 150 ms more than the mean, at any frame rate.
        now = now + .milliseconds(140)
        show(60, every: 33)
        #expect(meter.count == 1)
        // Five frames a second: the first gaps are three times the old mean, and then they are the mean.
        show(60, every: 200)
        #expect(meter.count <= 6)
        let before = meter.count
        show(60, every: 200)
        #expect(meter.count == before)
    }

    @Test("Video that stays away is frozen after two seconds; a pause is none, and what comes after it is awaited")
    func endings() {
        var meter = FreezeMeter()
        var now = ClockReading.now
        #expect(meter.ending(at: now + .seconds(60)).count == 0)
        func show(live: Duration? = nil) {
            for _ in 0..<30 {
                now = now + .milliseconds(33)
                meter.add(at: now, live: live)
            }
        }
        show()
        #expect(meter.ending(at: now + .milliseconds(1_990)).count == 0)
        let ending = meter.ending(at: now + .seconds(3))
        #expect(ending.count == 1 && ending.duration == 3 && ending.longest == 3)
        // Live for a part of the time, and not at all.
        #expect(meter.ending(at: now + .seconds(3), live: .seconds(2)).longest == 2)
        #expect(meter.ending(at: now + .seconds(3), live: .zero).count == 0)
        meter.interrupt(at: now + .seconds(5))
        #expect(meter.wait(at: now + .seconds(7)) == .seconds(2))
        #expect(meter.ending(at: now + .seconds(7)).longest == 2)
        now = now + .seconds(6)
        show()
        #expect(meter.count == 0)
        // Muted video is black, and has a rate.
        show(live: .zero)
        now = now + .seconds(4)
        meter.add(at: now, live: .zero)
        show()
        #expect(meter.count == 0 && abs((meter.framesPerSecond(at: now) ?? 0) - 30.3) < 0.1)
        now = now + .seconds(4)
        show()
        #expect(meter.count == 1)
        // What froze until a hold began stays frozen after it, and so does what follows the hold late.
        meter.interrupt(at: now)
        now = now + .seconds(3)
        show()
        #expect(meter.count == 2)
    }

    @Test("The first frames are no freeze, however late they arrive")
    func beginning() {
        var meter = FreezeMeter()
        #expect(meter.framesPerSecond(at: .now) == nil)
        let now = ClockReading.now
        meter.add(at: now)
        meter.add(at: now + .seconds(5))
        #expect(meter.count == 0 && meter.duration == 0)
    }

    @Test("A sine has the level of its root mean square, and energy for its time", arguments: [1.0, 0.5, 0.1, 0])
    func level(amplitude: Double) throws {
        var meter = LevelMeter(samplesPerSecond: 48_000)
        #expect(meter.level == nil)
        for index in 0..<96_000 {
            meter.add(Int16(sin(Double(index) * 2 * .pi * 440 / 48_000) * amplitude * 32_767))
        }
        let expected = amplitude / 2.0.squareRoot()
        #expect(try abs(#require(meter.level) - expected) < 0.001)
        #expect(abs(meter.duration - 2) < 1e-9)
        #expect(abs(meter.energy - 2 * expected * expected) < 0.001)
    }

    @Test(
        "Samples that were cut count, quieter ones and single peaks do not", arguments: [(3.0, 0.78), (0.9, 0), (0, 0)])
    func clipping(amplification: Double, share: Double) {
        var meter = LevelMeter(samplesPerSecond: 48_000)
        for index in 0..<48_000 {
            let value = sin(Double(index) * 2 * .pi * 440 / 48_000) * amplification
            meter.add(index % 1_000 == 0 ? .min : Int16(max(-1, min(1, value)) * 32_767))
        }
        #expect(abs(meter.clipped - share) < 0.01, "\(meter.clipped)")
    }

    @Test("The longest run of equal frames counts from its first one, and not across an interruption")
    func still() {
        var meter = StillMeter()
        let now = ClockReading.now
        for (second, isDistinct) in [(0, true), (1, true), (2, false), (4, false), (5, true), (6, false)] {
            meter.add(at: now + .seconds(second), isDistinct: isDistinct)
        }
        #expect(meter.longest == 3)
        meter.interrupt()
        for second in 20...22 { meter.add(at: now + .seconds(second), isDistinct: false) }
        #expect(meter.longest == 3)
        meter.add(at: now + .seconds(24), isDistinct: false)
        #expect(meter.longest == 4)
    }
}
