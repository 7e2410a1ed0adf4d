internal import Logging

/// What feeds captures: a source that is opened with its first user, closed with its last, and replaced while it is lost.
actor CaptureDevice {
    private let executor: QueueExecutor
    /// Runs on a queue of its own, since a device may block.
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// What only one can have open at a time, in one format; nil for everything else.
    nonisolated let exclusiveName: String?

    let blueprint: SourceBlueprint
    let standIns: StandIns
    let timing: CaptureTiming
    let logger: Logger
    var orientation: VideoOrientation
    /// The source itself, while it delivers.
    var running: NumberedCapture?
    /// The source as it is opened again, while it has not delivered yet.
    var candidate: NumberedCapture?
    /// Why the source is not running though it is wanted.
    var outage: MediaError?
    /// Kinds that the source turned out not to give.
    var absent: Set<MediaKind> = []
    var branches: [Int: Branch] = [:]
    var retry: Task<Void, Never>?
    var retryDelay: Duration
    private var watch: Task<Void, Never>?
    private var holders = 0
    /// Itself while it is wanted: whoever wants it need not keep it.
    private var kept: CaptureDevice?
    /// What was closed last, while that takes its time.
    private var stopping: Task<Void, Never>?
    private var lastNumber = 0

    /// A capture with a number, by which what it reports late is told from what its successor reports.
    struct NumberedCapture {
        let number: Int
        let capture: RunningCapture
        var began: Set<MediaKind> = []
        var ended: Set<MediaKind> = []
    }

    /// One call's share, wherever it is fed from at present.
    struct Branch {
        let kind: MediaKind
        let proxy: Element
        let onChange: @Sendable (CaptureChange) -> Void
        var capture: RunningCapture
        var branch: CaptureBranch
    }

    init(_ blueprint: SourceBlueprint, timing: CaptureTiming, logger: Logger) {
        self.blueprint = blueprint
        self.timing = timing
        self.logger = logger
        standIns = StandIns(catalog: blueprint.catalog, format: blueprint.source.format)
        retryDelay = timing.firstRetry
        exclusiveName = blueprint.source.exclusiveName
        orientation = if case .video(let video) = blueprint.source { video.orientation } else { .upright }
        executor = QueueExecutor(label: "capture.\(blueprint.source.name)")
    }

    var isOpen: Bool { running != nil }
    var isWanted: Bool { holders > 0 || !branches.isEmpty }

    func hold() async throws(MediaError) {
        await waitUntilStopped()
        holders += 1
        do {
            try openIfNeeded()
            kept = self
        } catch {
            holders -= 1
            throw error
        }
    }

    /// Returns when the device is closed, if nobody else uses it.
    func release() async {
        holders = max(0, holders - 1)
        closeIfUnused()
        await waitUntilStopped()
    }

    func attach(
        _ proxy: Element, _ kind: MediaKind, _ onChange: @escaping @Sendable (CaptureChange) -> Void
    ) async throws(MediaError) -> Int {
        await waitUntilStopped()
        lastNumber += 1
        do {
            try openIfNeeded()
            let capture = try source(of: kind)
            branches[lastNumber] = Branch(
                kind: kind, proxy: proxy, onChange: onChange, capture: capture,
                branch: try capture.attach(proxy, kind))
        } catch {
            closeIfUnused()
            await waitUntilStopped()
            throw error
        }
        kept = self
        if let outage { onChange(.lost(outage)) }
        watchSilence()
        return lastNumber
    }

    /// Returns when the device is closed, if nobody else uses it.
    func detach(_ number: Int) async {
        // One that could not be moved when the source was lost is gone already.
        if let branch = branches.removeValue(forKey: number) { branch.capture.detach(branch.branch, branch.kind) }
        closeIfUnused()
        await waitUntilStopped()
    }

    func turn(_ orientation: VideoOrientation) throws(MediaError) {
        self.orientation = orientation
        for capture in [running, candidate] { try capture?.capture.outputs[.video]?.turn(orientation) }
        try standIns.turn(orientation)
    }

    /// What was captured last; nil while it is not open.
    func latestPicture() -> OutletBuffer? {
        guard isWanted else { return nil }
        return (try? source(of: .video))?.outputs[.video]?.latestPicture
    }

    // MARK: Opening and closing

    private func openIfNeeded() throws(MediaError) {
        guard running == nil, outage == nil else { return }
        running = try open()
    }

    /// Opens the source; what it reports carries its number.
    func open() throws(MediaError) -> NumberedCapture {
        lastNumber += 1
        let number = lastNumber
        let capture = try RunningCapture(blueprint.build(), name: blueprint.label, orientation: orientation) {
            [weak self] report in Task { await self?.take(report, of: number) }
        }
        return NumberedCapture(number: number, capture: capture)
    }

    /// What feeds a kind at present.
    func source(of kind: MediaKind) throws(MediaError) -> RunningCapture {
        if let running, outage == nil, !absent.contains(kind) { return running.capture }
        return try standIns.capture(kind, orientation)
    }

    private func closeIfUnused() {
        guard !isWanted else { return }
        for task in [retry, watch] { task?.cancel() }
        (retry, watch, outage, absent, retryDelay) = (nil, nil, nil, [], timing.firstRetry)
        stop([running.take(), candidate.take()].compactMap { $0?.capture.pipeline } + standIns.take())
        kept = nil
    }

    /// On a thread of its own: a device that hangs would hold up whoever asks for it next.
    func stop(_ pipelines: [Pipeline]) {
        guard !pipelines.isEmpty else { return }
        stopping = Task { [former = stopping] in
            for pipeline in pipelines { await BlockingQueue(label: "capture.stop").stop(pipeline) }
            await former?.value
        }
    }

    /// A device is opened again once it is closed; one that hangs is tried all the same, it may have another name by now.
    func waitUntilStopped() async {
        guard let stopping else { return }
        if await Deadline.isMet(timing.longestStop, by: { await stopping.value }), self.stopping == stopping {
            self.stopping = nil
        }
    }

    private func watchSilence() {
        guard watch == nil, !blueprint.source.mayBeSilent else { return }
        watch = Task { [weak self, timing] in
            while (try? await Task.sleep(for: timing.silence / 5)) != nil { await self?.lookForSilence() }
        }
    }
}
