internal import Logging

/// One device or test source, captured once and shared by all calls of an agent.
///
/// It runs while somebody holds it or a call uses it; starting takes as long as the device needs.
public actor CaptureSource {
    private let executor: QueueExecutor
    /// Runs on a queue of its own, since a device may block.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Sound or picture.
    public nonisolated let kind: MediaKind
    /// Whether it is made by the machine itself and needs no device.
    public nonisolated let isSynthetic: Bool
    /// The pitch, when it is a tone.
    public nonisolated let toneHz: Double?

    private let description: PipelineDescription
    private let values: [String: String]
    private let logger: Logger
    private var running: RunningCapture?
    private var holders = 0

    init(_ source: MediaSource, description: PipelineDescription, logger: Logger) {
        kind = source.kind
        self.description = description
        values = source.values
        toneHz = if case .audio(let source) = source { source.toneHz } else { nil }
        self.logger = logger
        isSynthetic = ["test", "tone"].contains(description.name)
        executor = QueueExecutor(label: "capture.\(description.name)")
    }

    /// Opens the device and keeps it open until ``release()`` is called as often.
    ///
    /// - Throws: ``MediaError`` when it cannot be opened.
    public func hold() throws(MediaError) {
        holders += 1
        do {
            _ = try start()
        } catch {
            holders -= 1
            throw error
        }
    }

    /// Ends one ``hold()``; the last one closes the device when no call uses it.
    public func release() {
        holders = max(0, holders - 1)
        stopIfUnused()
    }

    /// Whether its device is open.
    var isOpen: Bool { running != nil }

    /// Feeds a new branch that ends in `proxy`, a `proxysrc` that is playing in the pipeline of a call.
    func attach(_ proxy: Element) throws(MediaError) -> CaptureBranch {
        let capture = try start()
        do {
            return try capture.attach(proxy)
        } catch {
            stopIfUnused()
            throw error
        }
    }

    func detach(_ branch: CaptureBranch) {
        running?.detach(branch)
        stopIfUnused()
    }

    private func start() throws(MediaError) -> RunningCapture {
        if let running { return running }
        let capture = try RunningCapture(kind: kind, source: description.instantiate(values))
        let logger = logger
        capture.pipeline.bus.watch { message in
            if case .error(let element, let text, let debug) = message {
                logger.error("\(MediaError.elementFailed(element: element, message: text, debug: debug))")
            }
        }
        running = capture
        return capture
    }

    private func stopIfUnused() {
        guard holders == 0, let running, running.branches == 0 else { return }
        self.running = nil
        running.pipeline.stop()
    }
}
