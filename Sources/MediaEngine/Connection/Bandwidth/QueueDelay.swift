/// How long packets wait in a queue on the path: their delay now, less the shortest of the last 40 s.
///
/// A queue that is full and stays full has no trend, and one that fills within a few frames is full before a trend shows. The two clocks need not
/// agree, and may drift. A pure value.
struct QueueDelay: Sendable {
    /// A queue that rises steeply: the path takes far less than is sent.
    enum Rise: Sendable {
        /// Packets that were sent together show it: how fast they were sent, and what the path takes, in bit/s.
        ///
        /// They wait for each other on any narrow path, so it says something only if that is far below what is sent.
        case ofFrame(sent: Double, taken: Double)
        /// Several bursts show it; the rate is nil when a report got lost.
        case ofBursts(rate: Double?)
    }
    private struct Slot {
        let begin: Double
        var shortest: Double
        /// How much later than the one before it a packet came, beyond what the next one differs, in s.
        var jump = 0.0
    }
    private struct Head {
        let sent: Double
        let received: Double
        /// What arrived up to it, and how many times a report got lost before it.
        let bytes: Int
        let gaps: Int

        var delay: Double { received - sent }
    }
    /// The shortest delay is kept for so many s at a time.
    private static let slot = 0.2
    /// Longer than a queue is left to a ``CompetingFlow``: a queue that never empties would be none after a while.
    private static let memory = 40.0
    /// The jitter is that of so many slots.
    private static let jumpSlots = 50
    /// Packets within this time were sent together, in s: all but the first wait for each other.
    private static let burst = 0.005
    /// So much longer must each burst wait than the one before it, in s, and the last of three than the shortest wait.
    private static let step = 0.015
    private static let leap = 0.06
    /// So many packets in a row must each wait longer than the one before it to show by themselves what the path takes, and the last one so much
    /// longer than the first, in s.
    private static let train = (packets: 4, leap: 0.045)
    /// Jitter does not look like a rise if the leap is so many times as long as its usual jump.
    private static let jumps = 4.0
    /// Packets that are sent further apart, in s, are not of one frame.
    private static let longestTrain = 0.08

    /// What was seen since the last look.
    private var frameRise: Rise?
    private var burstRise: Rise?
    private var slots: [Slot] = []
    /// The first packets of the last three bursts.
    private var heads: [Head] = []
    /// Packets in a row, each of which waited longer than the one before it.
    private var train: [Head] = []
    /// The delay of the latest packet, and how much longer that is than the delay of the one before it.
    private var last: Double?
    private var lastChange = 0.0
    /// How far a single packet is late on this path, in s: the median of the slots.
    private(set) var usualJump = 0.0
    private var bytes = 0
    private var gaps = 0

    /// The shortest delay that is remembered.
    private var base = Double.infinity

    /// In s; 0 before there is something to compare with.
    var seconds: Double {
        // Jitter is no queue: one packet that was fast shows that there is none.
        guard slots.count > 1, let shortest = heads.lazy.map(\.delay).min() else { return 0 }
        return max(shortest - base, 0)
    }

    /// How long the first packet of the latest burst waited, in s.
    var latest: Double { heads.last.map { max($0.delay - base, 0) } ?? 0 }

    /// How long the latest packet waited, also for those of its own burst, in s.
    var tail: Double { last.map { max($0 - base, 0) } ?? 0 }

    /// Whether each of the last bursts waited less than the one before it, and the last one was sent after `time`, in s: the queue empties.
    func isFalling(after time: Double) -> Bool {
        heads.count == 3 && heads[2].sent > time
            && zip(heads, heads.dropFirst()).allSatisfy { $1.delay < $0.delay }
            && heads[0].delay - heads[2].delay > Self.step
    }

    /// The latest steep rises since the last call, that of a frame first.
    mutating func takeRises() -> [Rise] {
        defer { (frameRise, burstRise) = (nil, nil) }
        return [frameRise, burstRise].compactMap(\.self)
    }

    /// Notes a packet by the times when it was sent and received, in s; `isNext` is false when nothing is known about the one before it.
    mutating func note(sent: Double, received: Double, bytes count: Int, isNext: Bool) {
        defer { bytes += count }
        if !isNext { gaps += 1 }
        let delay = received - sent
        noteJump(delay, isNext: isNext)
        if let last = slots.last, sent - last.begin < Self.slot {
            slots[slots.count - 1].shortest = min(last.shortest, delay)
            base = min(base, delay)
        } else {
            slots.append(Slot(begin: sent, shortest: delay))
            slots.removeAll { sent - $0.begin > Self.memory }
            base = slots.reduce(.infinity) { min($0, $1.shortest) }
            let jumps = slots.suffix(Self.jumpSlots).map(\.jump).sorted()
            usualJump = jumps[jumps.count / 2]
        }
        let packet = Head(sent: sent, received: received, bytes: bytes + count, gaps: gaps)
        noteTrain(packet, isNext: isNext)
        guard sent - (heads.last?.sent ?? -.infinity) > Self.burst else { return }
        heads = heads.suffix(2) + [packet]
        if isRising { burstRise = .ofBursts(rate: rate) }
    }

    /// In a queue each packet waits a little longer than the one before it; jitter delays one packet much, and those behind it no more than that.
    private mutating func noteJump(_ delay: Double, isNext: Bool) {
        // What got lost waited for some of it.
        let change = isNext ? delay - (last ?? delay) : 0
        if isNext, let newest = slots.indices.last {
            slots[newest].jump = max(slots[newest].jump, lastChange - abs(change))
        }
        (last, lastChange) = (delay, change)
    }

    /// What packets must wait longer on this path to show a steep rise, in s; `least` is enough where there is no jitter.
    private func leap(_ least: Double) -> Double { max(least, Self.jumps * usualJump) }

    /// The packets of one frame show a much narrower path at once; the next frames would fill its queue first.
    private mutating func noteTrain(_ packet: Head, isNext: Bool) {
        if !isNext || packet.delay <= train.last?.delay ?? -.infinity { train = [] }
        train.append(packet)
        train.removeAll { packet.sent - $0.sent > Self.longestTrain }
        guard train.count >= Self.train.packets, let first = train.first,
            packet.delay - first.delay > leap(Self.train.leap)
        else { return }
        // A path that gets longer delays one packet much, and the ones behind it no more than that.
        let largest = zip(train, train.dropFirst()).lazy.map { $1.delay - $0.delay }.max() ?? 0
        guard largest < (packet.delay - first.delay) / 2 else { return }
        let bits = Double(packet.bytes - first.bytes) * 8
        frameRise = .ofFrame(sent: bits / (packet.sent - first.sent), taken: bits / (packet.received - first.received))
        train = [packet]
    }

    /// Whether each of the last bursts waited much longer than the one before it.
    private var isRising: Bool {
        guard heads.count == 3, heads[2].delay - base > leap(Self.leap) else { return false }
        return zip(heads, heads.dropFirst()).allSatisfy { $1.delay - $0.delay > Self.step }
    }

    /// What is sent together arrives as fast as the path takes it.
    private var rate: Double? {
        guard heads[1].gaps == heads[2].gaps else { return nil }
        return Double(heads[2].bytes - heads[1].bytes) * 8 / (heads[2].received - heads[1].received)
    }
}
