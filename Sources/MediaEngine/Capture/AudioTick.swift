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
}

/// Where ticks belong in a stream of samples of one channel: a value without a clock.
struct AudioTicker: Sendable {
    private let samplesPerSecond: Double
    /// When the next sample is captured, in ms since 1970; nil before the first one.
    private var next: Double?
    /// The first sample of the present tick, counted from the next one on; nil between two ticks.
    private var start: Int?

    /// A greater distance between the samples and the clock, in ms, is a pause.
    private static let longestStep = 20.0
    /// The part of the distance that each buffer makes up for: single buffers come late on a busy machine.
    private static let correction = 0.02

    init(samplesPerSecond: Int) { self.samplesPerSecond = Double(samplesPerSecond) }

    /// Adds the ticks to the next samples, whose first one is captured at `time`, in ms since 1970.
    mutating func add(to samples: UnsafeMutableBufferPointer<Int16>, capturedAt time: Double) {
        let expected = next ?? time
        let isPause = abs(time - expected) > Self.longestStep
        let first = isPause ? time : expected + (time - expected) * Self.correction
        let length = Double(samples.count) * 1_000 / samplesPerSecond
        next = first + length
        if isPause { start = nil }
        let second = (first / AudioTick.interval).rounded(.up) * AudioTick.interval
        if start == nil, second < first + length {
            start = Int(((second - first) * samplesPerSecond / 1_000).rounded())
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

    /// Stamps the samples that pass this pad: signed 16-bit samples of one channel at one rate.
    func write(at pad: Pad) {
        pad.edit { bytes, caps in
            guard let format = DecodedMeter.AudioFormat(caps: caps), format.channels == 1 else { return }
            self.ticker.withLock { ticker in
                var present = ticker.take() ?? AudioTicker(samplesPerSecond: format.samplesPerSecond)
                present.add(to: bytes.bindMemory(to: Int16.self), capturedAt: FrameStamp.preciseNow)
                ticker = present
            }
        }
    }
}
