internal import Synchronization

/// The calls of one agent.
///
/// Calls leave it themselves, at once when they end, so that whoever hears of the end may place the next call.
final class CallRegistry: Sendable {
    private struct State {
        var active: [String: Call] = [:]
        var closing: [String: Call] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Adds a call; false when the limit is reached or the id is taken.
    func add(_ call: Call) -> Bool {
        state.withLock { state in
            guard state.active.count < limit, state.active[call.id] == nil, state.closing[call.id] == nil else {
                return false
            }
            state.active[call.id] = call
            return true
        }
    }

    var isFull: Bool { state.withLock { $0.active.count >= limit } }

    /// The call of that id, if it has not ended.
    func active(_ id: String) -> Call? { state.withLock { $0.active[id] } }

    var active: [Call] { state.withLock { Array($0.active.values) } }

    /// Those that have not ended, and those whose media is still being closed.
    var all: [Call] { state.withLock { Array($0.active.values) + Array($0.closing.values) } }

    func noteEnd(of call: Call) {
        state.withLock { state in
            if let ended = state.active.removeValue(forKey: call.id) { state.closing[call.id] = ended }
        }
    }

    func remove(_ call: Call) {
        state.withLock { state in
            state.active[call.id] = nil
            state.closing[call.id] = nil
        }
    }
}
