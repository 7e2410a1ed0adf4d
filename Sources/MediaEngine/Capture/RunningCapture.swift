/// The pipeline of a capture that is open: the source, and an output for each kind that it gives.
///
/// Used on the executor of its ``CaptureDevice`` only, except for what reports.
final class RunningCapture: Sendable {
    /// What happens to it, told on any thread.
    enum Report: Sendable {
        /// The first data of a kind passed.
        case began(MediaKind)
        /// A kind came to its end.
        case ended(MediaKind)
        /// A round of a file that is played for ever is over.
        case roundEnded
        /// An element stopped with an error.
        case failed(SourceFault, text: String)
    }

    let pipeline: Pipeline
    let outputs: [MediaKind: CaptureOutput]
    let loop: ClipLoop?
    let since = ContinuousClock.now

    /// Opens the source and plays it; blocks as long as that takes.
    ///
    /// - Throws: the first error of an element, in its own words.
    init(
        _ source: SourceBin, name: String = "", orientation: VideoOrientation = .upright,
        report: @escaping @Sendable (Report) -> Void = { _ in }
    ) throws(MediaError) {
        pipeline = try Pipeline(name: "capture", timeBase: .ownStart)
        pipeline.bin.add(source.bin)
        var outputs: [MediaKind: CaptureOutput] = [:]
        for (kind, pad) in source.pads {
            let output = try CaptureOutput(
                kind, from: pad, isStamped: source.isStamped, isLooped: source.loop != nil, in: pipeline, report: report
            )
            try output.turn(orientation)
            outputs[kind] = output
        }
        self.outputs = outputs
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
                // What is no film is known by now.
                if let error = opening.value { throw error }
            }
            pipeline.restartTime()
            try pipeline.bin.setState(.playing)
        } catch {
            pipeline.stop()
            throw opening.value ?? error
        }
    }

    /// - Throws: ``MediaError/noPad(element:pad:)`` when it gives nothing of this kind.
    func attach(_ proxy: Element, _ kind: MediaKind) throws(MediaError) -> CaptureBranch {
        guard let output = outputs[kind] else { throw .noPad(element: "the source", pad: kind.rawValue) }
        return try output.attach(proxy, in: pipeline)
    }

    func detach(_ branch: CaptureBranch, _ kind: MediaKind) { outputs[kind]?.detach(branch, in: pipeline) }
}
