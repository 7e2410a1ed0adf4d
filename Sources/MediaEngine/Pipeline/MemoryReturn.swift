internal import Dispatch
internal import Synchronization

/// Returns memory that pipelines have freed to the system, once for all that ended within a few seconds.
///
/// It blocks other allocations meanwhile, so active calls would notice the end of each other call.
final class MemoryReturn: Sendable {
    /// The instance of the process, since memory belongs to the process.
    static let shared = MemoryReturn(
        later: { work in DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause, execute: work) },
        work: { GStreamerLibrary.returnFreeMemory() })

    /// The pause between an end and the return.
    private static let pause = DispatchTimeInterval.seconds(5)

    private let isUnderWay = Mutex(false)
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let work: @Sendable () -> Void

    /// `later` runs its argument after a pause; `work` returns the memory.
    init(
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, work: @escaping @Sendable () -> Void
    ) {
        self.later = later
        self.work = work
    }

    /// Requests a return; memory freed before this call is returned after the pause at the latest.
    func ask() {
        let isFirst = isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        guard isFirst else { return }
        later { [self] in
            // Reset first, so that requests from here on count again.
            isUnderWay.withLock { $0 = false }
            work()
        }
    }
}
