internal import Synchronization

/// The properties that an ``EventHub`` needs of its events.
protocol ObservableEvent: Sendable {
    /// Whether the event reports a state: a new observer gets the latest one first, and it is dropped last.
    var isState: Bool { get }
    /// How many dropped events this one stands for; nil for every other event.
    var droppedCount: Int? { get }
    /// The event that stands for others which were dropped.
    static func eventsDropped(_ count: Int) -> Self
}

/// Gives every observer its own stream.
///
/// Up to ``capacity`` events wait for a slow observer. Beyond that, the oldest event that reports no state is dropped. One event in
/// its place says how many were dropped.
final class EventHub<Event: ObservableEvent>: Sendable {
    private struct Observer {
        weak var mailbox: Mailbox<Event>?
    }

    private struct State {
        var latest: Event?
        var observers: [Observer] = []
        var isFinished = false
    }

    private let state = Mutex(State())

    /// How many events wait for an observer.
    static var capacity: Int { 1_024 }

    /// A stream that begins with the current state and ends with ``finish()``.
    ///
    /// Releasing the stream unsubscribes.
    func subscribe() -> AsyncStream<Event> {
        let mailbox = Mailbox<Event> { Self.admit($1, to: &$0) }
        let isFinished = state.withLock { state in
            if let latest = state.latest { mailbox.put(latest) }
            // Streams that were released.
            state.observers.removeAll { $0.mailbox == nil }
            if !state.isFinished { state.observers.append(Observer(mailbox: mailbox)) }
            return state.isFinished
        }
        if isFinished { mailbox.finish() }
        return AsyncStream { await mailbox.next() }
    }

    func yield(_ event: Event) {
        let mailboxes = state.withLock { state in
            if event.isState { state.latest = event }
            return state.observers.compactMap(\.mailbox)
        }
        for mailbox in mailboxes { mailbox.put(event) }
    }

    func finish() {
        let mailboxes = state.withLock { state in
            state.isFinished = true
            defer { state.observers = [] }
            return state.observers.compactMap(\.mailbox)
        }
        for mailbox in mailboxes { mailbox.finish() }
    }

    private static func admit(_ event: Event, to waiting: inout [Event]) {
        waiting.append(event)
        while waiting.count > capacity {
            let oldest = waiting.firstIndex { !$0.isState && $0.droppedCount == nil }
            // Only state changes are left: drop the oldest of them.
            guard let victim = oldest ?? waiting.firstIndex(where: \.isState) else { return }
            waiting.remove(at: victim)
            if let marker = waiting.firstIndex(where: { $0.droppedCount != nil }) {
                waiting[marker] = .eventsDropped((waiting[marker].droppedCount ?? 0) + 1)
            } else {
                waiting.insert(.eventsDropped(1), at: victim)
            }
        }
    }
}
