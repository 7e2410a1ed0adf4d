internal import Dispatch
internal import Synchronization

/// One encoder for all calls that send the same source in the same format.
///
/// It takes the source like a call, in a pipeline of its own. Calls take its output through ``EncoderSharing`` and packetise it themselves.
final class SharedEncoder: Sendable {
    /// What makes the output of two encoders of one source the same.
    struct Format: Hashable, Sendable {
        /// The name of the pipeline description.
        let description: String
        /// The values that are set on it.
        let values: [String: String]
    }

    private struct State {
        /// The running times from which on the next frame is a key frame for calls that join, in ns, in order.
        var dues: [UInt64] = []
        var lastDue: UInt64 = 0
        /// The running time of the first audio, in ns; nil before.
        var first: UInt64?
        var hasEnded = false
    }
    private let state = Mutex(State())
    private let kind: MediaKind
    private let pipeline: Pipeline
    private let bin: Element
    private let tee: ProxyTee
    private let feed: CaptureFeed
    private let encoderSource: Pad
    private let keyFrames: KeyFrameLimit
    private let queue: DispatchQueue

    /// The time between two key frames for calls that join, in ns, at least.
    ///
    /// All calls send each of them.
    private static let joinInterval: UInt64 = 500_000_000
    /// In ns: no frame has been captured that is so much newer than the clock.
    private static let lead: UInt64 = 5_000_000

    /// `description` is that of ``Format``; `events` gets what happens to the encoder.
    init(
        of source: CaptureSource, _ format: Format, _ description: PipelineDescription, keyFrameIntervalMs: Int,
        _ events: SharedEncoders.Member
    ) throws(MediaError) {
        let kind = source.kind
        self.kind = kind
        queue = DispatchQueue(label: "encode.\(kind.rawValue)", qos: .userInitiated)
        pipeline = try Pipeline(name: "encode-\(format.description)", timeBase: .clock)
        let proxy = try Element("proxysrc")
        try proxy.keepOnlyLatest(kind)
        let bin = try description.instantiate(format.values)
        self.bin = bin
        guard let encoder = bin.child("encoder") else { throw .noPad(element: description.name, pad: "encoder") }
        guard let payloader = bin.child("payloader") else { throw .noPad(element: description.name, pad: "payloader") }
        let encoderSource = try encoder.pad("src")
        self.encoderSource = encoderSource
        keyFrames = KeyFrameLimit(interval: .milliseconds(keyFrameIntervalMs), on: queue) {
            encoderSource.forceKeyFrame()
        }
        tee = try ProxyTee(keepsLatest: false)
        try bin.replace(payloader, by: tee.element)
        // Each branch that joins asks for another negotiation, and some encoders begin again then.
        encoderSource.refuseReconfiguration()
        feed = CaptureFeed(
            of: source, to: proxy, onDetached: {}, onFailure: events.onFailure,
            onChange: { change, _ in events.onChange(change) })
        if kind == .video { proxy.child(madeBy: "queue")?.watch("overrun") { _ in events.onDrop() } }
        let encoderSink = try encoder.pad("sink")
        if kind == .video {
            encoderSink.keepTimeRising()
            encoderSink.observeTimes { [weak self] _, time in self?.note(time) }
        } else {
            encoderSink.observeTimes(while: { [weak self] in self?.state.withLock { $0.first } == nil }) {
                [weak self] _, time in self?.noteFirst(time)
            }
        }
        for element in [proxy, bin] { pipeline.bin.add(element) }
        try proxy.pad("src").interceptEndOfStream()
        try proxy.link(to: bin)
        pipeline.bus.watch { message in
            guard case .error(let element, let text, let debug, _) = message else { return }
            events.onFailure(.elementFailed(element: element, message: text, debug: debug))
        }
    }

    /// Opens the source, unless it is open, and begins to encode.
    nonisolated(nonsending) func start() async throws(MediaError) {
        try await play().get()
        feed.want(true)
        try await feed.start()
    }

    private nonisolated(nonsending) func play() async -> Result<Void, MediaError> {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                do throws(MediaError) {
                    guard !state.withLock({ $0.hasEnded }) else { throw .closed }
                    continuation.resume(returning: .success(try pipeline.bin.setState(.playing)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
    }

    /// Stops to encode; no call takes the output any more.
    func end() async {
        state.withLock { $0.hasEnded = true }
        await feed.end()
        // In order behind a start, and not on the queue itself: an encoder that hangs would block the calls that leave.
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        await BlockingQueue(label: "encode.stop").stop(pipeline)
    }

    /// Feeds `proxy`, a `proxysrc` that is playing in the pipeline of a call.
    func attach(_ proxy: Element) throws(MediaError) -> ProxyBranch { try queue.sync { attached(proxy) }.get() }

    private func attached(_ proxy: Element) -> Result<ProxyBranch, MediaError> {
        do throws(MediaError) {
            return .success(try tee.attach(proxy, in: bin))
        } catch {
            return .failure(error)
        }
    }

    func detach(_ branch: ProxyBranch) { queue.sync { tee.detach(branch, in: bin) } }

    /// The running time, in ns, from which on a call may take the output; video begins with a key frame there, audio with an encoder that has warmed up.
    ///
    /// It is later than `after`, and nothing that is captured then has been captured yet.
    func nextBeginning(after: UInt64) -> UInt64 {
        let earliest = max(Pipeline.now + Self.lead, after + 1)
        guard kind == .video else {
            // A source that has only been opened delivers soon.
            let first = state.withLock { $0.first } ?? earliest + EncoderHandover.warmUp
            return max(earliest, first + EncoderHandover.warmUp)
        }
        return state.withLock { state in
            if let due = state.dues.first(where: { $0 > after }) { return due }
            let due = max(earliest, state.lastDue + Self.joinInterval)
            state.dues.append(due)
            state.lastDue = due
            return due
        }
    }

    private func noteFirst(_ time: UInt64?) { state.withLock { $0.first = $0.first ?? time } }

    /// Answers the request of one call's peer with a key frame for all.
    func requestKeyFrame() { keyFrames.request() }

    /// A captured frame is about to be encoded.
    private func note(_ time: UInt64?) {
        let isDue = state.withLock { state in
            guard let time, let due = state.dues.first, time >= due else { return false }
            state.dues.removeAll { $0 <= time }
            return true
        }
        if isDue { encoderSource.forceKeyFrame() }
    }
}
