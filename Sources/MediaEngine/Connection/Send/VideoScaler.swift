internal import Synchronization

/// Makes the frames of one call smaller or fewer, between a capture that calls share and the encoder.
///
/// Without a step it changes nothing and copies nothing.
final class VideoScaler: Sendable {
    private struct State {
        var step = VideoLadder.Step()
        var capture: VideoLadder.Capture?
        var frames = 0
    }
    private let state = Mutex(State())
    private let applying = Mutex(())
    private let scaler: Element
    private let filter: Element

    /// Adds the scaler to `pipeline`, after `source`; its end is ``source``.
    init(after source: Element, in pipeline: Element) throws(MediaError) {
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
        sink.probe { [weak self] _ in self?.isSkipped == true ? .drop : .pass }
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

    /// Changes what is sent.
    func set(_ step: VideoLadder.Step) {
        state.withLock { $0.step = step }
        apply()
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

    private var isSkipped: Bool {
        state.withLock { state in
            state.frames += 1
            return state.frames % state.step.every != 0
        }
    }
}
