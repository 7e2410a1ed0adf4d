internal import Synchronization

/// A stream for one reader, of which only so much waits.
///
/// Whoever puts something in never waits and keeps its order. When the reader is too far behind, what tells it least is dropped, oldest first, counted, and
/// told when it reads on. What is ``Worth/kept`` is never dropped: of such there are only so many.
final class BoundedStream<Element: Sendable>: Sendable {
    /// How much an element tells a reader who is far behind.
    enum Worth: Hashable, Sendable {
        /// It happens so often at most, and the reader has to know.
        case kept
        /// Nothing, when a later one with this name waits: a state that has changed since.
        case latest(String)
        /// Nothing, when an earlier one with this name waits.
        case first(String)
        /// One of any number.
        case repeated
    }

    private struct State {
        var waiting: [Element] = []
        var dropped = 0
        var isOver = false
    }
    private let state: Waiting
    private let signal: AsyncStream<Void>.Continuation
    /// What was put in, in order; ends after ``finish()``.
    let elements: AsyncStream<Element>

    /// `limit` is how many wait at most; `notice` makes what tells the reader how many were dropped, before what comes after them.
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

    /// How many wait.
    var count: Int { state.count }

    /// Puts one in; nothing after ``finish()``.
    func yield(_ element: Element) {
        state.put(element)
        signal.yield()
    }

    /// Ends the stream after what was put in.
    func finish() {
        state.end()
        signal.finish()
    }

    /// What both ends of the stream share.
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

        /// The place of the oldest that may be dropped; nil when all are to be kept.
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
