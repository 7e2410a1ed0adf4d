/// The output of a capture for one size, rate and orientation: a tee, and one proxysink for each call.
///
/// Used only on the executor of its ``CaptureDevice``.
struct CaptureOutput: Sendable {
    private let trunk: CaptureTrunk
    private let trunkPad: Pad
    /// The elements from the trunk to the tee.
    private let elements: [Element]
    private let tee: Element
    private let teeSink: Pad
    /// Turns the frames; nil for audio.
    private let turner: Element?
    private let latest: LatestBuffer

    /// Passes on the trunk's data, made smaller and slower if `format` is not nil.
    init(
        from trunk: CaptureTrunk, _ format: VideoFormat?, isStamped: Bool, _ orientation: VideoOrientation,
        in pipeline: Pipeline
    ) throws(MediaError) {
        self.trunk = trunk
        tee = try Element("tee")
        try tee.set("allow-not-linked", "true")
        teeSink = try tee.pad("sink")
        let turner = trunk.kind == .video ? try Element("videoflip") : nil
        self.turner = turner
        // A new videoflip copies each frame: it looks for pass-through only when its direction changes.
        turner?.passThrough()
        elements = [try format.map(Self.scaler), turner, tee].compactMap(\.self)
        for element in elements { pipeline.bin.add(element) }
        if isStamped { FrameStamp().write(at: teeSink) }
        let latest = LatestBuffer(keeps: trunk.kind == .video) {}
        self.latest = latest
        teeSink.probe { latest.remember($0) }
        teeSink.onEvent { if case .caps = $0 { latest.forget() } }
        do throws(MediaError) {
            for (element, next) in zip(elements, elements.dropFirst()) { try element.link(to: next) }
            try turner?.set("video-direction", orientation.direction)
            for element in elements.reversed() { try element.syncStateWithParent() }
            trunkPad = try trunk.link(to: elements[0].pad("sink"))
        } catch {
            for element in elements { pipeline.bin.remove(element) }
            throw error
        }
    }

    /// Drops surplus frames before it scales large ones; both only ever reduce.
    private static func scaler(to format: VideoFormat) throws(MediaError) -> Element {
        let bin = try Element(
            launch: "videorate drop-only=true ! videoscale ! capsfilter name=format", description: "a scaler")
        try bin.child("format")?.set("caps", format.caps)
        return bin
    }

    /// The last frame that passed; nil while there is none.
    var latestFrame: OutletBuffer? {
        // New caps drop the latest buffer before they apply: if it is still there, these caps are its own.
        guard let buffer = latest.buffer, let caps = teeSink.currentCaps, latest.buffer === buffer else { return nil }
        return OutletBuffer(buffer: buffer, caps: caps, time: 0)
    }

    /// Turns the frames from the next one on.
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
        // Timestamps count from the start of this pipeline; in a call's pipeline they count from the clock's 0.
        try proxy.pad("src").offsetRunningTime(by: pipeline.baseTime)
        let sinkPad = try sink.pad("sink")
        // The source sends an allocation query whenever a branch joins; a stuck call would never answer it.
        sinkPad.refuseSerializedQueries()
        return try tee.branch(to: sinkPad, below: teeSink, latest)
    }

    func detach(_ branch: CaptureBranch, in pipeline: Pipeline) {
        teeSink.withStreamLock { tee.release(branch.teePad) }
        try? branch.proxy.set("proxysink", object: nil)
        pipeline.bin.remove(branch.sink)
    }

    /// Removes the output; no call is attached.
    func remove(from pipeline: Pipeline) {
        trunk.unlink(trunkPad)
        for element in elements { pipeline.bin.remove(element) }
    }
}

/// One call's share of a capture.
struct CaptureBranch: Sendable {
    let proxy: Element
    let sink: Element
    let teePad: Pad
}
