@testable import MediaEngine

/// Drops packets after the payloader of a track, as a network would, until ``end()``.
final class PacketLoss: Sendable {
    private let (seen, passed) = (Shared(0), Shared(0))
    private let hasEnded = Shared(false)

    /// Drops each packet whose number is a multiple of `period`; packets that are pushed together are all dropped or all kept.
    init(behind track: SendTrack, every period: Int) {
        let (seen, passed, hasEnded) = (seen, passed, hasEnded)
        track.webrtcSink.probe { _ in
            let number = seen.update { seen in
                seen += 1
                return seen
            }
            return number % period == 0 && !hasEnded.value ? .drop : .pass
        }
        // This probe does not see what the first one drops.
        track.webrtcSink.probe { _ in
            passed.update { $0 += 1 }
            return .pass
        }
    }

    /// How many packets were dropped so far.
    var count: Int { seen.value - passed.value }

    func end() { hasEnded.set(true) }
}
