/// The output of a capture for one size, rate and orientation: a tee, and one proxysink for each call.
///
/// Used only on the executor of its ``CaptureDevice``.
struct CaptureOutput: Sendable {
    private let trunk: CaptureTrunk
    private let trunkPad: Pad
    /// The elements from the trunk to the tee.
    private let elements: [Element]
    private let tee: ProxyTee
    /// Turns the frames; nil for audio.
    private let turner: Element?

    /// Passes on the trunk's data, made smaller and slower if `format` is not nil.
    init(
        from trunk: CaptureTrunk, _ format: VideoFormat?, isStamped: Bool, _ orientation: VideoOrientation,
        in pipeline: Pipeline
    ) throws(MediaError) {
        self.trunk = trunk
        tee = try ProxyTee(keepsLatest: trunk.kind == .video)
        let turner = trunk.kind == .video ? try Element("videoflip") : nil
        self.turner = turner
        // A new videoflip copies each frame: it looks for pass-through only when its direction changes.
        turner?.passThrough()
        elements = [try format.map(Self.scaler), turner, tee.element].compactMap(\.self)
        for element in elements { pipeline.bin.add(element) }
        // In front of the tee, which keeps the latest frame: a frame that is kept would be copied for each stamp.
        if isStamped, let turner { try FrameStamp().write(at: turner.pad("src")) }
        if isStamped, trunk.kind == .audio { AudioStamp().write(at: tee.sink) }
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
    var latestFrame: OutletBuffer? { tee.latestFrame }

    /// Turns the frames from the next one on.
    func turn(_ orientation: VideoOrientation) throws(MediaError) {
        try turner?.set("video-direction", orientation.direction)
    }

    /// Feeds `proxy`, a `proxysrc` that is playing in the pipeline of a call.
    func attach(_ proxy: Element, in pipeline: Pipeline) throws(MediaError) -> ProxyBranch {
        try tee.attach(proxy, in: pipeline.bin)
    }

    func detach(_ branch: ProxyBranch, in pipeline: Pipeline) { tee.detach(branch, in: pipeline.bin) }

    /// Removes the output; no call is attached.
    func remove(from pipeline: Pipeline) {
        trunk.unlink(trunkPad)
        for element in elements { pipeline.bin.remove(element) }
    }
}
