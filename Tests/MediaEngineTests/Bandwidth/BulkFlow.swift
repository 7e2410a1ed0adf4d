import Foundation

/// A TCP flow that always has something to send, by the rules of CUBIC (RFC 9438) and HyStart, in virtual time.
struct BulkFlow {
    /// Of a packet.
    static let bytes = 1_500
    private static let decrease = 0.7
    private static let scale = 0.4

    private struct Acknowledgement {
        let due: Double
        let sent: Double
        let isLost: Bool
    }
    /// In packets.
    private var window = 10.0
    private var threshold = Double.infinity
    /// The window that Reno would have.
    private var friendly = 0.0
    /// The window before the latest loss, and when that was.
    private var former: (window: Double, at: Double)?
    private var shortestRoundTrip = Double.infinity
    private var underway: [Acknowledgement] = []
    /// Since the last ``clear()``.
    private(set) var arrivedBytes = 0

    mutating func clear() { arrivedBytes = 0 }

    /// Takes what is acknowledged by now, and returns how many packets leave.
    mutating func takePackets(at now: Double) -> Int {
        while let first = underway.first, first.due <= now {
            underway.removeFirst()
            if first.isLost { lose(first.sent, at: now) } else { grow(roundTrip: now - first.sent, at: now) }
        }
        return max(Int(window) - underway.count, 0)
    }

    /// Notes a packet that leaves now, and when it is known what became of it.
    mutating func note(sent: Double, known: Double, isLost: Bool) {
        if !isLost { arrivedBytes += Self.bytes }
        underway.append(Acknowledgement(due: known, sent: sent, isLost: isLost))
    }

    private mutating func lose(_ sent: Double, at now: Double) {
        // What was sent before the latest reduction is part of the same loss.
        if let former, sent < former.at { return }
        former = (window, now)
        window = max(window * Self.decrease, 2)
        (threshold, friendly) = (window, window)
    }

    private mutating func grow(roundTrip: Double, at now: Double) {
        shortestRoundTrip = min(shortestRoundTrip, roundTrip)
        guard window >= threshold else {
            window += 1
            let limit = shortestRoundTrip + max(0.004, min(shortestRoundTrip / 8, 0.016))
            if window > 16, roundTrip > limit { threshold = window }
            return
        }
        let (most, begin) = former ?? (window, now)
        if former == nil { former = (window, now) }
        friendly += 0.53 / window
        let time = now - begin + roundTrip - cbrt(most * (1 - Self.decrease) / Self.scale)
        let wanted = max(Self.scale * time * time * time + most, friendly)
        if wanted > window { window += min((wanted - window) / window, 0.5) }
    }
}
