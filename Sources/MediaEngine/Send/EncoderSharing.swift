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

        func isSame(as other: Target?) -> Bool { source === other?.source && format == other?.format }
    }

    private struct State {
        /// The encoder that the track takes, or waits for; nil: its own.
        var target: Target?
        var membership: SharedEncoders.Membership?
        var encoder: SharedEncoder?
        var branch: ProxyBranch?
        /// Where the output of shared encoders arrives; made with the first, and kept.
        var proxy: Element?
        /// Not before this moment: what has just set it apart may do so again.
        var notBefore = ContinuousClock.now
        var isWaiting = false
        /// Counts the targets: a callback for a former one is late.
        var number = 0
    }
    private let state = Mutex(State())
    private let handover: EncoderHandover
    private let own: OwnEncoder
    private let bin: Element
    private let description: PipelineDescription
    private let keyFrameIntervalMs: Int
    private let queue: DispatchQueue
    private let ownOutput: Pad
    private let payloaderSink: Pad
    private let onChange: @Sendable (CaptureChange) -> Void
    private let onDrop: @Sendable () -> Void
    private let onChance = Mutex<(@Sendable () -> Void)?>(nil)
    private let onFrameSize = Mutex<(@Sendable (Int, Int) -> Void)?>(nil)

    /// How long a track that was set apart keeps its own encoder.
    private static let pause = Duration.seconds(5)
    /// A change that takes longer is given up.
    private static let patience = Duration.seconds(2)
    /// The most packets or frames that wait for a call: about a second.
    private static let waiting: [MediaKind: String] = [.video: "30", .audio: "50"]

    /// `bin` is an instance of `description` with `own`; `queue` is the track's.
    ///
    /// `onChange` runs when the device of the source is lost or restored, `onDrop` when a frame is lost on its way from the shared encoder.
    init(
        _ handover: EncoderHandover, in bin: Element, _ description: PipelineDescription, own: OwnEncoder,
        keyFrameIntervalMs: Int, queue: DispatchQueue, onChange: @escaping @Sendable (CaptureChange) -> Void,
        onDrop: @escaping @Sendable () -> Void
    ) throws(MediaError) {
        guard let payloader = bin.child("payloader") else { throw .noPad(element: description.name, pad: "payloader") }
        let payloaderSink = try payloader.pad("sink")
        guard let ownOutput = payloaderSink.peer else { throw .noPad(element: description.name, pad: "encoder") }
        (self.payloaderSink, self.ownOutput) = (payloaderSink, ownOutput)
        (self.handover, self.own, self.bin, self.description) = (handover, own, bin, description)
        (self.keyFrameIntervalMs, self.queue, self.onChange, self.onDrop) = (
            keyFrameIntervalMs, queue, onChange, onDrop
        )
        // What an encoder with a delay makes after the change.
        ownOutput.dropWhileUnlinked()
    }

    /// Calls `handler` when something may be shared again that could not be.
    func onChance(_ handler: @escaping @Sendable () -> Void) { onChance.withLock { $0 = handler } }

    /// Calls `handler` with the size of the frames that a shared encoder makes, whenever it changes.
    func onFrameSize(_ handler: @escaping @Sendable (_ width: Int, _ height: Int) -> Void) {
        onFrameSize.withLock { $0 = handler }
    }

    /// How many frames or packets of a shared encoder were sent.
    var passed: Int { handover.passed }

    /// Whether the shared encoder makes what is sent.
    var isShared: Bool { handover.isShared }

    /// The caps of what the shared encoder makes; nil while it makes nothing.
    var caps: PropertyValue? { isShared ? payloaderSink.caps : nil }

    /// Sends nothing of the shared encoder from now on; from any thread. ``use(_:)`` has to follow.
    func stop() { handover.changeToOwn() }

    /// Asks the shared encoder for a key frame, if it makes what is sent.
    ///
    /// - Returns: Whether it does.
    func requestKeyFrame() -> Bool {
        guard isShared, let encoder = state.withLock({ $0.encoder }) else { return false }
        encoder.requestKeyFrame()
        return true
    }

    /// Shares `target` as soon as possible; nil: the track's own encoder makes what is sent. Only on the queue.
    func use(_ target: Target?) {
        let (present, notBefore, isWaiting) = state.withLock { ($0.target, $0.notBefore, $0.isWaiting) }
        if let target, target.isSame(as: present) { return }
        if present != nil { leave() }
        guard let target else { return }
        let wait = notBefore - .now
        if wait <= .zero { return join(target) }
        if isWaiting { return }
        state.withLock { $0.isWaiting = true }
        after(wait) { sharing in
            sharing.state.withLock { $0.isWaiting = false }
            sharing.takeChance()
        }
    }

    private func join(_ target: Target) {
        let number = state.withLock { state in
            state.number += 1
            state.target = target
            return state.number
        }
        let member = SharedEncoders.Member(
            onReady: { [weak self] encoder in self?.onQueue { $0.attach(encoder, number) } },
            onFailure: { [weak self] _ in self?.onQueue { $0.setApart(number) } }, onChange: onChange)
        let membership = target.source.encoders.join(target.format, member) {
            [description, keyFrameIntervalMs] onFailure, onChange throws(MediaError) in
            try SharedEncoder(
                of: target.source, target.format, description, keyFrameIntervalMs: keyFrameIntervalMs,
                onFailure: onFailure, onChange: onChange)
        }
        state.withLock { $0.membership = membership }
    }

    private func attach(_ encoder: SharedEncoder, _ number: Int) {
        guard state.withLock({ $0.number == number && $0.target != nil && $0.branch == nil }) else { return }
        do throws(MediaError) {
            let branch = try encoder.attach(try proxy())
            state.withLock { ($0.encoder, $0.branch) = (encoder, branch) }
        } catch {
            return setApart(number)
        }
        let beginning = encoder.nextBeginning()
        handover.change(at: beginning)
        let lead = Duration.nanoseconds(Int64(clamping: beginning) - Int64(clamping: Pipeline.now))
        after(lead + Self.patience) { sharing in if sharing.handover.isChanging { sharing.setApart(number) } }
    }

    /// The track's own encoder continues for a while.
    private func setApart(_ number: Int) {
        guard state.withLock({ $0.number == number && $0.target != nil }) else { return }
        state.withLock { $0.notBefore = .now + Self.pause }
        leave()
        takeChance()
    }

    private func leave() {
        handover.changeToOwn()
        let former = state.withLock { state in
            defer { (state.target, state.membership, state.encoder, state.branch) = (nil, nil, nil, nil) }
            state.number += 1
            return state
        }
        if let encoder = former.encoder, let branch = former.branch { encoder.detach(branch) }
        if let target = former.target, let membership = former.membership { target.source.encoders.leave(membership) }
        guard let output = try? former.proxy?.pad("src"), output.peer != nil else { return }
        // After what it sends just now.
        output.whenIdle { [weak self] in
            guard let self else { return }
            payloaderSink.unlinkFromPeer()
            // They were linked before.
            try? ownOutput.link(to: payloaderSink)
            own.setReplaced(false)
        }
    }

    /// Links the shared encoder; on the thread that delivers its output, which waits.
    private func begin() -> Bool {
        guard let output = try? state.withLock({ $0.proxy })?.pad("src") else { return false }
        payloaderSink.unlinkFromPeer()
        do throws(MediaError) {
            try output.link(to: payloaderSink)
        } catch {
            try? ownOutput.link(to: payloaderSink)
            return false
        }
        own.setReplaced(true)
        return true
    }

    private func proxy() throws(MediaError) -> Element {
        if let present = state.withLock({ $0.proxy }) { return present }
        let proxy = try Element("proxysrc")
        try proxy.keepOnlyLatest(handover.kind)
        let queue = proxy.child(madeBy: "queue")
        try queue?.set("max-size-buffers", Self.waiting[handover.kind] ?? "30")
        queue?.watch("overrun") { [weak self] _ in self?.noteGap() }
        bin.add(proxy)
        let output = try proxy.pad("src")
        output.interceptEndOfStream()
        output.filter { [weak self] buffer, pad in
            guard let self else { return false }
            let time = pad.runningTime(of: buffer)
            return handover.admitsShared(
                at: time, until: time.map { $0 + buffer.duration }, isDelta: buffer.isDelta, begin: begin)
        }
        output.onFrameSize { [weak self] width, height in
            if let self { onFrameSize.withLock { $0 }?(width, height) }
        }
        try proxy.syncStateWithParent()
        state.withLock { $0.proxy = proxy }
        return proxy
    }

    private func noteGap() {
        guard isShared else { return }
        if handover.kind == .video { handover.noteGap() }
        onDrop()
        state.withLock { $0.encoder }?.requestKeyFrame()
    }

    private func takeChance() { onChance.withLock { $0 }?() }

    private func onQueue(_ body: @escaping @Sendable (EncoderSharing) -> Void) {
        queue.async { [weak self] in if let self { body(self) } }
    }

    private func after(_ pause: Duration, _ body: @escaping @Sendable (EncoderSharing) -> Void) {
        queue.asyncAfter(deadline: .now() + pause / .seconds(1)) { [weak self] in if let self { body(self) } }
    }
}
