internal import Foundation
internal import Synchronization

/// A tick in audio at each full second (UTC): a receiver can see how old it is, and whether the video of the same instant is as old.
///
/// A burst of 3 kHz that swells and fades within 20 ms, so that its middle is known although a codec blurs it. Narrowband codecs keep it.
enum AudioTick {
    static let hertz = 3_000.0
    /// In ms.
    static let duration = 20.0
    /// Of full scale.
    static let amplitude = 0.2
    /// In ms.
    static let interval = 1_000.0

    /// The same place between two ticks as `time`, in ms, from `start` on.
    static func wrapped(_ time: Double, from start: Double) -> Double {
        let rest = (time - start).truncatingRemainder(dividingBy: interval)
        return start + (rest < 0 ? rest + interval : rest)
    }
}

/// Where ticks belong in a stream of samples of one channel: a value without a clock.
struct AudioTicker: Sendable {
    let samplesPerSecond: Double
    /// When the next sample is captured, in ms since 1970; nil before the first one.
    private var next: Double?
    /// The full second of the next tick, in ms since 1970.
    private var due = 0.0
    /// The first sample of the present tick, counted from the next one on; nil between two ticks.
    private var start: Int?

    /// A buffer that comes later than that, in ms, follows a pause.
    private static let longestStall = 500.0
    /// The part of its lateness that each buffer adds to the time: two clocks drift apart slowly.
    private static let drift = 0.001

    init(samplesPerSecond: Int) { self.samplesPerSecond = Double(samplesPerSecond) }

    /// Adds the ticks to the next samples, which arrive at `time`, in ms since 1970.
    ///
    /// A buffer may come late, when the machine is busy, but never early.
    mutating func add(to samples: UnsafeMutableBufferPointer<Int16>, arrivingAt time: Double) {
        let expected = next ?? time
        let late = time - expected
        let first = (0...Self.longestStall).contains(late) ? expected + late * Self.drift : time
        let length = Double(samples.count) * 1_000 / samplesPerSecond
        next = first + length
        // At the beginning, after a pause, and if somebody sets the clock.
        if due < first - AudioTick.duration || due > first + 2 * AudioTick.interval {
            due = (first / AudioTick.interval).rounded(.up) * AudioTick.interval
        }
        if start == nil, due < first + length {
            start = max(0, Int(((due - first) * samplesPerSecond / 1_000).rounded()))
            due += AudioTick.interval
        }
        guard let start else { return }
        let count = Int(AudioTick.duration * samplesPerSecond / 1_000)
        for index in max(0, start)..<max(0, start, min(samples.count, start + count)) {
            let sum = Double(samples[index]) + Self.tick(at: index - start, of: count, samplesPerSecond) * 32_767
            samples[index] = Int16(max(-32_768, min(32_767, sum)))
        }
        self.start = start + count > samples.count ? start - samples.count : nil
    }

    private static func tick(at index: Int, of count: Int, _ samplesPerSecond: Double) -> Double {
        let envelope = 0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(count))
        return AudioTick.amplitude * envelope * sin(2 * .pi * AudioTick.hertz * Double(index) / samplesPerSecond)
    }
}

/// Adds an ``AudioTick`` to captured audio at each full second.
final class AudioStamp: Sendable {
    private let ticker = Mutex<AudioTicker?>(nil)

    /// Stamps the samples that pass this pad: of one channel at one rate; others stay as they are.
    func write(at pad: Pad) {
        pad.edit { bytes, caps in
            guard let format = SampleFormat(caps: caps), format.channels == 1 else { return }
            let now = FrameStamp.preciseNow
            self.ticker.withLock { ticker in
                if ticker?.samplesPerSecond != Double(format.samplesPerSecond) {
                    ticker = AudioTicker(samplesPerSecond: format.samplesPerSecond)
                }
                ticker?.add(to: bytes.bindMemory(to: Int16.self), arrivingAt: now)
            }
        }
    }
}
