internal import Logging

/// What feeds captures: a source that is opened with its first user, in the size that the largest of them asks for, closed with its last, and
/// replaced while it is lost.
actor CaptureDevice {
    private let executor: QueueExecutor
    /// Runs on a queue of its own, since a device may block.
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let blueprint: SourceBlueprint
    let standIns: StandIns
    let timing: CaptureTiming
    let logger: Logger
    /// How pictures are turned for those who ask for them by a source; as the source itself says where there is none.
    private var orientations: [MediaSource: VideoOrientation] = [:]
    /// The source itself, while it delivers.
    var running: NumberedCapture?
    /// The source as it is opened again or larger, while it has not delivered yet.
    var candidate: NumberedCapture?
    /// The most that the source turned out to give; nil as long as it gave whatever was asked for.
    var ceiling: VideoFormat?
    /// Why the source is not running though it is wanted.
    var outage: MediaError?
    /// Kinds that the source turned out not to give.
    var absent: Set<MediaKind> = []
    var branches: [Int: Branch] = [:]
    var retry: Task<Void, Never>?
    var retryDelay: Duration
    private var watch: Task<Void, Never>?
    /// How often each was asked to be kept open.
    var holders: [MediaSource: Int] = [:]
    /// Itself while it is wanted: whoever wants it need not keep it.
    private var kept: CaptureDevice?
    /// What was closed last, while that takes its time.
    private var stopping: Task<Void, Never>?
    private var lastNumber = 0

    /// A capture with a number, by which what it reports late is told from what its successor reports.
    struct NumberedCapture {
        let number: Int
        let capture: RunningCapture
        /// The format that it was open in before, of one that is opened larger.
        var former: VideoFormat?
        var began: Set<MediaKind> = []
        var ended: Set<MediaKind> = []
    }

    /// One call's share, wherever it is fed from at present.
    struct Branch {
        /// What it asks for.
        let source: MediaSource
        let proxy: Element
        let onChange: @Sendable (CaptureChange) -> Void
        /// Nil while the device is closed to be opened in another size.
        var feed: (capture: RunningCapture, branch: CaptureBranch)?

        var kind: MediaKind { source.kind }

        mutating func unplug() {
            if let feed = feed.take() { feed.capture.detach(feed.branch, source) }
        }
    }

    init(_ blueprint: SourceBlueprint, timing: CaptureTiming, logger: Logger) {
        self.blueprint = blueprint
        self.timing = timing
        self.logger = logger
        standIns = StandIns(catalog: blueprint.catalog)
        retryDelay = timing.firstRetry
        executor = QueueExecutor(label: "capture.\(blueprint.source.name)")
    }

    var isOpen: Bool { running != nil }
    var isWanted: Bool { !holders.isEmpty || !branches.isEmpty }

    /// Opens the device for pictures as `source` asks for them, and keeps it open.
    func hold(_ source: MediaSource) async throws(MediaError) {
        await waitUntilStopped()
        holders[source, default: 0] += 1
        do {
            try await openAsWanted()
            kept = self
        } catch {
            drop(source)
            throw error
        }
    }

    /// Returns when the device is closed, if nobody else uses it.
    func release(_ source: MediaSource) async {
        drop(source)
        closeIfUnused()
        await waitUntilStopped()
    }

    /// One release too many does not count.
    private func drop(_ source: MediaSource) {
        guard let count = holders[source] else { return }
        holders[source] = count > 1 ? count - 1 : nil
    }

    func attach(
        _ proxy: Element, _ source: MediaSource, _ onChange: @escaping @Sendable (CaptureChange) -> Void
    ) async throws(MediaError) -> Int {
        do {
            // So that nobody closes it meanwhile.
            try await hold(source)
            defer { drop(source) }
            let capture = try capture(of: source.kind)
            lastNumber += 1
            branches[lastNumber] = Branch(
                source: source, proxy: proxy, onChange: onChange,
                feed: (capture, try capture.attach(proxy, source, orientation(of: source))))
        } catch {
            closeIfUnused()
            await waitUntilStopped()
            throw error
        }
        if let outage { onChange(.lost(outage)) }
        watchSilence()
        return lastNumber
    }

    /// Returns when the device is closed, if nobody else uses it.
    func detach(_ number: Int) async {
        // One that could not be moved when the source was lost is gone already.
        if var branch = branches.removeValue(forKey: number) { branch.unplug() }
        closeIfUnused()
        await waitUntilStopped()
        await becomeSmaller()
    }

    func turn(_ source: MediaSource, _ orientation: VideoOrientation) throws(MediaError) {
        orientations[source] = orientation
        for capture in [running, candidate] { try capture?.capture.turn(source, orientation) }
        try standIns.turn(source, orientation)
    }

    func orientation(of source: MediaSource) -> VideoOrientation { orientations[source] ?? source.orientation }

    /// What was captured last; nil while it is not open.
    func latestPicture(_ source: MediaSource) -> OutletBuffer? {
        guard isWanted, running != nil || outage != nil else { return nil }
        return (try? capture(of: .video))?.latestPicture(source, orientation(of: source))
    }

    // MARK: Opening and closing

    /// Opens the source; what it reports carries its number.
    func open(_ format: VideoFormat) throws(MediaError) -> NumberedCapture {
        lastNumber += 1
        let number = lastNumber
        let source = SourceBlueprint(source: blueprint.source.with(format), catalog: blueprint.catalog)
        let capture = try RunningCapture(source.build(), name: blueprint.label, format: format) {
            [weak self] report in Task { await self?.take(report, of: number) }
        }
        return NumberedCapture(number: number, capture: capture)
    }

    /// What feeds a kind at present.
    func capture(of kind: MediaKind) throws(MediaError) -> RunningCapture {
        if let running, outage == nil, !absent.contains(kind) { return running.capture }
        return try standIns.capture(kind, wantedFormat)
    }

    private func closeIfUnused() {
        guard !isWanted else { return }
        for task in [retry, watch] { task?.cancel() }
        (retry, watch, outage, absent, retryDelay) = (nil, nil, nil, [], timing.firstRetry)
        ceiling = nil
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
