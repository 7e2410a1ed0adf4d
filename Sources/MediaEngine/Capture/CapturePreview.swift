/// A user's look at its own camera, before, during or between calls; it lasts until ``stop()``.
public final class CapturePreview: Sendable {
    private let monitor: CaptureMonitor
    private let sink: SinkPipeline

    /// Opens the device, unless a call has it open; `report` hears when the sink fails, such as a window that is closed.
    init(
        of source: CaptureSource, on blueprint: SinkBlueprint, report: @escaping @Sendable (MediaError) -> Void
    ) async throws(MediaError) {
        monitor = try CaptureMonitor(source)
        sink = SinkPipeline(blueprint, outlet: monitor.outlet, latencyMs: 20, report: report)
        try await monitor.start()
        await sink.open()
    }

    /// Ends it; the device closes unless somebody else needs it.
    public func stop() async {
        await sink.close()
        await monitor.stop()
    }
}
