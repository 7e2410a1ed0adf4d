import Synchronization

/// Watches whether the whole machine stands still, as a virtual machine may: then this process does, too.
final class Standstill: Sendable {
    private let longest = Mutex(Duration.zero)
    private let watching: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// Begins to watch, until this object is freed.
    init() {
        let task = Task.detached(priority: .high) { [weak self] in
            var last = ContinuousClock.now
            // The length of the pause only says how exact the result is.
            while (try? await Task.sleep(for: .milliseconds(20))) != nil, let self {
                let now = ContinuousClock.now
                self.longest.withLock { $0 = max($0, now - last) }
                last = now
            }
        }
        watching.withLock { $0 = task }
    }

    deinit { watching.withLock { $0?.cancel() } }

    /// The longest time of standing still so far, in s; 0 while each was below 0.1 s, as on a busy machine.
    var seconds: Double {
        let longest = longest.withLock { $0 }
        return longest < .milliseconds(100) ? 0 : longest / .seconds(1)
    }
}
