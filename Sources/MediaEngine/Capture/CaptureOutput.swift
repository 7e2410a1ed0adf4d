/// One kind of what a capture gives: a tee, and one proxysink for each call.
///
/// Used on the executor of its ``CaptureDevice`` only.
struct CaptureOutput: Sendable {
    let kind: MediaKind
    private let tee: Element
    private let teeSink: Pad
    /// Turns the pictures; nil for sound.
    private let turner: Element?
    let latest: LatestBuffer

    /// Takes what `source` gives; `report` hears of the first data and of the end, on the streaming thread.
    init(
        _ kind: MediaKind, from source: Pad, isStamped: Bool, isLooped: Bool, in pipeline: Pipeline,
        report: @escaping @Sendable (RunningCapture.Report) -> Void
    ) throws(MediaError) {
        self.kind = kind
        tee = try Element("tee")
        // Capture goes on when no call listens.
        try tee.set("allow-not-linked", "true")
        teeSink = try tee.pad("sink")
        pipeline.bin.add(tee)
        if kind == .video {
            let turner = try Element("videoflip")
            // Only a change of its direction tells it that there may be nothing to do: a new one copies each picture.
            turner.passThrough()
            pipeline.bin.add(turner)
            try source.linkAcrossBins(to: turner.pad("sink"))
            try turner.link(to: tee)
            self.turner = turner
        } else {
            turner = nil
            try source.linkAcrossBins(to: teeSink)
        }
        // Each branch that joins asks for it. A pulsesrc that has not negotiated yet never does after that, and a pipewiresrc closes its
        // stream and begins anew; the format is fixed by the source's description in any case.
        source.refuseReconfiguration()
        if isLooped { teeSink.keepTimeRising() }
        if isStamped { FrameStamp().write(at: teeSink) }
        let latest = LatestBuffer(keeps: kind == .video) { report(.began(kind)) }
        self.latest = latest
        teeSink.probe { latest.remember($0) }
        teeSink.onEvent { if case .caps = $0 { latest.forget() } }
        // An end would reach the calls, which go on with something else.
        teeSink.interceptEndOfStream { report(.ended(kind)) }
    }

    /// The picture that passed last; nil while there is none.
    var latestPicture: OutletBuffer? {
        guard let buffer = latest.buffer, let caps = teeSink.currentCaps else { return nil }
        return OutletBuffer(buffer: buffer, caps: caps, time: 0)
    }

    /// Turns the pictures from the next one on.
    func turn(_ orientation: VideoOrientation) throws(MediaError) {
        try turner?.set("video-direction", orientation.direction)
    }

    /// Feeds `proxy`, a `proxysrc` that is playing in the pipeline of a call.
    func attach(_ proxy: Element, in pipeline: Pipeline) throws(MediaError) -> CaptureBranch {
        let sink = try Element("proxysink")
        pipeline.bin.add(sink)
        do throws(MediaError) {
            return CaptureBranch(proxy: proxy, sink: sink, teePad: try link(sink, to: proxy, in: pipeline))
        } catch {
            pipeline.bin.remove(sink)
            throw error
        }
    }

    private func link(_ sink: Element, to proxy: Element, in pipeline: Pipeline) throws(MediaError) -> Pad {
        try sink.syncStateWithParent()
        try proxy.set("proxysink", object: sink)
        // A buffer's timestamp counts from the start of this pipeline, in a call's pipeline from the clock's 0.
        try proxy.pad("src").offsetRunningTime(by: pipeline.baseTime)
        let sinkPad = try sink.pad("sink")
        // The source asks about memory anew whenever a branch joins; a call that is stuck would never answer.
        sinkPad.refuseSerializedQueries()
        // Asked for outside the lock, the tee's pad could miss an event that is on its way through the tee.
        let linked: Result<Pad, MediaError> = teeSink.withStreamLock {
            do throws(MediaError) {
                let teePad = try tee.requestPad("src_%u")
                try teePad.link(to: sinkPad)
                // The new branch has its caps and a picture at once instead of with the next frame.
                if let buffer = latest.buffer { teePad.push(buffer) }
                return .success(teePad)
            } catch {
                return .failure(error)
            }
        }
        return try linked.get()
    }

    func detach(_ branch: CaptureBranch, in pipeline: Pipeline) {
        teeSink.withStreamLock { tee.release(branch.teePad) }
        try? branch.proxy.set("proxysink", object: nil)
        pipeline.bin.remove(branch.sink)
    }
}

/// One call's share of a capture.
struct CaptureBranch: Sendable {
    let proxy: Element
    let sink: Element
    let teePad: Pad
}
