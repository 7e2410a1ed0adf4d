internal import Synchronization

/// Makes the frames of one call smaller or fewer, between a capture that calls share and the encoder.
///
/// Without a step it changes nothing and copies nothing.
final class VideoScaler: Sendable {
    private struct State {
        /// What the path allows.
        var path = VideoLadder.Step()
        /// What the encoder can do in time.
        var load: EncoderLoad
        var limited: VideoLadder.Step { load.step.share < path.share ? load.step : path }
        /// What is sent.
        var step = VideoLadder.Step()
        var capture: VideoLadder.Capture?
        var frames = 0
        /// Whether no frame is sent.
        var isHeld = false
        /// No frame is sent before.
        var pauseEnd: ClockReading?
        var last: Double?
        /// How long the encoder was too slow, and nothing else limited the video, in s.
        var slowSeconds = 0.0
        /// Whether the latest frame is sent.
        var sends: Bool {
            frames % step.every == 0 && !isHeld && !isPaused
        }
        var isPaused: Bool { pauseEnd.map { ClockReading.now < $0 } ?? false }
        var isSlow: Bool { load.step != VideoLadder.Step() }
        var onLoad: (@Sendable () -> Void)?
    }
    private let state: Mutex<State>
    private let isLimited: @Sendable () -> Bool
    private let applying = Mutex(())
    private let scaler: Element
    private let filter: Element

    /// Adds the scaler to `pipeline`, after `source`; its end is ``source``.
    ///
    /// `isLimited` tells whether the path limits the rate.
    init(
        after source: Element, in pipeline: Element, preference: DegradationPreference,
        isLimited: @escaping @Sendable () -> Bool
    ) throws(MediaError) {
        self.isLimited = isLimited
        state = Mutex(State(load: EncoderLoad(preference)))
        scaler = try Element("videoscale")
        filter = try Element("capsfilter")
        try scaler.set("add-borders", "false")
        // The average of all pixels: single ones of a fine texture are noise, which needs more bits than the texture.
        try scaler.set("method", "bilinear2")
        for element in [scaler, filter] { pipeline.add(element) }
        try source.link(to: scaler)
        try scaler.link(to: filter)
        let sink = try scaler.pad("sink")
        // The pad owns the handlers, so they must not own its elements.
        sink.onEvent { [weak self] event in
            if case .caps(let caps) = event { self?.note(caps) }
        }
        sink.probe { [weak self] _ in self?.passes == false ? .drop : .pass }
    }

    /// What arrives; nil before the first frame.
    var capture: VideoLadder.Capture? { state.withLock { $0.capture } }

    /// What is sent of it.
    var step: VideoLadder.Step { state.withLock { $0.step } }

    func link(to next: Element) throws(MediaError) { try filter.link(to: next) }

    func syncStateWithParent() throws(MediaError) {
        for element in [filter, scaler] { try element.syncStateWithParent() }
    }

    func remove(from pipeline: Element) { for element in [scaler, filter] { pipeline.remove(element) } }

    func contains(_ path: String) -> Bool { scaler.contains(path) || filter.contains(path) }

    /// Whether the encoder is too slow for what is captured, and how long only that limited the video, in s.
    var slowness: (isNow: Bool, seconds: Double) { state.withLock { ($0.isSlow, $0.slowSeconds) } }

    /// What the path allows.
    var allowed: VideoLadder.Step { state.withLock { $0.path } }

    /// Calls `handler` when ``update()`` is due because the encoder is slow, or no longer is; on the streaming thread.
    func onLoad(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.onLoad = handler } }

    /// Sends no frame for a while, or frames again.
    func hold(_ isHeld: Bool) { state.withLock { $0.isHeld = isHeld } }

    /// Whether no frame is sent before a certain moment.
    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Sends no frame before that moment; nil: from now on again.
    func pause(until end: ClockReading?) { state.withLock { $0.pauseEnd = end } }

    /// A frame was dropped because the encoder was busy.
    func noteDropped() { state.withLock { $0.load.noteDropped() } }

    /// The path allows this from now on; ``update()`` has to follow.
    func allow(_ step: VideoLadder.Step) { state.withLock { $0.path = step } }

    /// Sends what the path allows and the encoder can do.
    ///
    /// - Returns: What changed; nil: nothing, or nothing was captured yet.
    func update() -> VideoAdaptation? {
        let (former, next, capture, isSlow) = state.withLock { state in
            defer { state.step = state.limited }
            return (state.step, state.limited, state.capture, state.load.step.share < state.path.share)
        }
        apply()
        guard former != next, let capture else { return nil }
        let reason: VideoAdaptation.Reason = next.share > former.share ? .recovery : isSlow ? .cpu : .bandwidth
        return VideoAdaptation(from: capture.frames(former), to: capture.frames(next), reason: reason)
    }

    /// The next frames have another format; runs before the scaler sees it.
    private func note(_ caps: PropertyValue) {
        guard let fields = caps.fields, let width = fields["width"]?.intValue, let height = fields["height"]?.intValue
        else { return }
        let rate = fields["framerate"]?.ratioValue ?? 0
        state.withLock { $0.capture = VideoLadder.Capture(width: width, height: height, rate: rate > 0 ? rate : 30) }
        apply()
    }

    private func apply() {
        // One at a time: the last one counts.
        applying.withLock { _ in applyState() }
    }

    private func applyState() {
        let (step, capture) = state.withLock { ($0.step, $0.capture) }
        var caps = "ANY"
        if step.scale < 1, let frames = capture?.frames(step) {
            caps =
                "video/x-raw,width=(int)\(frames.width),height=(int)\(frames.height),pixel-aspect-ratio=(fraction)1/1"
        }
        // Every capsfilter takes these caps.
        try? filter.set("caps", caps)
    }

    /// Whether a captured frame is sent.
    private var passes: Bool {
        let isLimited = isLimited()
        let (passes, isChange) = state.withLock { state in
            state.frames += 1
            let (now, passes) = (Self.now, state.sends)
            if state.isSlow, !isLimited, let last = state.last { state.slowSeconds += min(now - last, 1) }
            state.last = now
            guard let capture = state.capture else { return (passes, false) }
            return (passes, state.load.noteFrame(of: capture, at: now) != nil)
        }
        if isChange { state.withLock { $0.onLoad }?() }
        return passes
    }

    private static var now: Double { Double(ClockReading.now.nanoseconds) / 1e9 }
}
