internal import Dispatch
internal import Synchronization

/// Gives memory that pipelines have freed back to the system, once for all that ended in the same few seconds.
///
/// It holds up whoever allocates meanwhile, so that calls which go on would feel each end of another one.
final class MemoryReturn: Sendable {
    /// That of the process, whose memory it is.
    static let shared = MemoryReturn(
        later: { work in DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause, execute: work) },
        work: { GStreamerLibrary.returnFreeMemory() })

    /// From an end to the return.
    private static let pause = DispatchTimeInterval.seconds(5)

    private let isUnderWay = Mutex(false)
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let work: @Sendable () -> Void

    /// `later` runs what it is given after a pause; `work` gives back.
    init(
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, work: @escaping @Sendable () -> Void
    ) {
        self.later = later
        self.work = work
    }

    /// Asks for it; whatever was freed before this is given back after the pause at the latest.
    func ask() {
        let isFirst = isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        guard isFirst else { return }
        later { [self] in
            // First, so that who asks from here on is heard again.
            isUnderWay.withLock { $0 = false }
            work()
        }
    }
}
