internal import Dispatch
internal import Synchronization

/// Lets a track send the output of a ``SharedEncoder`` in place of its own encoder's, and back.
///
/// A track begins with its own encoder, so its first frame waits for nobody. It changes while it sends what is captured as others do. When something
/// sets it apart (mute, a narrow path, another rate), it has its own encoder again.
final class EncoderSharing: Sendable {
    /// What a track can share.
    struct Target: Sendable {
        let source: CaptureSource
        let format: SharedEncoder.Format
    }

    /// The encoder that a track takes, or waits for.
    private struct Present: Sendable {
        let target: Target
        /// Of ``EncoderHandover``: after a stop, the track joins again.
        let epoch: Int
        /// A callback for a former one is late.
        let number: Int
        var membership: SharedEncoders.Membership?
        var encoder: SharedEncoder?
        var branch: ProxyBranch?

        func isSame(as target: Target, _ epoch: Int) -> Bool {
            self.target.source === target.source && self.target.format == target.format && self.epoch == epoch
        }
    }

    private struct State {
        /// Nil: the track's own encoder.
        var present: Present?
        var lastNumber = 0
        /// The way back to the own encoder; nil: it is over.
        var leaving: Task<Void, Never>?
        /// Where the output of shared encoders arrives; made with the first, and kept.
        var proxy: Element?
        var pause = SharingPause()
        var onChance: (@Sendable () -> Void)?
        var onFrameSize: (@Sendable (Int, Int) -> Void)?
    }
    private let state = Mutex(State())
    private let handover: EncoderHandover
    private let own: OwnEncoder
    private let bin: Element
    private let funnel: Element
    private let description: PipelineDescription
    private let keyFrameIntervalMs: Int
    private let queue: DispatchQueue
    private let onChange: @Sendable (CaptureChange, CaptureSource) -> Void
    private let onFailure: @Sendable (MediaError) -> Void

    /// A change that takes longer is ended.
    private static let (patience, patienceBack) = (Duration.seconds(1), Duration.seconds(2))
    /// A track that has shared an encoder for so long may share one again soon.
    private static let probation = Duration.seconds(15)
    /// The most packets or frames that wait for a call: about a second.
    private static let waiting: [MediaKind: String] = [.video: "30", .audio: "50"]

    /// `bin` is an instance of `description` with `own`, whose output goes through a `funnel` from now on; `queue` is the track's.
    ///
    /// `onChange` runs when the device of the source is lost or restored, `onFailure` when a shared encoder fails.
    init(
        _ handover: EncoderHandover, in bin: Element, _ description: PipelineDescription, own: OwnEncoder,
        keyFrameIntervalMs: Int, queue: DispatchQueue,
        onChange: @escaping @Sendable (CaptureChange, CaptureSource) -> Void,
        onFailure: @escaping @Sendable (MediaError) -> Void
    ) throws(MediaError) {
        guard let payloader = bin.child("payloader") else { throw .noPad(element: description.name, pad: "payloader") }
        (self.handover, self.own, self.bin, self.description) = (handover, own, bin, description)
        (self.keyFrameIntervalMs, self.queue) = (keyFrameIntervalMs, queue)
        (self.onChange, self.onFailure) = (onChange, onFailure)
        // Both outputs stay linked, and it announces the stream again when the other one continues it.
        funnel = try Element("funnel")
        bin.add(funnel)
        let payloaderSink = try payloader.pad("sink")
        guard let output = payloaderSink.peer else { throw .noPad(element: description.name, pad: "encoder") }
        payloaderSink.unlinkFromPeer()
        try output.link(to: try funnel.requestPad("sink_%u"))
        try funnel.pad("src").link(to: payloaderSink)
        handover.watch(try funnel.pad("src"))
        if handover.kind == .audio {
            own.source.filter { _, time in handover.admitsOwnOutput(at: time()) }
        }
    }

    /// Calls `handler` when something may be shared again that could not be.
    func onChance(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.onChance = handler } }

    /// Calls `handler` with the size of the frames that a shared encoder makes, whenever it changes.
    func onFrameSize(_ handler: @escaping @Sendable (_ width: Int, _ height: Int) -> Void) {
        state.withLock { $0.onFrameSize = handler }
    }

    /// How many frames or packets of a shared encoder were sent.
    var passed: Int { handover.passed }

    /// How many of its frames could not be sent.
    var dropped: Int { handover.dropped }

    /// Whether the shared encoder makes what is sent.
    var isShared: Bool { handover.isShared }

    /// The caps of what the shared encoder makes; nil while it makes nothing.
    var caps: PropertyValue? { isShared ? try? funnel.pad("src").caps : nil }

    /// Allows the output of a shared encoder, or forbids it from now on; on any thread.
    ///
    /// ``use(_:)`` has to follow.
    func allow(_ isAllowed: Bool) { if isAllowed { handover.allow() } else { handover.stop() } }

    /// Asks the shared encoder for a key frame, if it makes what is sent.
    ///
    /// A peer that asks often harms the other calls, so its track gets its own encoder.
    /// - Returns: Whether the shared encoder makes what is sent.
    func requestKeyFrame(forPeer: Bool) -> Bool {
        guard handover.staysShared, let present = state.withLock({ $0.present }), let encoder = present.encoder else {
            return false
        }
        if forPeer, state.withLock({ $0.pause.isTooOften(at: .now) }) {
            onQueue { $0.setApart(present.number) }
            return false
        }
        encoder.requestKeyFrame()
        return true
    }

    /// Shares `target` as soon as possible, or nothing if it is nil; only on the queue.
    func use(_ target: Target?) {
        let epoch = handover.epoch
        let (present, leaving) = state.withLock { ($0.present, $0.leaving) }
        if let target, present?.isSame(as: target, epoch) == true { return }
        if let present {
            // What sets a track apart may change often: a narrow path.
            if target == nil, handover.staysShared { state.withLock { $0.pause.begin(at: .now) } }
            return leave(present)
        }
        guard let target, leaving == nil else { return }
        let wait = state.withLock { $0.pause.end } - .now
        if wait > .zero { return after(wait) { $0.takeChance() } }
        join(target, epoch)
    }

    /// Returns when the track's own encoder makes what is sent, and has its source, or after some seconds.
    func returnToOwn() async {
        _ = await Deadline.isMet(Self.patienceBack * 2) { [self] in
            let leaving = await withCheckedContinuation { continuation in
                queue.async { [self] in
                    use(nil)
                    continuation.resume(returning: state.withLock { $0.leaving })
                }
            }
            await leaving?.value
        }
    }

    private func join(_ target: Target, _ epoch: Int) {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.present = Present(target: target, epoch: epoch, number: state.lastNumber)
            return state.lastNumber
        }
        let member = SharedEncoders.Member(
            onReady: { [weak self] encoder in self?.onQueue { $0.attach(encoder, number) } },
            onFailure: { [weak self] error in self?.onQueue { $0.setApart(number, error) } },
            onChange: { [onChange] change in onChange(change, target.source) },
            onDrop: { [weak handover] in if handover?.staysShared == true { handover?.noteDrop() } })
        let membership = target.source.encoders.join(target.format, member) {
            [description, keyFrameIntervalMs] events throws(MediaError) in
            try SharedEncoder(
                of: target.source, target.format, description, keyFrameIntervalMs: keyFrameIntervalMs, events)
        }
        state.withLock { $0.present?.membership = membership }
    }

    private func attach(_ encoder: SharedEncoder, _ number: Int) {
        guard let present = self.present(number), present.branch == nil else { return }
        do throws(MediaError) {
            let branch = try encoder.attach(try proxy())
            state.withLock { state in
                state.present?.encoder = encoder
                state.present?.branch = branch
            }
        } catch {
            return setApart(number, error)
        }
        var beginning: UInt64 = 0
        let isChanging = handover.change(since: present.epoch) { last in
            beginning = encoder.nextBeginning(after: last)
            return beginning
        }
        // After a stop it may join again.
        guard isChanging else { return leave(self.present(number) ?? present) }
        let lead = Duration.nanoseconds(Int64(clamping: beginning) - Int64(clamping: Pipeline.now))
        after(lead + Self.patience) { if !$0.isShared { $0.setApart(number) } }
        after(Self.probation) { sharing in
            if sharing.present(number) != nil { sharing.state.withLock { $0.pause.reset() } }
        }
    }

    private func present(_ number: Int) -> Present? {
        state.withLock { $0.present }.flatMap { $0.number == number ? $0 : nil }
    }

    /// The track's own encoder continues for a while; `error` is why.
    private func setApart(_ number: Int, _ error: MediaError? = nil) {
        guard let present = self.present(number) else { return }
        state.withLock { $0.pause.beginAfterFailure(at: .now) }
        if let error { onFailure(error) }
        leave(present)
    }

    /// The own encoder gets the source first: a device without a user would close.
    private func leave(_ present: Present) {
        handover.return()
        own.forceKeyFrame()
        own.setReplaced(false)
        let leaving = Task { [own, handover] in
            _ = await Deadline.isMet(Self.patienceBack) {
                await own.waitForRequests()
                let (returns, continuation) = AsyncStream.makeStream(of: Void.self)
                handover.whenOwn { continuation.finish() }
                for await _ in returns {}
            }
            // If its source gives nothing, the own encoder waits for it.
            handover.abandon()
            await self.detach(present)
        }
        state.withLock { ($0.present, $0.leaving) = (nil, leaving) }
    }

    private func detach(_ present: Present) async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                if let encoder = present.encoder, let branch = present.branch { encoder.detach(branch) }
                if let membership = present.membership { present.target.source.encoders.leave(membership) }
                state.withLock { $0.leaving = nil }
                takeChance()
                continuation.resume()
            }
        }
    }

    private func proxy() throws(MediaError) -> Element {
        if let present = state.withLock({ $0.proxy }) { return present }
        let proxy = try Element("proxysrc")
        try proxy.keepOnlyLatest(handover.kind)
        let waiting = proxy.child(madeBy: "queue")
        try waiting?.set("max-size-buffers", Self.waiting[handover.kind] ?? "30")
        waiting?.watch("overrun") { [weak self] _ in self?.noteGap() }
        bin.add(proxy)
        let output = try proxy.pad("src")
        output.interceptEndOfStream()
        output.filter { [weak self] passing, time in
            guard let self else { return false }
            let (buffer, time) = (passing.reference, time())
            return handover.admitsShared(at: time, until: time.map { $0 + buffer.duration }, isDelta: buffer.isDelta) {
                self.onQueue { sharing in
                    let isPresent = sharing.state.withLock { $0.present?.branch != nil && $0.leaving == nil }
                    if isPresent, sharing.handover.staysShared { sharing.own.setReplaced(true) }
                }
            }
        }
        output.copyBytes()
        // A recording asks for key frames, too.
        output.interceptKeyFrameRequests { [weak self] in
            self?.state.withLock { $0.present?.encoder }?.requestKeyFrame()
        }
        output.onFrameSize { [weak self] width, height in
            if let self { state.withLock { $0.onFrameSize }?(width, height) }
        }
        try output.link(to: try funnel.requestPad("sink_%u"))
        try proxy.syncStateWithParent()
        state.withLock { $0.proxy = proxy }
        return proxy
    }

    private func noteGap() {
        guard isShared else { return }
        handover.noteGap()
        state.withLock { $0.present?.encoder }?.requestKeyFrame()
    }

    private func takeChance() { state.withLock { $0.onChance }?() }

    private func onQueue(_ body: @escaping @Sendable (EncoderSharing) -> Void) {
        queue.async { [weak self] in if let self { body(self) } }
    }

    private func after(_ pause: Duration, _ body: @escaping @Sendable (EncoderSharing) -> Void) {
        queue.asyncAfter(deadline: .now() + pause / .seconds(1)) { [weak self] in if let self { body(self) } }
    }
}
