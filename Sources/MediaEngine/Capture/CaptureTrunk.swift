/// The audio or the video of a capture in the device's own format: a tee, and a ``CaptureOutput`` for each requested size.
///
/// Used only on the executor of its ``CaptureDevice``.
struct CaptureTrunk: Sendable {
    let kind: MediaKind
    private let tee: Element
    private let teeSink: Pad
    let latest: LatestBuffer

    /// Takes the data of `source`; `report` runs on the streaming thread, for the first data and for the end of the stream.
    init(
        _ kind: MediaKind, from source: Pad, isLooped: Bool, in pipeline: Pipeline,
        report: @escaping @Sendable (RunningCapture.Report) -> Void
    ) throws(MediaError) {
        self.kind = kind
        tee = try Element("tee")
        // Capture continues without any user.
        try tee.set("allow-not-linked", "true")
        teeSink = try tee.pad("sink")
        pipeline.bin.add(tee)
        try source.linkAcrossBins(to: teeSink)
        // Each joining branch requests a reconfiguration. After that, a pulsesrc that has not negotiated yet never does, and a pipewiresrc closes its
        // stream and starts again; the source's description fixes the format in any case.
        source.refuseReconfiguration()
        if isLooped { teeSink.keepTimeRising() }
        let latest = LatestBuffer(keeps: kind == .video) { report(.began(kind)) }
        self.latest = latest
        teeSink.probe { latest.remember($0) }
        teeSink.onEvent { if case .caps = $0 { latest.forget() } }
        // The end of the stream would reach the calls, which continue with a stand-in.
        teeSink.interceptEndOfStream { report(.ended(kind)) }
    }

    /// Feeds `sink` from now on, the latest frame first.
    ///
    /// - Returns: The tee's pad, for ``unlink(_:)``.
    func link(to sink: Pad) throws(MediaError) -> Pad { try tee.branch(to: sink, below: teeSink, latest) }

    func unlink(_ pad: Pad) { teeSink.withStreamLock { tee.release(pad) } }
}

extension Element {
    /// Makes a tee feed `sink` from now on, the latest frame first, while nothing flows through its own `input`.
    func branch(to sink: Pad, below input: Pad, _ latest: LatestBuffer) throws(MediaError) -> Pad {
        // If requested outside the lock, the tee's pad could miss an event on its way through the tee.
        let linked: Result<Pad, MediaError> = input.withStreamLock {
            do throws(MediaError) {
                let pad = try requestPad("src_%u")
                do throws(MediaError) { try pad.link(to: sink) } catch {
                    release(pad)
                    throw error
                }
                // The new branch gets caps and a frame at once instead of with the next frame.
                if let buffer = latest.buffer { pad.push(buffer) }
                return .success(pad)
            } catch {
                return .failure(error)
            }
        }
        return try linked.get()
    }
}
