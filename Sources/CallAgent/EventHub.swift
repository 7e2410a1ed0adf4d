internal import Synchronization

/// Gives every observer a stream of its own.
final class EventHub<Event: Sendable>: Sendable {
    private struct State {
        var latest: Event?
        var observers: [Int: AsyncStream<Event>.Continuation] = [:]
        var nextObserver = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    private let isState: @Sendable (Event) -> Bool

    /// Makes a hub; a new observer begins with the latest event that `isState`.
    init(isState: @escaping @Sendable (Event) -> Bool) { self.isState = isState }

    /// A stream that begins with the present state and ends with ``finish()``.
    ///
    /// Letting go of it unsubscribes.
    func subscribe() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        let number: Int? = state.withLock { state in
            if let latest = state.latest { continuation.yield(latest) }
            guard !state.isFinished else { return nil }
            state.nextObserver += 1
            state.observers[state.nextObserver] = continuation
            return state.nextObserver
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    func yield(_ event: Event) {
        let isState = isState(event)
        let observers = state.withLock { state in
            if isState { state.latest = event }
            return Array(state.observers.values)
        }
        for observer in observers { observer.yield(event) }
    }

    func finish() {
        let observers = state.withLock { state in
            state.isFinished = true
            defer { state.observers = [:] }
            return Array(state.observers.values)
        }
        // Outside the lock: finishing runs onTermination, which takes it.
        for observer in observers { observer.finish() }
    }

    private func remove(_ number: Int) { state.withLock { $0.observers[number] = nil } }
}
