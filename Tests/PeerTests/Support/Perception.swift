import Foundation
import Testing

/// What an end of a call receives for a moment, measured where it is decoded.
enum Perception: String {
    case everything
    case picturesAlone
    case soundAlone
    case nothing

    /// So many moments one after the other count, since one may be the end of what was before.
    static let leastMoments = 3

    /// One moment: how many pictures came, and how loud the sound was: 0 to 1, nil for none.
    init(pictures: Double, level: Double?) {
        switch (pictures > 0, level ?? 0 > 0.001) {
        case (true, true): self = .everything
        case (true, false): self = .picturesAlone
        case (false, true): self = .soundAlone
        case (false, false): self = .nothing
        }
    }
}

extension Program {
    /// The options, beside `--events`, with which an agent tells moments of 200 ms.
    static let tellsMoments = ["--stats-interval", "200ms"]

    /// What was perceived in each moment up to now, by an agent (``tellsMoments``) or by aiortc.
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
                    pictures: figure("framesPerSecond", "video") ?? 0, level: figure("audioLevel", "audio"))
            case "received":
                return Perception(pictures: event["pictures"] as? Double ?? 0, level: event["level"] as? Double)
            default: return nil
            }
        }
    }

    /// Waits until it perceives that from now on, for ``Perception/leastMoments``.
    func perceives(_ perception: Perception, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let before = perceptions.count
        do {
            try await eventually("\(perception) is perceived", sourceLocation: sourceLocation) {
                // What was measured when this began is of before.
                let latest = perceptions.dropFirst(before + 1).suffix(Perception.leastMoments)
                return latest.count == Perception.leastMoments && latest.allSatisfy { $0 == perception }
            }
        } catch {
            Issue.record("it was \(perceptions.dropFirst(before))", sourceLocation: sourceLocation)
            throw error
        }
    }

    /// Waits until the agent has decoded so much since the call began.
    func receives(
        pictures: Double, secondsOfSound: Double, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await eventually("\(pictures) pictures, \(secondsOfSound) s of sound", sourceLocation: sourceLocation) {
            let latest = events.last { $0["event"] as? String == "statistics" }
            let entries = latest?["statistics"] as? [[String: Any]] ?? []
            func total(_ name: String) -> Double { entries.compactMap { $0[name] as? Double }.max() ?? 0 }
            return total("framesDecoded") >= pictures && total("totalSamplesDuration") >= secondsOfSound
        }
    }

    /// That all this was perceived, one after the other, each for ``Perception/leastMoments``.
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
