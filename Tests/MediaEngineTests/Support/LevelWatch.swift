import Foundation
import Testing

@testable import MediaEngine

/// Measures how loud the audio is that an end decodes.
final class LevelWatch: Sendable {
    private struct Heard {
        /// Mean squares of the latest sections of some 20 ms.
        var squares: [Double] = []
        var last = ContinuousClock.now
    }

    private let heard: Shared<Heard>
    /// In sections of 20 ms: longer than the rhythm of a voice, or some time of noise.
    private let window: Int

    init(_ end: CallEnd, isNoise: Bool = false) async throws {
        let window = isNoise ? 40 : 100
        self.window = window
        let pad = try #require(await end.peer.media?.receiving[.audio]?.decoded)
        let heard = Shared(Heard())
        self.heard = heard
        pad.probe { buffer in
            _ = buffer.reference.withBytes { bytes in
                let samples = bytes.bindMemory(to: Int16.self)
                let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
                heard.update {
                    $0.squares = ($0.squares + [sum / Double(max(samples.count, 1))]).suffix(2 * window)
                    $0.last = .now
                }
            }
            return .pass
        }
    }

    /// Whether nothing has arrived for a while.
    var isQuiet: Bool { ContinuousClock.now - heard.value.last > .milliseconds(300) }

    /// The level from now on once it is steady, in dB relative to full scale.
    func steadyLevel() async throws -> Double {
        heard.update { $0.squares = [] }
        var levels: (Double, Double) = (0, 0)
        try await eventually("a steady level", within: .seconds(30)) {
            let squares = heard.value.squares
            guard squares.count == 2 * window else { return false }
            levels = (Self.level(squares.prefix(window)), Self.level(squares.suffix(window)))
            return abs(levels.0 - levels.1) < 1
        }
        return levels.1
    }

    private static func level(_ squares: some Collection<Double>) -> Double {
        10 * log10(max(squares.reduce(0, +) / Double(squares.count), 1e-9) / (32_768 * 32_768))
    }
}
