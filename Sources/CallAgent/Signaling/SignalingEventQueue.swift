internal import Synchronization

/// The events for the application, with a measure of how many bytes wait.
package final class SignalingEventQueue: Sendable {
    /// Ends with ``finish()``, after the events that were put before.
    package let events: AsyncStream<SignalingTransportEvent>
    private let inbox: AsyncStream<SignalingTransportEvent>.Continuation
    private let gauge: Gauge

    /// Makes a queue that is full above `capacity` bytes.
    package init(capacity: Int) {
        let (stream, inbox) = AsyncStream<SignalingTransportEvent>.makeStream()
        let gauge = Gauge(capacity: capacity)
        (self.inbox, self.gauge) = (inbox, gauge)
        // Nobody takes anything any more, so nobody has to wait.
        inbox.onTermination = { _ in gauge.release() }
        // A second stream wraps the first, because the first does not report when an event is taken.
        events = AsyncStream {
            var iterator = stream.makeAsyncIterator()
            guard let event = await iterator.next() else { return nil }
            gauge.took(Self.size(event))
            return event
        }
    }

    /// Puts an event at the end.
    ///
    /// No event is ever refused.
    ///
    /// - Returns: false when the queue is full now: stop reading until ``whenThereIsRoom(_:)`` calls back.
    package func put(_ event: SignalingTransportEvent) -> Bool {
        let hasRoom = gauge.put(Self.size(event))
        // There is no listener any more: nothing is kept either.
        if case .terminated = inbox.yield(event) { return true }
        return hasRoom
    }

    /// Calls `body` once, as soon as half of the capacity is free; on the thread that takes the event, or at once.
    package func whenThereIsRoom(_ body: @escaping @Sendable () -> Void) { gauge.whenThereIsRoom(body) }

    package func finish() { inbox.finish() }

    private static func size(_ event: SignalingTransportEvent) -> Int {
        switch event {
        case .received(let text), .disconnected(let text), .tokenNotRenewed(let text): text.utf8.count + 64
        case .reconnected, .clock, .tokenWillExpire, .tokenRenewed, .ended: 64
        case .iceServers(let servers, _):
            64 + servers.reduce(0) { $0 + $1.urls.reduce(128) { $0 + $1.utf8.count } }
        }
    }
}

/// Counts the waiting bytes.
private final class Gauge: Sendable {
    private struct State {
        var bytes = 0
        var isReleased = false
        var waiters: [@Sendable () -> Void] = []

        mutating func takeWaiters() -> [@Sendable () -> Void] {
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Mutex(State())
    private let capacity: Int

    package init(capacity: Int) { self.capacity = capacity }

    func put(_ bytes: Int) -> Bool {
        state.withLock {
            $0.bytes += bytes
            return $0.bytes <= capacity
        }
    }

    func took(_ bytes: Int) {
        let waiters = state.withLock { state in
            state.bytes -= bytes
            return state.bytes <= capacity / 2 ? state.takeWaiters() : []
        }
        for waiter in waiters { waiter() }
    }

    /// From now on there is always room.
    func release() {
        let waiters = state.withLock { state in
            state.isReleased = true
            return state.takeWaiters()
        }
        for waiter in waiters { waiter() }
    }

    func whenThereIsRoom(_ body: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            guard !state.isReleased, state.bytes > capacity / 2 else { return true }
            state.waiters.append(body)
            return false
        }
        if isNow { body() }
    }
}
