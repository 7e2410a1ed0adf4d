/// One kind of what a capture gives, as its device gives it: a tee, and a ``CaptureOutput`` for each size that somebody asks for.
///
/// Used on the executor of its ``CaptureDevice`` only.
struct CaptureTrunk: Sendable {
    let kind: MediaKind
    private let tee: Element
    private let teeSink: Pad
    let latest: LatestBuffer

    /// Takes what `source` gives; `report` hears of the first data and of the end, on the streaming thread.
    init(
        _ kind: MediaKind, from source: Pad, isLooped: Bool, in pipeline: Pipeline,
        report: @escaping @Sendable (RunningCapture.Report) -> Void
    ) throws(MediaError) {
        self.kind = kind
        tee = try Element("tee")
        // Capture goes on when nobody asks for anything.
        try tee.set("allow-not-linked", "true")
        teeSink = try tee.pad("sink")
        pipeline.bin.add(tee)
        try source.linkAcrossBins(to: teeSink)
        // Each branch that joins asks for it. A pulsesrc that has not negotiated yet never does after that, and a pipewiresrc closes its
        // stream and begins anew; the format is fixed by the source's description in any case.
        source.refuseReconfiguration()
        if isLooped { teeSink.keepTimeRising() }
        let latest = LatestBuffer(keeps: kind == .video) { report(.began(kind)) }
        self.latest = latest
        teeSink.probe { latest.remember($0) }
        teeSink.onEvent { if case .caps = $0 { latest.forget() } }
        // An end would reach the calls, which go on with something else.
        teeSink.interceptEndOfStream { report(.ended(kind)) }
    }

    /// Feeds `sink` from now on, the latest picture first.
    ///
    /// - Returns: The tee's pad, for ``unlink(_:)``.
    func link(to sink: Pad) throws(MediaError) -> Pad { try tee.branch(to: sink, below: teeSink, latest) }

    func unlink(_ pad: Pad) { teeSink.withStreamLock { tee.release(pad) } }
}

extension Element {
    /// Has a tee feed `sink` from now on, the latest picture first, while nothing flows through its own `input`.
    func branch(to sink: Pad, below input: Pad, _ latest: LatestBuffer) throws(MediaError) -> Pad {
        // Asked for outside the lock, the tee's pad could miss an event that is on its way through the tee.
        let linked: Result<Pad, MediaError> = input.withStreamLock {
            do throws(MediaError) {
                let pad = try requestPad("src_%u")
                try pad.link(to: sink)
                // The new branch has its caps and a picture at once instead of with the next frame.
                if let buffer = latest.buffer { pad.push(buffer) }
                return .success(pad)
            } catch {
                return .failure(error)
            }
        }
        return try linked.get()
    }
}
