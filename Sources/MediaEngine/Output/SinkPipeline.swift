internal import Synchronization

/// Shows or plays what leaves an outlet, in its own pipeline.
///
/// A closed window, or a display or sound card that hangs or fails, ends this pipeline and nothing else.
actor SinkPipeline {
    private let executor: QueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let track: TrackID
    private let blueprint: SinkBlueprint
    private let outlet: Outlet
    private let playout: Playout?
    private let probes: EchoProbes?
    private let report: @Sendable (MediaError) -> Void
    private var running: (pipeline: Pipeline, consumer: Int)?
    private var isClosed = false

    /// Without `playout` media is shown as it arrives.
    ///
    /// `probes` tap the played audio; `report` gets, once, the error that ends the pipeline.
    init(
        _ track: TrackID, _ blueprint: SinkBlueprint, outlet: Outlet, playout: Playout? = nil,
        probes: EchoProbes? = nil,
        report: @escaping @Sendable (MediaError) -> Void
    ) {
        executor = QueueExecutor(label: "sink.\(blueprint.name)")
        self.track = track
        self.blueprint = blueprint
        self.outlet = outlet
        self.playout = playout
        self.probes = probes
        self.report = report
    }

    /// Starts, with the latest frame; idempotent.
    func open() {
        guard running == nil, !isClosed else { return }
        do throws(MediaError) {
            try build()
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
        playout?.setLatency(nil, of: track)
        running.pipeline.stop()
    }

    private func recalculateLatency() {
        guard let pipeline = running?.pipeline else { return }
        pipeline.recalculateLatency()
        playout?.setLatency(pipeline.latency, of: track)
    }

    private func fail(_ error: MediaError) {
        guard !isClosed else { return }
        close()
        report(error)
    }

    private func build() throws(MediaError) {
        let pipeline = try Pipeline(name: "sink", timeBase: .clock)
        let feed = try SinkFeed(track, playout)
        let bin = try blueprint.build()
        for element in feed.elements { pipeline.bin.add(element) }
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
            try feed.link(to: bin, in: pipeline.bin, through: probes)
            try pipeline.bin.setState(.playing)
        } catch {
            pipeline.stop()
            throw opening.value ?? error
        }
        if let latest = outlet.latest { feed.push(latest) }
        running = (pipeline, outlet.add { feed.push($0) })
        recalculateLatency()
    }
}
