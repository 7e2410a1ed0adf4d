/// Whether the delay on the path grows: then a queue does, because more is sent than the path takes.
///
/// The trendline filter of libwebrtc with the adaptive threshold of draft-ietf-rmcat-gcc-02 section 5.4. Only differences of times count, so the two
/// clocks need not agree. A pure value.
struct DelayTrend: Sendable {
    /// What the delay says about the path.
    enum Usage: Sendable, Equatable {
        case normal
        /// The queue grows.
        case over
        /// The queue shrinks.
        case under
    }

    /// Packets that were sent together, in s; pacing and routers keep them together.
    private struct Group {
        var firstSent: Double
        var lastSent: Double
        var firstReceived: Double
        var lastReceived: Double
    }
    private struct Point {
        let ms: Double
        let delayMs: Double
    }

    /// Packets within this time form a group, in s.
    private static let burst = 0.005
    private static let maximumBurst = 0.1
    /// Over so many groups the line is fitted.
    private static let points = 20
    private static let smoothing = 0.9
    /// Turns a slope into ms that are compared with the threshold.
    private static let gain = 4.0
    private static let thresholdsMs = 6.0...600.0
    /// A pause or a jump of a clock by more than this, in s, begins again.
    private static let maximumGap = 3.0
    private static let maximumOvertaken = 3

    private var previous: Group?
    private var current: Group?
    private var line: [Point] = []
    private var groups = 0
    private var delayMs = 0.0
    private var smoothedMs = 0.0
    private var thresholdMs = 12.5
    private var lastTrendMs = 0.0
    private var overMs = 0.0
    private var overGroups = 0
    private var overtaken = 0
    private var lastUpdate: Double?

    private(set) var usage = Usage.normal

    /// Notes a packet by the times when it was sent and received, in s; call it in the order in which they were sent.
    mutating func note(sent: Double, received: Double) {
        guard var group = current else {
            current = Group(firstSent: sent, lastSent: sent, firstReceived: received, lastReceived: received)
            return
        }
        // Overtaken packets say nothing about the queue.
        guard sent >= group.firstSent else { return }
        if belongs(sent, received, to: group) {
            group.lastSent = max(group.lastSent, sent)
            group.lastReceived = max(group.lastReceived, received)
            current = group
            return
        }
        if let previous { update(from: previous, to: group) }
        previous = group
        current = Group(firstSent: sent, lastSent: sent, firstReceived: received, lastReceived: received)
    }

    private func belongs(_ sent: Double, _ received: Double, to group: Group) -> Bool {
        if sent - group.firstSent <= Self.burst { return true }
        // What waited together arrives together, as on wireless links.
        let (later, arrived) = (sent - group.lastSent, received - group.lastReceived)
        return arrived - later < 0 && arrived <= Self.burst && received - group.firstReceived < Self.maximumBurst
    }

    private mutating func update(from former: Group, to group: Group) {
        let sent = group.lastSent - former.lastSent
        let received = group.lastReceived - former.lastReceived
        // A packet of the former group was overtaken: one such group is left out.
        overtaken = received < 0 ? overtaken + 1 : 0
        guard overtaken < Self.maximumOvertaken, abs(received - sent) < Self.maximumGap else {
            self = DelayTrend()
            return
        }
        guard overtaken == 0 else { return }
        groups += 1
        delayMs += (received - sent) * 1_000
        smoothedMs = Self.smoothing * smoothedMs + (1 - Self.smoothing) * delayMs
        line.append(Point(ms: group.lastReceived * 1_000, delayMs: smoothedMs))
        if line.count > Self.points { line.removeFirst() }
        guard line.count == Self.points else { return }
        detect(trendMs: Double(min(groups, 60)) * slope * Self.gain, sentMs: sent * 1_000)
        adapt(toTrendMs: lastTrendMs, at: group.lastReceived)
    }

    /// The slope of the line through the points, in ms of delay for each ms.
    private var slope: Double {
        var (x, y) = (0.0, 0.0)
        for point in line { (x, y) = (x + point.ms, y + point.delayMs) }
        (x, y) = (x / Double(line.count), y / Double(line.count))
        var (spread, product) = (0.0, 0.0)
        for point in line {
            spread += (point.ms - x) * (point.ms - x)
            product += (point.ms - x) * (point.delayMs - y)
        }
        return spread > 0 ? product / spread : 0
    }

    private mutating func detect(trendMs: Double, sentMs: Double) {
        if trendMs > thresholdMs {
            // One late group is no queue: the trend must last, and must not fall.
            overMs += sentMs
            overGroups += 1
            if overMs > 10, overGroups > 1, trendMs >= lastTrendMs { usage = .over }
        } else {
            (overMs, overGroups) = (0, 0)
            usage = trendMs < -thresholdMs ? .under : .normal
        }
        lastTrendMs = trendMs
    }

    /// The threshold follows the trend slowly: otherwise a competing TCP flow, which fills each queue, would starve this one.
    private mutating func adapt(toTrendMs trendMs: Double, at now: Double) {
        defer { lastUpdate = now }
        let size = abs(trendMs)
        guard let lastUpdate, size <= thresholdMs + 15 else { return }
        let gain = size < thresholdMs ? 0.039 : 0.0087
        thresholdMs += gain * (size - thresholdMs) * min((now - lastUpdate) * 1_000, 100)
        thresholdMs = min(max(thresholdMs, Self.thresholdsMs.lowerBound), Self.thresholdsMs.upperBound)
    }
}
