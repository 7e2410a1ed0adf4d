internal import Dispatch
internal import Synchronization

/// Keeps the video that a connection sends within the bandwidth that the peer's reports show, and within what the peer says that it takes.
///
/// While a queue on the path is full, lost packets and key frames are repeated more rarely, too: they would fill it again.
final class BandwidthControl: Sendable {
    /// What changes in a track.
    private struct Change {
        /// In kbit/s; nil: the path takes everything.
        var limitKbit: Int?
        var isCongested: Bool
        /// How long the queue on the path takes to empty, in s; nil: it is not known.
        var backlog: Double?
        /// What may be sent now, in bit/s.
        var rate = 0.0
        /// The rate of large frames in bit/s; nil: at once.
        var pace: Double?
    }
    private struct State {
        var estimator: BandwidthEstimator?
        /// What the peer said last that it takes, in bit/s; nil: nothing.
        var receiverLimit: Double?
        var present = Change(isCongested: false)
        var changed: ContinuousClock.Instant?
        /// Whether a change waits, since it came too soon after the one before it.
        var isLate = false
        /// Whether it is looked at again soon.
        var isAwaited = false
        /// The estimate before the latest silence, in bit/s.
        var unsilenced = 0.0
        var ladder: VideoLadder
    }
    private let tracks: PeerTracks
    private let retransmitted: RetransmittedPackets
    private let probes: ProbeSender
    private let state: Mutex<State>
    /// Has a lock of its own: the thread that sends must not wait while the rate changes.
    private let silence = Mutex(ReportSilence())
    private let queue = DispatchQueue(label: "bandwidth", qos: .userInitiated)
    private let start = ContinuousClock.now

    /// The shortest time between two changes of the encoder's rate, and the smallest change: each costs the encoder some quality.
    private struct Step {
        let interval: Duration
        let smallest: Double

        static let smooth = Step(interval: .milliseconds(100), smallest: 0.03)
        /// For an encoder to which a change costs a key frame.
        static let rare = Step(interval: .seconds(2), smallest: 0.15)

        func isTooSmall(from present: Int?, to next: Int?) -> Bool {
            guard let present, let next else { return present == next }
            return abs(Double(next - present)) < smallest * Double(present)
        }
    }

    init(_ tracks: PeerTracks, _ peer: PeerPipeline, preference: DegradationPreference) {
        self.tracks = tracks
        retransmitted = peer.retransmitted
        probes = ProbeSender(peer.retransmitted, on: queue) { [weak peer] in peer?.retransmissionSender }
        state = Mutex(State(ladder: VideoLadder(preference)))
    }

    /// What the path and the peer take of video, in bit/s with all headers; nil before the peer has reported on any packet.
    var available: Double? {
        state.withLock { [$0.estimator?.bitrate, $0.receiverLimit].compactMap(\.self).min() }
    }

    /// Follows the peer's reports that `session`, the `rtpsession` of the connection, receives.
    func follow(_ session: Element) throws(MediaError) {
        // The pads own the handlers and the pipeline the pads, and tracks hold their pipeline.
        try session.pad("send_rtp_sink").onPacketReports { [weak self] in self?.note($0) }
        tracks.sending[.video]?.webrtcSink.onPush { [weak self] in self?.noteFrame() }
    }

    /// Measures again on another path; reports that stayed away on the former one say nothing about it.
    func changePath() {
        silence.withLock { $0.changePath() }
        adapt { state, _ in state.estimator?.changePath() }
    }

    /// Takes what the peer says that it takes, until it says something else; 0 is no limit, as in libwebrtc.
    func note(_ estimate: ReceiverEstimate) {
        let limit = estimate.bitrate > 0 ? max(estimate.bitrate, BandwidthEstimator.range.lowerBound) : nil
        adapt { state, _ in state.receiverLimit = limit }
        adaptFrames()
    }

    /// Limits what is wanted now.
    func noteWanted() { adapt { _, _ in } }

    /// Runs on the thread that receives the reports.
    private func note(_ reports: [PacketReport]) {
        guard !reports.isEmpty else { return }
        var train: BandwidthProbe.Train?
        adapt { state, video in
            let enough = VideoShare.bandwidth(forKbit: video.wantedKbit)
            // Taken and put back, so that its windows are not copied.
            var estimator = state.estimator.take() ?? BandwidthEstimator(start: enough)
            estimator.note(reports, enough: enough)
            let isSilent = silence.withLock {
                $0.note(at: seconds, isDelayed: estimator.isDelayed)
                return $0.factor(at: seconds) < 1
            }
            if !isSilent { train = estimator.takeProbe(most: state.receiverLimit ?? .infinity) }
            state.estimator = estimator
        }
        adaptFrames()
        if let train { send(train) }
    }

    private func send(_ train: BandwidthProbe.Train) {
        probes.send(train) { [weak self] departure in self?.state.withLock { $0.estimator?.note(departure) } }
    }

    /// Sends other frames when the rate asks for it.
    private func adaptFrames() {
        guard let video = tracks.sending[.video]?.rate, let capture = video.capture else { return }
        let wanted = video.wantedKbit
        // The ladder is that of the largest version.
        let portion = video.portion
        let step = state.withLock { state -> VideoLadder.Step? in
            let loss = state.estimator?.loss ?? 0
            guard let bandwidth = [state.estimator?.bitrate, state.receiverLimit].compactMap(\.self).min() else {
                return nil
            }
            let share = VideoShare(of: bandwidth, loss: loss).kbit
            // Without reports on packets nothing else is known than that the encoder keeps its rate.
            guard let sent = state.estimator.map({ $0.sent }) ?? bandwidth else { return nil }
            let sentKbit = Double(VideoShare(of: sent, loss: loss).kbit)
            return state.ladder.note(
                limitKbit: share < wanted ? Double(share) * portion : nil, wantedKbit: Double(wanted) * portion,
                sentKbit: sentKbit * portion,
                of: capture, at: seconds)
        }
        if let step { video.scale(to: step) }
    }

    /// Looks for missing reports whenever a frame is sent, or one of its packets: a timer would wake threads all the time.
    private func noteFrame() {
        guard silence.withLock({ $0.noteFrame(at: seconds) }) else { return }
        queue.async { [weak self] in self?.adapt { _, _ in } }
    }

    private var seconds: Double { start.duration(to: .now) / .seconds(1) }

    /// Notes something, and changes what is sent when that follows.
    private func adapt(_ note: (inout State, VideoRate) -> Void) {
        guard let video = tracks.sending[.video]?.rate else { return }
        let step: Step = video.encoder.changesRateSmoothly ? .smooth : .rare
        let waits = state.withLock { state in
            note(&state, video)
            let change = change(of: &state, at: seconds, wantedKbit: video.wantedKbit, step)
            // Under the lock, since two threads do this: the latest change counts.
            if let change {
                video.setCongested(change.isCongested, backlog: change.backlog.map { .seconds($0) })
                video.limit(toKbit: change.limitKbit)
                video.pace(at: change.pace)
            }
            let present = state.present
            retransmitted.limit(to: present.limitKbit == nil ? nil : present.rate, isCongested: present.isCongested)
            guard state.isLate, !state.isAwaited else { return false }
            state.isAwaited = true
            return true
        }
        if waits {
            // No report may follow that would repeat it.
            queue.asyncAfter(deadline: .now() + step.interval / .seconds(1)) { [weak self] in
                self?.state.withLock { $0.isAwaited = false }
                self?.adapt { _, _ in }
            }
        }
        // The peer would ask for it only when it has waited for the packets in vain.
        if retransmitted.takeRefusal() { video.requestKeyFrame() }
    }

    /// Nil when nothing changes, or not yet.
    private func change(
        of state: inout State, at seconds: Double, wantedKbit: Int, _ step: Step
    ) -> Change? {
        let estimator = state.estimator
        // Also when the only limit has just gone.
        guard estimator != nil || state.receiverLimit != nil || state.present.limitKbit != nil else { return nil }
        let (factor, isSilent) = silence.withLock { ($0.factor(at: seconds), $0.isPresent(at: seconds)) }
        if factor == 1, let estimator { state.unsilenced = estimator.bitrate }
        let most = min(factor < 1 ? state.unsilenced * factor : .infinity, state.receiverLimit ?? .infinity)
        let rate = min(estimator?.target ?? .infinity, most)
        let share = rate < .infinity ? VideoShare(of: rate, loss: estimator?.loss ?? 0).kbit : wantedKbit
        let isFull = estimator?.isCongested == true
        var next = Change(
            limitKbit: share < wantedKbit ? share : nil,
            isCongested: isFull || isSilent,
            backlog: isFull ? estimator?.backlog : nil, rate: rate)
        if next.limitKbit != nil {
            next.pace =
                PacketPace(
                    estimate: estimator?.bitrate, receiverLimit: state.receiverLimit, unsilenced: state.unsilenced,
                    silenceFactor: factor, isSilent: isSilent, isCongested: next.isCongested,
                    hasShortQueue: estimator?.hasShortQueue == true
                ).bitrate
        }
        let now = ContinuousClock.now
        let isEarly = state.changed.map { now - $0 < step.interval } ?? false
        if isEarly || step.isTooSmall(from: state.present.limitKbit, to: next.limitKbit) {
            state.isLate = isEarly && next.limitKbit != state.present.limitKbit
            next.limitKbit = state.present.limitKbit
        } else {
            state.isLate = false
            state.changed = now
        }
        defer { state.present = next }
        // Repeated while the path is full, since that wears off.
        return next.limitKbit == state.present.limitKbit && !next.isCongested && !state.present.isCongested ? nil : next
    }
}

/// The rate of the video for a bandwidth, and the reverse.
struct VideoShare: Sendable, Equatable {
    /// What the encoder may make, in kbit/s.
    let kbit: Int

    /// It never gets less, in kbit/s: the video would not move.
    static let lowestKbit = 50
    /// The headers of one packet of each of 30 frames a second, in bit/s; those of further packets are a share.
    private static let overhead = Double(30 * PacketReport.overhead * 8)
    private static let payload = 0.95
    /// At the beginning there is room for what is sent again.
    private static let reserve = 1.25

    /// `bandwidth` is in bit/s with all headers, `loss` the share of packets that are lost, and sent again.
    init(of bandwidth: Double, loss: Double) {
        let rest = (bandwidth - Self.overhead) * Self.payload / (1 + min(loss, 0.3))
        kbit = max(Int(rest / 1_000), Self.lowestKbit)
    }

    /// A bandwidth that is enough for this rate, in bit/s with all headers.
    static func bandwidth(forKbit kbit: Int) -> Double {
        (Double(kbit) * 1_000 / payload + overhead) * reserve
    }
}

/// Whether a queue on the path is full, as far as is known: after a while without news it is not.
struct Congestion: Sendable {
    private static let memory = Duration.seconds(2)
    private var until: ContinuousClock.Instant?
    /// How long the queue takes to empty if nothing more is sent; nil: it is not known.
    private(set) var backlog: Duration?

    mutating func note(_ isPresent: Bool, backlog: Duration? = nil, at now: ContinuousClock.Instant = .now) {
        (until, self.backlog) = isPresent ? (now + Self.memory, backlog) : (nil, nil)
    }

    func isPresent(at now: ContinuousClock.Instant = .now) -> Bool { until.map { now < $0 } ?? false }
}
