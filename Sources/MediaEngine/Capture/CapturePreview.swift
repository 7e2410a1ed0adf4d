/// A preview of the user's own camera, before, during or between calls; it lasts until ``stop()``.
public final class CapturePreview: Sendable {
    private let monitor: CaptureMonitor
    private let sink: SinkPipeline

    /// Opens the device, unless a call has it open; `report` runs when the sink fails, for example when its window is closed.
    init(
        of source: CaptureSource, on blueprint: SinkBlueprint, report: @escaping @Sendable (MediaError) -> Void
    ) async throws(MediaError) {
        monitor = try CaptureMonitor(source)
        sink = SinkPipeline(blueprint, outlet: monitor.outlet, report: report)
        try await monitor.start()
        await sink.open(latencyMs: 20)
    }

    /// Ends the preview; the device closes unless it has another user.
    public func stop() async {
        await sink.close()
        await monitor.stop()
    }
}
