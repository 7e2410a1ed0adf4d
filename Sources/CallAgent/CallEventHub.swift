internal import Synchronization

/// Gives every observer of a call a stream of its own.
final class CallEventHub: Sendable {
    private struct State {
        var latest: CallStateChange?
        var observers: [Int: AsyncStream<CallEvent>.Continuation] = [:]
        var nextObserver = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// A stream that begins with the present state and ends with the call.
    ///
    /// Letting go of it unsubscribes.
    func subscribe() -> AsyncStream<CallEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: CallEvent.self)
        let number: Int? = state.withLock { state in
            if let latest = state.latest { continuation.yield(.stateChanged(latest)) }
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

    func yield(_ event: CallEvent) {
        let observers = state.withLock { state in
            if case .stateChanged(let change) = event { state.latest = change }
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
