/// Shows or plays what leaves an outlet, in a pipeline of its own.
///
/// A window that is closed, a display or sound card that hangs or fails, ends this and nothing else.
actor SinkPipeline {
    private let executor: QueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// How much waits for the sink at most; of more, the oldest is dropped.
    private static let maximumPictures = 2
    static let maximumSound: Duration = .milliseconds(300)

    private let blueprint: SinkBlueprint
    private let outlet: Outlet
    private let latencyMs: Int
    private let probe: EchoProbe?
    private let report: @Sendable (MediaError) -> Void
    private var running: (pipeline: Pipeline, consumer: Int)?
    private var isClosed = false

    /// `latencyMs` is by how much things come later than they were meant to be presented; `probe` hears what is played; `report` hears once, of
    /// what ends it.
    init(
        _ blueprint: SinkBlueprint, outlet: Outlet, latencyMs: Int, probe: EchoProbe? = nil,
        report: @escaping @Sendable (MediaError) -> Void
    ) {
        executor = QueueExecutor(label: "sink.\(blueprint.name)")
        self.blueprint = blueprint
        self.outlet = outlet
        self.latencyMs = latencyMs
        self.probe = probe
        self.report = report
    }

    /// Begins, with the latest picture; idempotent.
    func open() {
        guard running == nil, !isClosed else { return }
        do throws(MediaError) {
            try build()
        } catch {
            fail(error)
        }
    }

    /// The shape of what reaches the sink itself; nil before anything does.
    var shape: [String: PropertyValue]? {
        (try? running?.pipeline.bin.child("sink")?.pad("sink"))?.caps?.fields
    }

    /// Ends for good.
    func close() {
        isClosed = true
        guard let running = running.take() else { return }
        outlet.remove(running.consumer)
        running.pipeline.stop()
    }

    private func recalculateLatency() { running?.pipeline.recalculateLatency() }

    private func fail(_ error: MediaError) {
        guard !isClosed else { return }
        close()
        report(error)
    }

    private func build() throws(MediaError) {
        let pipeline = try Pipeline(name: "sink", timeBase: .clock)
        let source = try appsrc()
        let bin = try blueprint.build()
        pipeline.bin.add(source)
        pipeline.bin.add(bin)
        let opening = FirstReason()
        let (label, isWindow) = (blueprint.label, blueprint.name == "window")
        pipeline.bus.watch { [weak self] message in
            switch message {
            case .error(_, let text, let debug, _):
                let words = "\(text) \(debug.split(separator: "\n").last ?? "")"
                let error = MediaError.sinkFailed(sink: label, text: words)
                opening.note(error)
                Task { await self?.fail(error) }
            case .warning(_, let text, _) where isWindow:
                // It goes on as a window that nobody sees, when the display cannot be opened.
                Task { await self?.fail(.sinkFailed(sink: label, text: text)) }
            // Not here: whoever says so may hold locks that it takes.
            case .latencyChanged: Task { await self?.recalculateLatency() }
            default: break
            }
        }
        do throws(MediaError) {
            if let probe {
                try probe.insert(between: source, and: bin, in: pipeline.bin)
            } else {
                try source.link(to: bin)
            }
            try pipeline.bin.setState(.playing)
        } catch {
            pipeline.stop()
            throw opening.value ?? error
        }
        let feed = SinkFeed(source)
        if let latest = outlet.latest { feed.push(latest) }
        running = (pipeline, outlet.add { feed.push($0) })
    }

    private func appsrc() throws(MediaError) -> Element {
        let source = try Element("appsrc")
        let isVideo = blueprint.kind == .video
        let sound = Self.maximumSound.components.attoseconds / 1_000_000_000
        for (name, value) in [
            ("format", "time"), ("is-live", "true"), ("leaky-type", "downstream"), ("max-bytes", "0"),
            ("max-buffers", isVideo ? "\(Self.maximumPictures)" : "0"), ("max-time", isVideo ? "0" : "\(sound)"),
            ("min-latency", "\(latencyMs * 1_000_000)"),
        ] { try source.set(name, value) }
        return source
    }
}
