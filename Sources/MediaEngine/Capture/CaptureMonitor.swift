/// Takes frames from a capture, as a call does; it continues when the device is lost and comes back.
actor CaptureMonitor {
    private let executor = QueueExecutor(label: "monitor")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated let outlet: Outlet
    private let source: CaptureSource
    private let pipeline: Pipeline
    private let proxy: Element
    private var branch: Int?
    private var isStopped = false

    init(_ source: CaptureSource) throws(MediaError) {
        self.source = source
        outlet = Outlet(source.kind)
        pipeline = try Pipeline(name: "monitor", timeBase: .clock)
        proxy = try Element("proxysrc")
        try proxy.keepOnlyLatest(source.kind)
        let sink = try Element("fakesink")
        for name in ["sync", "async"] { try sink.set(name, "false") }
        pipeline.bin.add(proxy)
        pipeline.bin.add(sink)
        try proxy.pad("src").interceptEndOfStream()
        try proxy.link(to: sink)
        outlet.watch(try sink.pad("sink"))
    }

    /// Opens the device, unless it is already open.
    func start() async throws(MediaError) {
        try pipeline.bin.setState(.playing)
        do throws(MediaError) {
            branch = try await source.attach(proxy)
        } catch {
            stopPipeline()
            throw error
        }
        // The consumer may be gone by now.
        if isStopped { await stop() }
    }

    /// Closes the device, unless it has another user; idempotent.
    func stop() async {
        isStopped = true
        outlet.end()
        if let branch = branch.take() { await source.detach(branch) }
        stopPipeline()
    }

    private func stopPipeline() { pipeline.stop() }
}

/// A preview of the user's own camera, before, during or between calls; it lasts until ``stop()``.
public final class CapturePreview: Sendable {
    private let monitor: CaptureMonitor
    private let sink: SinkPipeline

    /// Opens the device, unless a call has it open; `report` runs when the sink fails, for example when its window is closed.
    init(
        of source: CaptureSource, on blueprint: SinkBlueprint, report: @escaping @Sendable (MediaError) -> Void
    ) async throws(MediaError) {
        monitor = try CaptureMonitor(source)
        sink = SinkPipeline(TrackID(blueprint.kind), blueprint, outlet: monitor.outlet, report: report)
        try await monitor.start()
        await sink.open()
    }

    /// Ends the preview; the device closes unless it has another user.
    public func stop() async {
        await sink.close()
        await monitor.stop()
    }
}
