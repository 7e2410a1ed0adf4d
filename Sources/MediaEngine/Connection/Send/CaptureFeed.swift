internal import Synchronization

/// Attaches a capture to one track while the track needs it.
///
/// Opening a device takes time, so requests run one after the other. Each applies the state that is current when it runs.
final class CaptureFeed: Sendable {
    private let proxy: Element
    private let onDetached: @Sendable () -> Void
    private let onFailure: @Sendable (MediaError) -> Void
    private let onChange: @Sendable (CaptureChange, CaptureSource) -> Void

    private struct State {
        /// Nil: nothing is fed.
        var source: CaptureSource?
        var isWanted = false
        var hasStarted = false
        var hasEnded = false
        var attached: (source: CaptureSource, branch: Int)?
        var last: Task<MediaError?, Never>?
        var isFeeding: Bool { isWanted && hasStarted && !hasEnded }
    }
    private let state: Mutex<State>

    var source: CaptureSource? { state.withLock { $0.source } }

    /// `proxy` is a `proxysrc`.
    ///
    /// `onDetached` runs when a source stops, `onFailure` when something fails after ``start()``, `onChange` when the device is lost or
    /// restored, and with its state when it is attached.
    init(
        of source: CaptureSource?, to proxy: Element, onDetached: @escaping @Sendable () -> Void,
        onFailure: @escaping @Sendable (MediaError) -> Void,
        onChange: @escaping @Sendable (CaptureChange, CaptureSource) -> Void
    ) {
        self.onDetached = onDetached
        self.onChange = onChange
        state = Mutex(State(source: source))
        self.proxy = proxy
        self.onFailure = onFailure
    }

    /// Attaches or detaches, in the background; before ``start()`` only notes the request.
    ///
    /// A device that could not be opened is tried again with each request.
    func want(_ isWanted: Bool) {
        let isNews = state.withLock { state in
            defer { state.isWanted = isWanted }
            return state.hasStarted && !state.hasEnded
                && (state.isWanted != isWanted || isWanted && state.attached == nil)
        }
        guard isNews else { return }
        let task = enqueue { await self.reconcile() }
        Task { [onFailure] in if let error = await task.value { onFailure(error) } }
    }

    /// Attaches if requested, and returns when that is done.
    nonisolated(nonsending) func start() async throws(MediaError) {
        state.withLock { $0.hasStarted = true }
        if let error = await enqueue({ await self.reconcile() }).value { throw error }
        guard !state.withLock({ $0.hasEnded }) else { throw .closed }
    }

    /// Feeds from another capture from now on; if that cannot be opened, the present one continues.
    nonisolated(nonsending) func change(to source: CaptureSource) async throws(MediaError) {
        if let error = await enqueue({ await self.replace(by: source) }).value { throw error }
    }

    /// Returns when all that was requested so far is done.
    func waitForRequests() async { _ = await enqueue { nil }.value }

    /// Detaches permanently.
    func end() async {
        state.withLock { $0.hasEnded = true }
        _ = await enqueue { await self.reconcile() }.value
    }

    /// Runs `operation` after those that were enqueued before.
    private func enqueue(_ operation: @escaping @Sendable () async -> MediaError?) -> Task<MediaError?, Never> {
        state.withLock { state in
            let task = Task { [last = state.last] in
                _ = await last?.value
                return await operation()
            }
            state.last = task
            return task
        }
    }

    /// Applies the request that is current now, which may not be the one that was enqueued.
    private func reconcile() async -> MediaError? {
        let wanted = state.withLock { $0.isFeeding ? $0.source : nil }
        if let wanted { return await attach(wanted) }
        await detach()
        return nil
    }

    /// The new source is selected only once it is open; a request that arrives meanwhile runs after this.
    private func replace(by source: CaptureSource) async -> MediaError? {
        guard !state.withLock({ $0.hasEnded }) else { return .closed }
        if state.withLock({ $0.isFeeding }), let error = await attach(source) {
            // The present source may have been detached for the new one.
            _ = await reconcile()
            return error
        }
        state.withLock { $0.source = source }
        return nil
    }

    private func attach(_ next: CaptureSource) async -> MediaError? {
        let present = state.withLock { $0.attached?.source }
        guard present !== next else { return nil }
        do throws(MediaError) {
            // It is opened while the present one is still sent.
            try await next.hold()
        } catch {
            return error
        }
        await detach()
        var failure: MediaError?
        do throws(MediaError) {
            // A device may open slowly; if the track has ended meanwhile, there is nothing to feed any more.
            if state.withLock({ $0.hasEnded }) { throw .closed }
            let branch = try await next.attach(proxy) { [onChange] in onChange($0, next) }
            state.withLock { $0.attached = (next, branch) }
        } catch {
            failure = error
        }
        await next.release()
        return failure
    }

    private func detach() async {
        guard let attached = state.withLock({ $0.attached.take() }) else { return }
        await attached.source.detach(attached.branch)
        onDetached()
    }
}
