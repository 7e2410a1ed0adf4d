internal import Logging

/// The device behind captures: it opens with its first user and closes with its last.
///
/// It opens in the largest size that any of them requests. While it is lost, a stand-in replaces it.
actor CaptureDevice {
    private let executor: QueueExecutor
    /// Runs on its own queue, since a device may block.
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let blueprint: SourceBlueprint
    let standIns: StandIns
    let timing: CaptureTiming
    let logger: Logger
    /// The orientation per source that requests frames; without an entry, the source's own orientation applies.
    private var orientations: [MediaSource: VideoOrientation] = [:]
    /// The source itself, while it delivers.
    var running: NumberedCapture?
    /// The source while it is being opened again or larger and has not delivered yet.
    var candidate: NumberedCapture?
    /// The largest format that the source turned out to give; nil as long as it gave every requested format.
    var ceiling: VideoFormat?
    /// Why the source is not running although it is wanted.
    var outage: MediaError?
    /// The kinds that the source turned out to lack.
    var absent: Set<MediaKind> = []
    var branches: [Int: Branch] = [:]
    var retry: Task<Void, Never>?
    var retryDelay: Duration
    private var watch: Task<Void, Never>?
    /// How often each source is held.
    var holders: [MediaSource: Int] = [:]
    /// A reference to itself while it is wanted, so that its users need not keep it.
    private var kept: CaptureDevice?
    /// The closing of the last pipelines, while it takes its time.
    private var stopping: Task<Void, Never>?
    private var lastNumber = 0

    /// A capture with a number that distinguishes its late reports from those of its successor.
    struct NumberedCapture {
        let number: Int
        let capture: RunningCapture
        /// The previous format, if the capture was reopened larger.
        var former: VideoFormat?
        var began: Set<MediaKind> = []
        var ended: Set<MediaKind> = []
    }

    /// One call's share, whatever capture feeds it at present.
    struct Branch {
        /// The requested source.
        let source: MediaSource
        let proxy: Element
        let onChange: @Sendable (CaptureChange) -> Void
        /// Nil while the device is closed, to be opened in another size.
        var feed: (capture: RunningCapture, branch: ProxyBranch)?

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

    /// Opens the device in the format that `source` requests, and keeps it open.
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

    /// Returns when the device is closed, if it has no other user.
    func release(_ source: MediaSource) async {
        drop(source)
        closeIfUnused()
        await waitUntilStopped()
    }

    /// Ignores a release without a hold.
    private func drop(_ source: MediaSource) {
        guard let count = holders[source] else { return }
        holders[source] = count > 1 ? count - 1 : nil
    }

    func attach(
        _ proxy: Element, _ source: MediaSource, _ onChange: @escaping @Sendable (CaptureChange) -> Void
    ) async throws(MediaError) -> Int {
        do {
            // Holds the device so that it is not closed meanwhile.
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
        onChange(outage.map { .lost($0) } ?? .restored)
        watchSilence()
        return lastNumber
    }

    /// Returns when the device is closed, if it has no other user.
    func detach(_ number: Int) async {
        // A branch that could not be moved when the source was lost is already gone.
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

    /// The last captured frame; nil while the device is not open.
    func latestFrame(_ source: MediaSource) -> OutletBuffer? {
        guard isWanted, running != nil || outage != nil else { return nil }
        return (try? capture(of: .video))?.latestFrame(source, orientation(of: source))
    }

    // MARK: Opening and closing

    /// Opens the source; its reports carry the capture's number.
    func open(_ format: VideoFormat) throws(MediaError) -> NumberedCapture {
        lastNumber += 1
        let number = lastNumber
        let source = SourceBlueprint(source: blueprint.source.with(format), catalog: blueprint.catalog)
        let capture = try RunningCapture(source.build(), name: blueprint.label, format: format) {
            [weak self] report in Task { await self?.take(report, of: number) }
        }
        return NumberedCapture(number: number, capture: capture)
    }

    /// The capture that feeds a kind at present.
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

    /// Stops pipelines, each on a separate thread: a device that hangs would block its next user, and its stand-ins.
    func stop(_ pipelines: [Pipeline]) {
        guard !pipelines.isEmpty else { return }
        stopping = Task { [former = stopping] in
            await withDiscardingTaskGroup { group in
                for pipeline in pipelines {
                    group.addTask { await BlockingQueue(label: "capture.stop").stop(pipeline) }
                }
            }
            await former?.value
        }
    }

    /// Waits until the device is closed before it is opened again; a device that hangs is tried anyway, because it may have another name by now.
    func waitUntilStopped() async {
        guard let stopping else { return }
        if await Deadline.isMet(timing.longestStop, by: { await stopping.value }), self.stopping == stopping {
            self.stopping = nil
        }
    }

    private func watchSilence() {
        guard watch == nil, !blueprint.source.isPushed else { return }
        watch = Task { [weak self, timing] in
            var pause: Duration? = timing.silence / 5
            // Each check wakes threads, so it runs no more often than needed.
            while let next = pause, (try? await Task.sleep(for: next)) != nil { pause = await self?.lookForSilence() }
        }
    }
}

/// The timeouts of a capture.
struct CaptureTiming: Sendable {
    /// A source in use that delivers nothing for this long counts as lost.
    var silence = Duration.seconds(5)
    /// The delay before the first attempt to reopen a lost source; each further delay is twice as long.
    var firstRetry = Duration.milliseconds(500)
    /// The longest time between two attempts.
    var longestRetry = Duration.seconds(5)
    /// The longest wait for a device that is closing.
    var longestStop = Duration.seconds(5)
}
