/// Decides what becomes of each packet on a network with a ``NetworkSchedule``; pure.
struct EmulatedLink {
    /// At present; what is under way arrives as it was decided.
    private(set) var conditions: NetworkConditions
    /// The changes that are still to come.
    private var changes: [NetworkSchedule.Change]
    /// When the first packet was sent that the changes count from.
    private var begin: Duration?
    /// When the packets that wait for the limited rate have left, since the start.
    private var isFreeAt = Duration.zero
    /// When the last packet arrives that no later one overtakes.
    private var lastArrival = Duration.zero
    /// Whether the network loses everything at the moment.
    private var isInBurst = false

    /// The headers of IPv4 and UDP.
    private static let headers = 28

    init(_ schedule: NetworkSchedule) { (conditions, changes) = (schedule.conditions.clamped, schedule.changes) }

    /// Has other conditions from now on; what waits for the rate or is under way stays.
    mutating func follow(_ schedule: NetworkSchedule) {
        (conditions, changes, begin) = (schedule.conditions.clamped, schedule.changes, nil)
    }

    private mutating func change(_ now: Duration) {
        let first = begin ?? now
        begin = first
        while let change = changes.first, change.after <= now - first {
            conditions = change.conditions.clamped
            changes.removeFirst()
        }
    }

    /// When a packet that is sent now arrives, since the start; nil: it is lost.
    mutating func arrival(
        of bytes: Int, sentAt now: Duration, using random: inout some RandomNumberGenerator
    ) -> Duration? {
        change(now)
        var departure = now
        if let bitrate = conditions.bitrate {
            let begin = max(now, isFreeAt)
            guard begin - now <= .milliseconds(conditions.queueMs) else { return nil }
            departure = begin + .seconds(Double(bytes + Self.headers) * 8 / bitrate)
            isFreeAt = departure
        }
        // The packet has used its part of the rate by then.
        guard !isLost(&random) else { return nil }
        let jitter = conditions.jitterMs > 0 ? Double.random(in: 0...conditions.jitterMs, using: &random) : 0
        let arrival = max(departure + .milliseconds(conditions.delayMs + jitter), lastArrival)
        guard !happens(conditions.reorderedPercent / 100, &random) else {
            return arrival + .milliseconds(NetworkConditions.overtakenMs)
        }
        lastArrival = arrival
        return arrival
    }

    /// The model of Gilbert: a good state, and one in which everything is lost.
    private mutating func isLost(_ random: inout some RandomNumberGenerator) -> Bool {
        let loss = conditions.lossPercent / 100
        guard conditions.burst > 1, loss > 0, loss < 1 else { return happens(loss, &random) }
        let (end, begin) = (1 / conditions.burst, loss / (conditions.burst * (1 - loss)))
        isInBurst = isInBurst ? !happens(end, &random) : happens(min(begin, 1), &random)
        return isInBurst
    }

    private func happens(_ probability: Double, _ random: inout some RandomNumberGenerator) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &random) < probability
    }
}
