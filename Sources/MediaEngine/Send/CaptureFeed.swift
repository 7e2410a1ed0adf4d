internal import Synchronization

/// One track's hold on a capture: attached while it is wanted.
///
/// Opening a device takes its time, so wishes are carried out one after the other, each as it stands when its turn comes.
final class CaptureFeed: Sendable {
    /// Nil feeds nothing, ever.
    let source: CaptureSource?
    private let proxy: Element
    private let onFailure: @Sendable (MediaError) -> Void

    private struct State {
        var isWanted = false
        var hasStarted = false
        var hasEnded = false
        var branch: CaptureBranch?
        var last: Task<MediaError?, Never>?
    }
    private let state = Mutex(State())

    /// `proxy` is a `proxysrc`; `onFailure` hears of what goes wrong after ``start()``.
    init(of source: CaptureSource?, to proxy: Element, onFailure: @escaping @Sendable (MediaError) -> Void) {
        self.source = source
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
        guard let source else { return nil }
        let (attaches, branch) = state.withLock { ($0.isWanted && !$0.hasEnded, $0.branch) }
        if attaches, branch == nil {
            do throws(MediaError) {
                let branch = try await source.attach(proxy)
                state.withLock { $0.branch = branch }
            } catch {
                // The next wish for it tries again.
                state.withLock { $0.isWanted = false }
                return error
            }
        } else if !attaches, let branch {
            await source.detach(branch)
            state.withLock { $0.branch = nil }
        }
        return nil
    }
}
