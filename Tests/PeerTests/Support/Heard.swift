import Synchronization

/// All elements of a stream so far.
final class Heard<Element: Sendable>: Sendable {
    private struct State {
        var all: [Element] = []
        var isOver = false
    }

    private let state: Mutex<State>

    init(_ stream: AsyncStream<Element>) {
        state = Mutex(State())
        Task { [self] in
            for await element in stream { state.withLock { $0.all.append(element) } }
            state.withLock { $0.isOver = true }
        }
    }

    var all: [Element] { state.withLock { $0.all } }
    var isOver: Bool { state.withLock { $0.isOver } }
}
