internal import Synchronization

/// Shows or plays what leaves an outlet, in its own pipeline.
///
/// A closed window, or a display or sound card that hangs or fails, ends this pipeline and nothing else.
actor SinkPipeline {
    private let executor: QueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// How much waits for the sink at most; then the oldest is dropped.
    private static let maximumFrames = 2
    static let maximumAudio: Duration = .milliseconds(300)

    private let blueprint: SinkBlueprint
    private let outlet: Outlet
    private let probes: EchoProbes?
    private let report: @Sendable (MediaError) -> Void
    private var running: (pipeline: Pipeline, consumer: Int)?
    private var isClosed = false

    /// `probes` tap the played audio; `report` gets, once, the error that ends the pipeline.
    init(
        _ blueprint: SinkBlueprint, outlet: Outlet, probes: EchoProbes? = nil,
        report: @escaping @Sendable (MediaError) -> Void
    ) {
        executor = QueueExecutor(label: "sink.\(blueprint.name)")
        self.blueprint = blueprint
        self.outlet = outlet
        self.probes = probes
        self.report = report
    }

    /// Starts, with the latest frame; idempotent.
    ///
    /// `latencyMs` is how much later than its presentation time media arrives.
    func open(latencyMs: Int) {
        guard running == nil, !isClosed else { return }
        do throws(MediaError) {
            try build(latencyMs: latencyMs)
        } catch {
            fail(error)
        }
    }

    /// The shape of the media that reaches the sink itself; nil before the first.
    var shape: [String: PropertyValue]? {
        (try? running?.pipeline.bin.child("sink")?.pad("sink"))?.caps?.fields
    }

    /// Stops permanently.
    func close() {
        isClosed = true
        stop()
    }

    /// Stops until it is opened again.
    func stop() {
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

    private func build(latencyMs: Int) throws(MediaError) {
        let pipeline = try Pipeline(name: "sink", timeBase: .clock)
        let source = try appsrc(latencyMs: latencyMs)
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
                // When the display cannot be opened, the sink only warns and continues without a visible window.
                Task { await self?.fail(.sinkFailed(sink: label, text: text)) }
            // Not here: the sender of this message may hold locks that the recalculation takes.
            case .latencyChanged: Task { await self?.recalculateLatency() }
            default: break
            }
        }
        do throws(MediaError) {
            if let probes {
                try probes.insert(between: source, and: bin, in: pipeline.bin)
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

    private func appsrc(latencyMs: Int) throws(MediaError) -> Element {
        let source = try Element("appsrc")
        let isVideo = blueprint.kind == .video
        let audio = Self.maximumAudio.components.attoseconds / 1_000_000_000
        for (name, value) in [
            ("format", "time"), ("is-live", "true"), ("leaky-type", "downstream"), ("max-bytes", "0"),
            ("max-buffers", isVideo ? "\(Self.maximumFrames)" : "0"), ("max-time", isVideo ? "0" : "\(audio)"),
            ("min-latency", "\(latencyMs * 1_000_000)"),
        ] { try source.set(name, value) }
        return source
    }
}

/// Pushes what leaves an outlet into an `appsrc`, by reference.
final class SinkFeed: Sendable {
    private let source: Element
    private let caps = Mutex<CapsRef?>(nil)

    init(_ source: Element) { self.source = source }

    func push(_ buffer: OutletBuffer) {
        let isNews = caps.withLock { caps in
            defer { caps = buffer.caps }
            return caps?.isSame(as: buffer.caps) != true
        }
        // The queue keeps caps and data in order.
        if isNews { try? source.set("caps", buffer.caps.text) }
        _ = source.push(buffer.buffer.copy(at: buffer.time))
    }
}
