import Synchronization

/// Elements that have arrived and are not taken yet; a test waits for the next one, at most until a deadline.
final class Mailbox<Element: Sendable>: Sendable {
    struct TimedOut: Error, CustomStringConvertible {
        var description: String { "nothing arrived within the deadline" }
    }

    private struct State {
        var elements: [Element] = []
        var isFinished = false
        var tickets = 0
        var waiter: (ticket: Int, continuation: CheckedContinuation<Element?, any Error>)?
    }

    private let state = Mutex(State())

    func put(_ element: Element) {
        let waiter = state.withLock { state in
            let waiter = state.waiter.take()
            if waiter == nil { state.elements.append(element) }
            return waiter
        }
        waiter?.continuation.resume(returning: element)
    }

    func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            return state.waiter.take()
        }
        waiter?.continuation.resume(returning: nil)
    }

    /// The number of elements that are not taken yet.
    var count: Int { state.withLock { $0.elements.count } }

    /// The next element, nil at the end.
    ///
    /// One caller at a time.
    func next(within limit: Duration = .seconds(20)) async throws -> Element? {
        try await withCheckedThrowingContinuation { continuation in
            let ticket = state.withLock { state -> Int? in
                if !state.elements.isEmpty {
                    continuation.resume(returning: state.elements.removeFirst())
                    return nil
                }
                if state.isFinished {
                    continuation.resume(returning: nil)
                    return nil
                }
                state.tickets += 1
                state.waiter = (state.tickets, continuation)
                return state.tickets
            }
            guard let ticket else { return }
            Task {
                try? await Task.sleep(for: limit)
                let late = state.withLock { state in state.waiter?.ticket == ticket ? state.waiter.take() : nil }
                late?.continuation.resume(throwing: TimedOut())
            }
        }
    }
}
