internal import Synchronization

/// A queue for one consumer, in order.
///
/// Its owner decides which elements are kept when one is added, so that the queue stays bounded.
final class Mailbox<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiter: CheckedContinuation<Element?, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())
    private let admit: @Sendable (inout [Element], Element) -> Void

    /// Makes an empty mailbox; `admit` adds an element to the waiting ones, or changes them otherwise.
    init(admit: @escaping @Sendable (inout [Element], Element) -> Void) { self.admit = admit }

    /// How many elements wait.
    var count: Int { state.withLock { $0.elements.count } }

    /// - Returns: False after ``finish()``: the element is lost.
    @discardableResult
    func put(_ element: Element) -> Bool {
        let (isTaken, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Element?, Never>?) in
            guard !state.isFinished else { return (false, nil) }
            if let waiter = state.waiter.take() { return (true, waiter) }
            admit(&state.elements, element)
            return (true, nil)
        }
        waiter?.resume(returning: element)
        return isTaken
    }

    /// Accepts no more elements; waiting elements can still be taken.
    func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            return state.waiter.take()
        }
        waiter?.resume(returning: nil)
    }

    /// The next element; nil after ``finish()`` and when the waiting task is cancelled.
    func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let element: Element?? = state.withLock { state in
                    if !state.elements.isEmpty { return .some(state.elements.removeFirst()) }
                    if state.isFinished || Task.isCancelled { return .some(nil) }
                    state.waiter = continuation
                    return nil
                }
                if let element { continuation.resume(returning: element) }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume(returning: nil)
        }
    }
}
