internal import Dispatch
internal import Synchronization

/// Keeps the videos that a connection sends within its ``VideoBudget``: passes it the peer's reports, and sets in the tracks what it allocates.
///
/// While a queue on the path is full, lost packets and key frames are repeated more rarely, too: they would fill it again.
final class BandwidthControl: Sendable {
    private struct State {
        var budget: VideoBudget
        var audio = AudioShare()
        var sentShares = SentShares()
        /// The shares that the videos got last.
        var shares: [TrackID: Double] = [:]
        /// Whether it is looked at again soon.
        var isAwaited = false
    }
    private let tracks: PeerTracks
    private let retransmitted: RetransmittedPackets
    private let probes: ProbeSender
    private let state: Mutex<State>
    /// Has a lock of its own: the thread that sends must not wait while the rate changes.
    private let silence = Mutex(ReportSilence())
    private let queue = DispatchQueue(label: "bandwidth", qos: .userInitiated)
    private let start = ClockReading.now

    init(_ tracks: PeerTracks, _ peer: PeerPipeline, preference: DegradationPreference) {
        self.tracks = tracks
        retransmitted = peer.retransmitted
        probes = ProbeSender(peer.retransmitted, on: queue) { [weak peer] in peer?.retransmissionSender }
        state = Mutex(State(budget: VideoBudget(preference)))
    }

    /// What the path and the peer take of video, in bit/s with all headers; nil before the peer has said anything about it.
    var available: Double? { state.withLock { $0.budget.available } }

    /// Follows the peer's reports that `session`, the `rtpsession` of the connection, receives.
    func follow(_ session: Element) throws(MediaError) {
        // The pads own the handlers and the pipeline the pads, and tracks hold their pipeline.
        try session.pad("send_rtp_sink").onPacketReports { [weak self] in self?.note($0) }
        for track in tracks.videos { track.webrtcSink.onPush { [weak self] in self?.noteFrame() } }
    }

    /// Measures again on another path; reports that stayed away on the former one say nothing about it.
    func changePath() {
        silence.withLock { $0.changePath() }
        adapt { budget, _ in budget.changePath() }
    }

    /// Takes what the peer says that it takes.
    func note(_ estimate: ReceiverEstimate) {
        adapt { budget, _ in budget.note(receiverLimit: estimate.bitrate) }
        adaptFrames()
    }

    /// Limits what is wanted now, after the wanted rate changed, or a video began or ended.
    func noteWanted() { adapt { _, _ in } }

    /// Takes the peer's reports on packets, in the order in which they were sent; runs on the thread that receives them.
    func note(_ reports: [PacketReport]) {
        guard !reports.isEmpty else { return }
        var train: BandwidthProbe.Train?
        adapt { budget, videos in
            budget.note(reports, wantedKbit: videos.wantedKbit)
            let reduction = silence.withLock {
                $0.note(at: seconds, isDelayed: budget.isDelayed)
                return $0.reduction(at: seconds)
            }
            if reduction.factor == 1 { train = budget.takeProbe() }
        }
        adaptFrames()
        // Behind the adaptation, which may drop what waits.
        if state.withLock({ $0.budget.knowsPath }) { for video in tracks.sentVideos.videos { video.rate.notePath() } }
        if let train { send(train) }
    }

    private func send(_ train: BandwidthProbe.Train) {
        probes.send(train) { [weak self] departure in self?.state.withLock { $0.budget.note(departure) } }
    }

    /// Sends other frames when the rate asks for it.
    private func adaptFrames() {
        let sent = tracks.sentVideos
        if sent.videos.count > 1 { state.withLock { $0.sentShares.note(retransmitted.bytes, at: seconds) } }
        for video in sent.videos {
            guard let capture = video.rate.capture else { continue }
            // The ladder is that of the largest version.
            let portion = video.share * video.rate.portion
            let step = state.withLock { state in
                let share = sent.videos.count > 1 ? state.sentShares.share(of: video.ssrcs) : 1
                return state.budget.adaptFrames(
                    of: video.id, capture, wantedKbit: sent.wantedKbit, portion: portion,
                    sentPortion: share * video.rate.portion, at: seconds)
            }
            if let step { video.rate.scale(to: step) }
        }
    }

    /// Looks for missing reports whenever a frame is sent, or one of its packets: a timer would wake threads all the time.
    private func noteFrame() {
        guard silence.withLock({ $0.noteFrame(at: seconds) }) else { return }
        queue.async { [weak self] in self?.adapt { _, _ in } }
    }

    private var seconds: Double { (ClockReading.now - start) / .seconds(1) }

    /// Notes something, and changes what is sent when that follows.
    private func adapt(_ note: (inout VideoBudget, SentVideos) -> Void) {
        let sent = tracks.sentVideos
        guard !sent.videos.isEmpty else { return }
        let step: VideoBudget.RateStep = sent.changeSmoothly ? .smooth : .rare
        let waits = state.withLock { state in
            note(&state.budget, sent)
            let reduction = silence.withLock { $0.reduction(at: seconds) }
            // Under the lock, since two threads do this: the latest allocation counts.
            let next = state.budget.allocate(wantedKbit: sent.wantedKbit, reduction, step, at: seconds)
            let present = state.budget.allocation
            if next != nil || state.shares != sent.shares {
                state.shares = sent.shares
                for video in sent.videos { Self.set(next ?? present, of: video) }
            }
            let isSending = sent.videos.contains { tracks.sending[$0.id]?.isSending == true }
            if state.audio.note(isSending ? state.budget.limit : nil, at: seconds) {
                tracks.sending[.audio]?.limit(toKbit: state.audio.limitKbit)
            }
            retransmitted.limit(
                to: present.limitKbit == nil ? nil : present.bandwidth, isCongested: present.isCongested)
            guard state.budget.hasLateChange, !state.isAwaited else { return false }
            state.isAwaited = true
            return true
        }
        if waits {
            // No report may follow that would repeat it.
            queue.asyncAfter(deadline: .now() + step.interval) { [weak self] in
                self?.state.withLock { $0.isAwaited = false }
                self?.adapt { _, _ in }
            }
        }
        // The peer would ask for it only when it has waited for the packets in vain.
        if retransmitted.takeRefusal() { for video in sent.videos { video.rate.requestKeyFrame() } }
    }

    private static func set(_ allocation: VideoBudget.Allocation, of video: SentVideos.Video) {
        video.rate.setCongested(allocation.isCongested, backlog: allocation.backlog.map { .seconds($0) })
        video.rate.pause(for: allocation.pause.map { .seconds($0) })
        video.rate.limit(toKbit: allocation.limitKbit.map { Int((Double($0) * video.share).rounded()) })
        video.rate.pace(at: allocation.pace.map { $0 * video.share })
    }
}
