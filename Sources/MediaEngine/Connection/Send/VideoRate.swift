internal import Dispatch
internal import Synchronization

/// How much video a track sends: the rate of the encoder, the size and number of its frames, and how fast its packets leave.
final class VideoRate: Sendable {
    let encoder: EncoderControl
    private let simulcast: Simulcast?
    /// Nil when the encoder has a fixed rate.
    private let scaler: VideoScaler?
    private let pacer: Pacer
    private let keyFrames: KeyFrameLimit
    private let queue: DispatchQueue
    private weak let sharing: EncoderSharing?
    /// A struct, since a closure that is all of a `Mutex` grows with each access (https://github.com/swiftlang/swift/issues/91348).
    private struct State {
        var onChange: (@Sendable (VideoAdaptation?) -> Void)?
    }
    private let state = Mutex(State())

    /// Links `branch`, which is in `pipeline`, and watches its pads, behind the probes that they have.
    ///
    /// `queue` is the track's own. `pacer` counts what reaches the encoder.
    init(
        of branch: SendBranch, _ encoder: EncoderControl, simulcast: Simulcast?, pacer: Pacer, own: OwnEncoder,
        sharing: EncoderSharing?,
        gate: Gate, counts: FlowCounts, preference: DegradationPreference, keyFrameInterval: Duration,
        on queue: DispatchQueue, in pipeline: Element
    ) throws(MediaError) {
        (self.encoder, self.simulcast, self.pacer, self.queue) = (encoder, simulcast, pacer, queue)
        self.sharing = sharing
        let entry = simulcast?.tee ?? branch.bin
        if encoder.followsRate {
            scaler = try VideoScaler(
                after: branch.proxy, in: pipeline, preference: preference,
                isLimited: { [encoder] in encoder.isLimited })
            try scaler?.link(to: entry)
        } else {
            scaler = nil
            try branch.proxy.link(to: entry)
        }
        own.sink.onFrameSize { _, _ in pacer.endDiscarding() }
        let steady = SteadyFrameTimes.areNeeded(by: branch.encoder.factoryName) ? SteadyFrameTimes() : nil
        steady?.regulate(own.sink, own.source)
        // The pipeline owns the queue and the scaler.
        branch.proxy.child(madeBy: "queue")?.watch("overrun") { [weak scaler] _ in
            guard gate.isOpen else { return }
            counts.drop()
            steady?.noteDropped()
            // The encoder is not slow while it waits for the path.
            if !pacer.isWaiting { scaler?.noteDropped() }
        }
        // The bin owns its pads, and these own their handlers, which must not own the bin.
        let makeKeyFrame = { @Sendable [weak own, weak sharing] in
            if sharing?.requestKeyFrame(forPeer: true) != true { own?.forceKeyFrame() }
        }
        // On its way back from a shared encoder, a track needs a frame of its own.
        let hold = { @Sendable [weak scaler, weak sharing] (isHeld: Bool) -> Void in
            scaler?.hold(isHeld && sharing?.isShared != true)
        }
        let limit = KeyFrameLimit(interval: keyFrameInterval, on: queue, hold: hold, make: makeKeyFrame)
        keyFrames = limit
        // Only the peer's requests pass this pad.
        try branch.bin.pad("src").interceptKeyFrameRequests { limit.request() }
        // The peer cannot decode what follows a gap.
        try pacer.pace(branch.payloader.pad("src")) { [queue] in queue.async(execute: makeKeyFrame) }
        scaler?.onLoad { [weak self] in self?.updateFrames() }
    }

    /// Calls `handler` after each change, with what became of the frames.
    func onChange(_ handler: @escaping @Sendable (VideoAdaptation?) -> Void) {
        state.withLock { $0.onChange = handler }
    }

    private func noteChange(_ adaptation: VideoAdaptation?) { state.withLock { $0.onChange }?(adaptation) }

    func syncStateWithParent() throws(MediaError) { try scaler?.syncStateWithParent() }

    func remove(from pipeline: Element) { scaler?.remove(from: pipeline) }

    func contains(_ path: String) -> Bool { scaler?.contains(path) == true }

    private var encodings: [SimulcastEncoding] { simulcast?.encodings ?? [] }

    /// The part of the rate that ``encoder`` gets; the smaller versions of a simulcast get the rest.
    var portion: Double { simulcast?.portion ?? 1 }

    /// What would be sent in all if the path took everything, in kbit/s.
    var wantedKbit: Int { Int((Double(encoder.wantedKbit) / portion).rounded()) }

    /// Keeps the rate of the encoder within what the path takes, in kbit/s; nil: it takes everything.
    func limit(toKbit availableKbit: Int?) {
        // The encoder may be busy.
        queue.async { [self] in
            // A property that the encoder has at all has been set before.
            try? encoder.limit(toKbit: availableKbit)
            for encoding in encodings { try? encoding.limit(toKbit: availableKbit) }
            noteChange(nil)
        }
    }

    /// The captured frames; nil before the first one.
    var capture: VideoLadder.Capture? { scaler?.capture }

    /// Sends a part of the captured frames, since the path takes no more.
    func scale(to step: VideoLadder.Step) {
        let isSmaller = scaler.map { step.scale < $0.step.scale } ?? false
        scaler?.allow(step)
        // The encoder makes a key frame of another size: nobody needs what waits until then. What is dropped asks for a key frame, which must not have
        // the former size. What a shared encoder makes keeps its size.
        let drops = isSmaller && sharing?.isShared != true
        if drops { pacer.discardAll() }
        updateFrames()
    }

    /// Sends the part of the captured frames that the path takes and the encoder can make.
    private func updateFrames() {
        queue.async { [self] in
            guard let scaler else { return }
            let change = scaler.update()
            // Frames of another size end the discarding themselves, when they reach the encoder.
            let hasNewSize = change.map { ($0.from.width, $0.from.height) != ($0.to.width, $0.to.height) } ?? false
            if !hasNewSize { pacer.endDiscarding() }
            // A property that the encoder has at all has been set before.
            try? encoder.expect(oneOf: scaler.step.every)
            for encoding in encodings { try? encoding.expect(oneOf: scaler.step.every) }
            noteChange(change)
        }
    }

    /// Whether nothing is held back because of the path.
    var isFull: Bool { !encoder.isLimited && (scaler?.allowed ?? VideoLadder.Step()) == VideoLadder.Step() }

    /// Whether the encoder is too slow for what is captured, and how long only that limited the video, in s.
    var slowness: (isNow: Bool, seconds: Double) { scaler?.slowness ?? (false, 0) }

    /// Spreads the packets of large frames, at this rate of all versions in bit/s; nil: not at all.
    func pace(at bitrate: Double?) { pacer.set(bitrate: bitrate.map { $0 * portion }) }

    /// Lets the first frame leave in full only after ``notePath()``, or a second.
    func awaitPath() { pacer.awaitPath() }

    /// What the path takes is known by now.
    func notePath() { pacer.notePath() }

    /// Drops the packets that wait.
    func discard() { pacer.discard() }

    /// Sends no frame for so long, or from now on again.
    func pause(for duration: Duration?) {
        // On its way back from a shared encoder, a track needs a frame of its own.
        let isPossible = sharing?.isShared != true
        scaler?.pause(until: isPossible ? duration.map { .now + $0 } : nil)
    }

    /// Whether no frame is sent for a while.
    var isPaused: Bool { scaler?.isPaused == true }

    /// Whether a queue on the path is full, and how long it takes to empty: key frames wait for that.
    func setCongested(_ isCongested: Bool, backlog: Duration?) {
        keyFrames.setCongested(isCongested, backlog: backlog)
        for encoding in encodings { encoding.setCongested(isCongested, backlog: backlog) }
    }

    /// Sends a key frame of each version soon, with those that the peer asks for.
    func requestKeyFrame() {
        keyFrames.request()
        for encoding in encodings { encoding.requestKeyFrame() }
    }
}
