internal import Synchronization

/// A stream for one reader with a bounded number of waiting elements.
///
/// Writers never wait, and the order is kept. When the reader falls too far behind, the least important elements are dropped, oldest
/// first. They are counted, and the reader gets the count when it reads on. ``Worth/kept`` elements are never dropped: their number is
/// limited.
final class BoundedStream<Element: Sendable>: Sendable {
    /// How important an element is to a reader that is far behind.
    enum Worth: Hashable, Sendable {
        /// Never dropped: there is a limited number of these, and the reader needs them all.
        case kept
        /// Not important when a later one with this name waits: a state that has changed since.
        case latest(String)
        /// Not important when an earlier one with this name waits.
        case first(String)
        /// One of an unlimited number.
        case repeated
    }

    private struct State {
        var waiting: [Element] = []
        var dropped = 0
        var isOver = false
    }
    private let state: Waiting
    private let signal: AsyncStream<Void>.Continuation
    /// The elements, in order; ends after ``finish()``.
    let elements: AsyncStream<Element>

    /// `limit` is the maximum number of waiting elements; `notice` makes the element that reports how many were dropped and is read next.
    init(
        limit: Int, worth: @escaping @Sendable (Element) -> Worth,
        notice: @escaping @Sendable (_ dropped: Int) -> Element?
    ) {
        let state = Waiting(limit: limit, worth: worth, notice: notice)
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (self.state, self.signal) = (state, signal)
        elements = AsyncStream {
            var iterator = signals.makeAsyncIterator()
            while true {
                if let element = state.take() { return element }
                guard await iterator.next() != nil else { return state.take() }
            }
        }
    }

    /// The number of waiting elements.
    var count: Int { state.count }

    /// Appends an element; does nothing after ``finish()``.
    func yield(_ element: Element) {
        state.put(element)
        signal.yield()
    }

    /// Ends the stream after the waiting elements.
    func finish() {
        state.end()
        signal.finish()
    }

    /// The state that both ends of the stream share.
    private final class Waiting: Sendable {
        private let state = Mutex(State())
        private let limit: Int
        private let worth: @Sendable (Element) -> Worth
        private let notice: @Sendable (Int) -> Element?

        init(
            limit: Int, worth: @escaping @Sendable (Element) -> Worth, notice: @escaping @Sendable (Int) -> Element?
        ) {
            self.limit = limit
            self.worth = worth
            self.notice = notice
        }

        var count: Int { state.withLock { $0.waiting.count } }

        func put(_ element: Element) {
            state.withLock { state in
                guard !state.isOver else { return }
                state.waiting.append(element)
                guard state.waiting.count > limit, let place = leastWorth(in: state.waiting) else { return }
                state.waiting.remove(at: place)
                state.dropped += 1
            }
        }

        func take() -> Element? {
            state.withLock { state in
                if state.dropped > 0, let notice = notice(state.dropped) {
                    state.dropped = 0
                    return notice
                }
                return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            }
        }

        func end() { state.withLock { $0.isOver = true } }

        /// The index of the oldest element that may be dropped; nil when all must be kept.
        private func leastWorth(in waiting: [Element]) -> Int? {
            let worths = waiting.map(worth)
            var last: [Worth: Int] = [:]
            for (place, worth) in worths.enumerated() { last[worth] = place }
            var seen: Set<Worth> = []
            return worths.enumerated().first { place, worth in
                switch worth {
                case .kept: false
                case .latest: last[worth] != place
                case .first: !seen.insert(worth).inserted
                case .repeated: true
                }
            }?.offset
        }
    }
}
