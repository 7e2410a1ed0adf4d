internal import Synchronization

/// One track's hold on a capture: attached while it is wanted.
///
/// Opening a device takes its time, so wishes are carried out one after the other, each as it stands when its turn comes.
final class CaptureFeed: Sendable {
    private let proxy: Element
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
    }
    private let state: Mutex<State>

    var source: CaptureSource? { state.withLock { $0.source } }

    /// `proxy` is a `proxysrc`; `onFailure` hears of what goes wrong after ``start()``, `onChange` of
    /// what happens to the device.
    init(
        of source: CaptureSource?, to proxy: Element, onFailure: @escaping @Sendable (MediaError) -> Void,
        onChange: @escaping @Sendable (CaptureChange) -> Void
    ) {
        self.onChange = onChange
        state = Mutex(State(source: source))
        self.proxy = proxy
        self.onFailure = onFailure
    }

    /// Attaches or detaches, in the background; before ``start()`` only notes the wish.
    func want(_ isWanted: Bool) {
        let isNews = state.withLock { state in
            defer { state.isWanted = isWanted }
            return state.isWanted != isWanted && state.hasStarted && !state.hasEnded
        }
        guard isNews else { return }
        let task = follow()
        Task { [onFailure] in if let error = await task.value { onFailure(error) } }
    }

    /// Attaches, if that is wanted, and returns when it is done.
    nonisolated(nonsending) func start() async throws(MediaError) {
        state.withLock { $0.hasStarted = true }
        if let error = await follow().value { throw error }
        guard !state.withLock({ $0.hasEnded }) else { throw .closed }
    }

    /// Feeds from another capture from now on; when that cannot be opened the present one goes on.
    nonisolated(nonsending) func change(to source: CaptureSource) async throws(MediaError) {
        let previous = state.withLock { state in
            defer { state.source = source }
            return state.source
        }
        guard let error = await follow().value else { return }
        state.withLock {
            $0.source = previous
            $0.isWanted = true
        }
        _ = await follow().value
        throw error
    }

    /// Detaches for good.
    func end() async {
        state.withLock { $0.hasEnded = true }
        _ = await follow().value
    }

    private func follow() -> Task<MediaError?, Never> {
        state.withLock { state in
            let task = Task { [last = state.last] in
                _ = await last?.value
                return await self.settle()
            }
            state.last = task
            return task
        }
    }

    private func settle() async -> MediaError? {
        let (wanted, attached) = state.withLock { state in
            (state.isWanted && state.hasStarted && !state.hasEnded ? state.source : nil, state.attached)
        }
        guard attached?.source !== wanted else { return nil }
        // The next device is opened while the present one is still sent, unless it is the same in another format.
        let next = attached.flatMap { attached in wanted.flatMap { $0.excludes(attached.source) ? nil : $0 } }
        do throws(MediaError) {
            try await next?.hold()
            if let attached {
                await attached.source.detach(attached.branch)
                state.withLock { $0.attached = nil }
            }
            guard let wanted else { return nil }
            let result: Result<Int, MediaError>
            do throws(MediaError) {
                result = .success(try await wanted.attach(proxy, onChange: onChange))
            } catch {
                result = .failure(error)
            }
            await next?.release()
            let branch = try result.get()
            state.withLock { $0.attached = (wanted, branch) }
            return nil
        } catch {
            // The next wish for it tries again.
            state.withLock { $0.isWanted = false }
            return error
        }
    }
}
