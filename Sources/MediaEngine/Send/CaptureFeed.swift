internal import Synchronization

/// One track's hold on a capture: attached while it is wanted.
///
/// Opening a device takes its time, so wishes are carried out one after the other, each as it stands when its turn comes.
final class CaptureFeed: Sendable {
    private let proxy: Element
    private let onDetached: @Sendable () -> Void
    private let onFailure: @Sendable (MediaError) -> Void
    private let onChange: @Sendable (CaptureChange) -> Void

    private struct State {
        /// Nil feeds nothing.
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

    /// `proxy` is a `proxysrc`; `onDetached` hears when a source gives nothing more, `onFailure` of what goes wrong after ``start()``, `onChange` of
    /// what happens to the device.
    init(
        of source: CaptureSource?, to proxy: Element, onDetached: @escaping @Sendable () -> Void,
        onFailure: @escaping @Sendable (MediaError) -> Void, onChange: @escaping @Sendable (CaptureChange) -> Void
    ) {
        self.onDetached = onDetached
        self.onChange = onChange
        state = Mutex(State(source: source))
        self.proxy = proxy
        self.onFailure = onFailure
    }

    /// Attaches or detaches, in the background; before ``start()`` only notes the wish.
    ///
    /// What could not be opened is tried again whenever it is asked for.
    func want(_ isWanted: Bool) {
        let isNews = state.withLock { state in
            defer { state.isWanted = isWanted }
            return state.hasStarted && !state.hasEnded
                && (state.isWanted != isWanted || isWanted && state.attached == nil)
        }
        guard isNews else { return }
        let task = enqueue { await self.settle() }
        Task { [onFailure] in if let error = await task.value { onFailure(error) } }
    }

    /// Attaches, if that is wanted, and returns when it is done.
    nonisolated(nonsending) func start() async throws(MediaError) {
        state.withLock { $0.hasStarted = true }
        if let error = await enqueue({ await self.settle() }).value { throw error }
        guard !state.withLock({ $0.hasEnded }) else { throw .closed }
    }

    /// Feeds from another capture from now on; when that cannot be opened the present one goes on.
    nonisolated(nonsending) func change(to source: CaptureSource) async throws(MediaError) {
        if let error = await enqueue({ await self.replace(by: source) }).value { throw error }
    }

    /// Detaches for good.
    func end() async {
        state.withLock { $0.hasEnded = true }
        _ = await enqueue { await self.settle() }.value
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

    /// Does what is wanted now, whatever was wanted when it was enqueued.
    private func settle() async -> MediaError? {
        let wanted = state.withLock { $0.isFeeding ? $0.source : nil }
        if let wanted { return await attach(wanted) }
        await detach()
        return nil
    }

    /// The choice is the new one's only once it is open; a wish that changes meanwhile has its own turn after this.
    private func replace(by source: CaptureSource) async -> MediaError? {
        if state.withLock({ $0.isFeeding }), let error = await attach(source) {
            // The present one may have made room for it.
            _ = await settle()
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
            // A device may take its time to open; what it is to feed is not there any more when the track has ended meanwhile.
            if state.withLock({ $0.hasEnded }) { throw .closed }
            let branch = try await next.attach(proxy, onChange: onChange)
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
