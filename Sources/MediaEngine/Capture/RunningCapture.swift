internal import Synchronization

/// The pipeline of an open capture: the source, and an output for each requested size.
///
/// Used only on the executor of its ``CaptureDevice``, except for the reports.
final class RunningCapture: Sendable {
    /// An event of the capture, reported on any thread.
    enum Report: Sendable {
        /// The first data of a kind passed.
        case began(MediaKind)
        /// The stream of a kind ended.
        case ended(MediaKind)
        /// A round of a looped file ended.
        case roundEnded
        /// An element stopped with an error.
        case failed(SourceFault, text: String)
    }

    private struct Shared {
        let output: CaptureOutput
        var users = 0
    }

    let pipeline: Pipeline
    let trunks: [MediaKind: CaptureTrunk]
    /// The video's size and rate.
    let format: VideoFormat
    let loop: ClipLoop?
    let since = ClockReading.now
    private let isStamped: Bool
    /// The outputs, by requested source.
    private let outputs = Mutex<[MediaSource: Shared]>([:])

    /// Opens the source in `format` and plays it; blocks as long as that takes.
    ///
    /// - Throws: The first error of an element, with GStreamer's own words.
    init(
        _ source: SourceBin, name: String = "", format: VideoFormat = VideoFormat(),
        report: @escaping @Sendable (Report) -> Void = { _ in }
    ) throws(MediaError) {
        self.format = format
        isStamped = source.isStamped
        pipeline = try Pipeline(name: "capture", timeBase: .ownStart)
        pipeline.bin.add(source.bin)
        var trunks: [MediaKind: CaptureTrunk] = [:]
        for (kind, pad) in source.pads {
            trunks[kind] = try CaptureTrunk(
                kind, from: pad, isLooped: source.loop != nil, in: pipeline, report: report)
        }
        self.trunks = trunks
        let loop = source.loop.map(ClipLoop.init(around:))
        self.loop = loop
        let opening = FirstReason()
        pipeline.bus.watch { message in
            switch message {
            case .error(let element, let text, let debug, let fault):
                let part = element.split(separator: "/").last ?? ""
                let words = "\(part): \(text) \(debug.split(separator: "\n").last ?? "")"
                opening.note(.sourceFailed(source: name, fault: fault, text: words))
                loop?.abandon()
                report(.failed(fault, text: words))
            case .segmentDone: report(.roundEnded)
            default: break
            }
        }
        do throws(MediaError) {
            if let loop {
                try pipeline.bin.setState(.paused)
                loop.begin()
                // A file that is not a media file has failed by now.
                if let error = opening.value { throw error }
            }
            pipeline.restartTime()
            try pipeline.bin.setState(.playing)
        } catch {
            pipeline.stop()
            throw opening.value ?? error
        }
    }

    /// Feeds `proxy` in the format that `source` requests, or as close as possible: video is never enlarged.
    ///
    /// - Throws: ``MediaError/noPad(element:pad:)`` when the capture has nothing of this kind.
    func attach(
        _ proxy: Element, _ source: MediaSource, _ orientation: VideoOrientation = .upright
    ) throws(MediaError) -> ProxyBranch {
        let output = try use(source, orientation)
        do throws(MediaError) {
            return try output.attach(proxy, in: pipeline)
        } catch {
            leave(source)
            throw error
        }
    }

    func detach(_ branch: ProxyBranch, _ source: MediaSource) {
        outputs.withLock { $0[source]?.output }?.detach(branch, in: pipeline)
        leave(source)
    }

    /// Turns the frames for the users of `source`.
    func turn(_ source: MediaSource, _ orientation: VideoOrientation) throws(MediaError) {
        try outputs.withLock { $0[source]?.output }?.turn(orientation)
    }

    /// The last captured frame, in the format that `source` requests; nil while there is none.
    func latestFrame(_ source: MediaSource, _ orientation: VideoOrientation) -> OutletBuffer? {
        guard let output = try? use(source, orientation) else { return nil }
        defer { leave(source) }
        return output.latestFrame
    }

    /// The output for `source`, made with its first user.
    private func use(_ source: MediaSource, _ orientation: VideoOrientation) throws(MediaError) -> CaptureOutput {
        if let present = outputs.withLock({ $0[source]?.output }) {
            outputs.withLock { $0[source]?.users += 1 }
            return present
        }
        guard let trunk = trunks[source.kind] else { throw .noPad(element: "the source", pad: source.kind.rawValue) }
        let wanted = source.format.fitted(into: format)
        let made = try CaptureOutput(
            from: trunk, source.kind == .video && wanted != format ? wanted : nil, isStamped: isStamped, orientation,
            in: pipeline)
        outputs.withLock { $0[source] = Shared(output: made, users: 1) }
        return made
    }

    /// Removes the output with its last user.
    private func leave(_ source: MediaSource) {
        let unused = outputs.withLock { outputs -> CaptureOutput? in
            outputs[source]?.users -= 1
            guard let shared = outputs[source], shared.users == 0 else { return nil }
            outputs[source] = nil
            return shared.output
        }
        unused?.remove(from: pipeline)
    }
}
