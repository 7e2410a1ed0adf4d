/// What a connection may send of video: takes what the peer reports and allows, and gives the rates of the encoder and of the packets.
///
/// A pure value; times are in s, bandwidths in bit/s with all headers.
struct VideoBudget: Sendable {
    /// What the video of a connection gets.
    struct Allocation: Sendable, Equatable {
        /// The rate of the encoder in kbit/s; nil: the path takes everything.
        var limitKbit: Int?
        var isCongested = false
        /// How long the queue on the path takes to empty; nil: it is not known.
        var backlog: Double?
        /// For how long no frame is sent, in s: less may be sent than the least video until a queue is empty; nil: frames are sent.
        var pause: Double?
        /// What may be sent now.
        var bandwidth = 0.0
        /// The rate at which the packets of a large frame leave; nil: at once.
        var pace: Double?
    }

    /// The shortest time between two changes of the encoder's rate, and the smallest change: each costs the encoder some quality.
    struct RateStep: Sendable {
        let interval: Double
        /// As a share of the present rate.
        let smallest: Double

        static let smooth = RateStep(interval: 0.1, smallest: 0.03)
        /// For an encoder to which a change costs a key frame.
        static let rare = RateStep(interval: 2, smallest: 0.15)

        func isTooSmall(from present: Int?, to next: Int?) -> Bool {
            guard let present, let next else { return present == next }
            return abs(Double(next - present)) < smallest * Double(present)
        }
    }

    /// A time without frames, in which a queue empties.
    private struct Pause {
        let begin: Double
        let end: Double
    }

    /// So long after the latest report frames are sent again, whatever the backlog was, in s.
    private static let longestPause = 0.8
    /// So many packets of video, which are larger than those of audio, tell what the path takes: most of those that leave before the first report.
    private static let telling = (packets: 8, bytes: 500)
    /// What audio adds to the queue during a pause, as a share of the time.
    private static let refill = 0.5

    private(set) var allocation = Allocation()
    /// Whether a change of the encoder's rate came too soon after the one before it, and waits.
    private(set) var hasLateChange = false
    private var estimator: BandwidthEstimator?
    /// How many large packets were reported, up to those that tell.
    private var largePackets = 0
    /// What the peer said last that it takes; nil: nothing.
    private var receiverLimit: Double?
    /// The estimate before the latest silence.
    private var unsilenced = 0.0
    /// When the encoder's rate changed last.
    private var changed: Double?
    private var pause: Pause?
    /// Whether reports came since the last allocation.
    private var hasNewReports = false
    private let preference: DegradationPreference
    private var ladders: [TrackID: VideoLadder] = [:]

    init(_ preference: DegradationPreference) { self.preference = preference }

    /// What the path and the peer take; nil before the peer has said anything about it.
    var available: Double? { [estimator?.bitrate, receiverLimit].compactMap(\.self).min() }

    /// What the path leaves to the video, and whether the video uses most of it; nil: the path does not limit the video.
    var limit: (bandwidth: Double, isUsed: Bool)? {
        guard let estimator, allocation.limitKbit != nil else { return nil }
        return (estimator.bitrate, sent(on: estimator.bitrate).map { $0 > estimator.bitrate / 2 } ?? false)
    }

    /// Whether the latest packet that is known of waited long.
    var isDelayed: Bool { estimator?.isDelayed == true }

    /// Whether the peer has reported on enough large packets to know a path that takes far less than is sent.
    var knowsPath: Bool { largePackets >= Self.telling.packets }

    // MARK: What the peer says

    /// Notes reports on packets, in the order in which they were sent, of an end that wants to send video at `wantedKbit`.
    mutating func note(_ reports: [PacketReport], wantedKbit: Int) {
        let enough = VideoShare.bandwidth(forKbit: wantedKbit)
        if !knowsPath { largePackets += reports.count { $0.bytes >= Self.telling.bytes } }
        if estimator == nil { estimator = BandwidthEstimator(start: enough) }
        estimator?.note(reports, enough: enough)
        hasNewReports = true
    }

    /// Notes what the peer says that it takes, until it says something else; 0 is no limit, as in libwebrtc.
    mutating func note(receiverLimit: Double) {
        self.receiverLimit = receiverLimit > 0 ? max(receiverLimit, BandwidthEstimator.range.lowerBound) : nil
    }

    /// Notes what becomes of a probe.
    mutating func note(_ departure: BandwidthProbe.Departure) { estimator?.note(departure) }

    /// What should be sent for a moment beside the media, after reports; nil: nothing.
    mutating func takeProbe() -> BandwidthProbe.Train? { estimator?.takeProbe(most: receiverLimit ?? .infinity) }

    /// Measures again on another path.
    mutating func changePath() {
        estimator?.changePath()
        (pause, hasNewReports) = (nil, false)
    }

    // MARK: What is sent

    /// Gives video of `wantedKbit` its share of what the path and the peer take.
    ///
    /// - Returns: What it gets from now on; nil when that stays as it is, or changes later.
    mutating func allocate(
        wantedKbit: Int, _ silence: ReportSilence.Reduction, _ step: RateStep, at now: Double
    ) -> Allocation? {
        // Also when the only limit has just gone.
        guard available != nil || allocation.limitKbit != nil else { return nil }
        if silence.factor == 1, let estimator { unsilenced = estimator.bitrate }
        let former = allocation
        allocation = wanted(wantedKbit, silence)
        // Without news of packets it ends when it was to end.
        if hasNewReports { (pause, hasNewReports) = (nextPause(at: now), false) }
        allocation.pause = pause.flatMap { now < $0.end ? $0.end - now : nil }
        let isEarly = changed.map { now - $0 < step.interval } ?? false
        hasLateChange = isEarly && allocation.limitKbit != former.limitKbit
        if isEarly || step.isTooSmall(from: former.limitKbit, to: allocation.limitKbit) {
            allocation.limitKbit = former.limitKbit
        } else {
            changed = now
        }
        // Repeated while the path is full, since that wears off.
        let isCongested = allocation.isCongested || former.isCongested
        return allocation.limitKbit != former.limitKbit || isCongested ? allocation : nil
    }

    /// What video of `wantedKbit` would get if its rate could change at any time.
    private func wanted(_ wantedKbit: Int, _ silence: ReportSilence.Reduction) -> Allocation {
        let bandwidth = min(estimator?.target ?? .infinity, most(during: silence.factor))
        let share = bandwidth < .infinity ? VideoShare(of: bandwidth, loss: loss).kbit : wantedKbit
        let isFull = estimator?.isCongested == true
        var next = Allocation(isCongested: isFull || silence.isSilent, bandwidth: bandwidth)
        if isFull { next.backlog = estimator?.backlog }
        guard share < wantedKbit else { return next }
        next.limitKbit = share
        let pace = PacketPace(
            silence: silence, isCongested: next.isCongested, hasShortQueue: estimator?.hasShortQueue == true)
        next.pace = min(estimator?.target ?? .infinity, most(during: pace.silenceShare)) * pace.multiple
        return next
    }

    /// The pause that the latest reports ask for.
    private func nextPause(at now: Double) -> Pause? {
        guard let estimator, estimator.isCongested, estimator.target < VideoShare.leastBandwidth else { return nil }
        let begin = pause.flatMap { now < $0.end ? $0.begin : nil } ?? now
        // The backlog is that of a packet from before the pause.
        let rest = estimator.backlog - (now - begin) * (1 - Self.refill)
        return rest > 0 ? Pause(begin: begin, end: now + min(rest, Self.longestPause)) : nil
    }

    /// The most that may be sent, whatever the estimate is now, while a silence leaves `share` of what the path took before it; 1: there is none.
    private func most(during share: Double) -> Double {
        min(share < 1 ? unsilenced * share : .infinity, receiverLimit ?? .infinity)
    }

    /// The frames of one video that should be sent from now on; nil: no change.
    ///
    /// `wantedKbit` is that of all videos. The largest version of this one gets `portion` of it, and makes `sentPortion` of what is sent.
    mutating func adaptFrames(
        of track: TrackID, _ capture: VideoLadder.Capture, wantedKbit: Int, portion: Double,
        sentPortion: Double, at now: Double
    ) -> VideoLadder.Step? {
        // Without reports on packets nothing else is known than that the encoder keeps its rate.
        guard let available, let sent = sent(on: available) else { return nil }
        let share = VideoShare(of: available, loss: loss).kbit
        let sentKbit = VideoShare(of: sent, loss: loss).kbit
        return ladders[track, default: VideoLadder(preference)].note(
            limitKbit: share < wantedKbit ? Double(share) * portion : nil, wantedKbit: Double(wantedKbit) * portion,
            sentKbit: Double(sentKbit) * sentPortion, hasFallen: estimator?.hasFallen == true, of: capture, at: now)
    }

    /// What is sent of late, where the path and the peer take `available`; nil: it is not known.
    private func sent(on available: Double) -> Double? {
        guard let estimator else { return available }
        // Less is sent only because of the pauses.
        guard pause == nil else { return max(estimator.sent ?? 0, available) }
        // Reports on a full path are late, and what fills it is at least what it takes.
        return estimator.sent ?? (estimator.isCongested ? available : nil)
    }

    private var loss: Double { estimator?.loss ?? 0 }
}
