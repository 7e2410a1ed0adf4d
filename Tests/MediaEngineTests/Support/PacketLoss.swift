@testable import MediaEngine

/// Loses packets behind the payloader of a track, as a network would, until it is told to end.
final class PacketLoss: Sendable {
    private let (seen, passed) = (Shared(0), Shared(0))
    private let hasEnded = Shared(false)

    /// Loses each packet of which the number is a multiple of `period`; of several that are pushed at once, all or none.
    init(behind track: SendTrack, every period: Int) {
        let (seen, passed, hasEnded) = (seen, passed, hasEnded)
        track.webrtcSink.probe { _ in
            let number = seen.update { seen in
                seen += 1
                return seen
            }
            return number % period == 0 && !hasEnded.value ? .drop : .pass
        }
        // What the first probe drops this one does not see.
        track.webrtcSink.probe { _ in
            passed.update { $0 += 1 }
            return .pass
        }
    }

    /// How many packets were lost so far.
    var count: Int { seen.value - passed.value }

    func end() { hasEnded.set(true) }
}
