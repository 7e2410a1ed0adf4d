import Foundation
import Testing

/// The media that an end of a call receives in one interval, measured at the decoder.
enum Perception: String {
    case everything
    case videoOnly
    case audioOnly
    case nothing

    /// The number of consecutive intervals that count.
    ///
    /// A single one may still contain earlier media.
    static let leastMoments = 3

    /// One interval: the number of frames, and the audio level from 0 to 1, nil without audio.
    init(frames: Double, level: Double?) {
        switch (frames > 0, level ?? 0 > 0.001) {
        case (true, true): self = .everything
        case (true, false): self = .videoOnly
        case (false, true): self = .audioOnly
        case (false, false): self = .nothing
        }
    }
}

extension Program {
    /// How many searches for a network path ended with another one.
    var foundPaths: Int { events.count { $0["networkChange"] != nil } }

    /// The options, besides `--events`, with which an agent prints intervals of 200 ms.
    static let tellsMoments = ["--stats-interval", "200ms"]

    /// The same, for an agent that looks for another network path 3 s after its call is connected (``PageUser/changesPaths(with:)``).
    static let restartsIce = ["--at", "3s=restart-ice"] + tellsMoments

    /// The perception of each interval so far, by an agent (``tellsMoments``) or by aiortc.
    var perceptions: [Perception] {
        events.compactMap { event in
            switch event["event"] as? String {
            case "statistics":
                guard let interval = event["interval"] as? [String: Any],
                    let inbound = interval["inbound"] as? [[String: Any]]
                else { return nil }
                func figure(_ name: String, _ kind: String) -> Double? {
                    inbound.first { $0["kind"] as? String == kind }?[name] as? Double
                }
                return Perception(
                    frames: figure("framesPerSecond", "video") ?? 0, level: figure("audioLevel", "audio"))
            case "received":
                return Perception(frames: event["frames"] as? Double ?? 0, level: event["level"] as? Double)
            default: return nil
            }
        }
    }

    /// Waits until the program has this perception for the next ``Perception/leastMoments`` intervals.
    func perceives(_ perception: Perception, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let before = perceptions.count
        do {
            try await eventually("\(perception) is perceived", sourceLocation: sourceLocation) {
                // The interval that is running now contains earlier media.
                let latest = perceptions.dropFirst(before + 1).suffix(Perception.leastMoments)
                return latest.count == Perception.leastMoments && latest.allSatisfy { $0 == perception }
            }
        } catch {
            Issue.record("it was \(perceptions.dropFirst(before))", sourceLocation: sourceLocation)
            throw error
        }
    }

    /// Waits until the agent has decoded these amounts since the call began.
    func receives(
        frames: Double, secondsOfAudio: Double, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await eventually("\(frames) frames, \(secondsOfAudio) s of audio", sourceLocation: sourceLocation) {
            let latest = events.last { $0["event"] as? String == "statistics" }
            let entries = latest?["statistics"] as? [[String: Any]] ?? []
            func total(_ name: String) -> Double { entries.compactMap { $0[name] as? Double }.max() ?? 0 }
            return total("framesDecoded") >= frames && total("totalSamplesDuration") >= secondsOfAudio
        }
    }

    /// Expects all these perceptions in order, each for ``Perception/leastMoments`` intervals.
    func expectPerceptions(_ expected: [Perception], sourceLocation: SourceLocation = #_sourceLocation) {
        let moments = perceptions
        var (missing, run) = (expected[...], 0)
        for moment in moments {
            run = moment == missing.first ? run + 1 : 0
            if run == Perception.leastMoments { (missing, run) = (missing.dropFirst(), 0) }
        }
        #expect(missing.isEmpty, "missing from \(missing) on in \(moments)", sourceLocation: sourceLocation)
    }
}
