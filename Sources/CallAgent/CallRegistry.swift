internal import CallProtocol
internal import Synchronization

/// The calls of one agent.
///
/// Calls leave it themselves, at once when they end, so that whoever hears of the end may place the next call.
final class CallRegistry: Sendable {
    private struct State {
        var routing: CallRouting
        var active: [CallKey: Call] = [:]
        var closing: [ObjectIdentifier: Call] = [:]
    }

    private let state: Mutex<State>

    init(limit: Int) { state = Mutex(State(routing: CallRouting(limit: limit))) }

    /// Adds a call; false when the limit is reached or the id is known.
    func add(_ call: Call, state first: CallState) -> Bool {
        state.withLock { state in
            guard state.routing.add(call.key, .init(role: call.role, state: first)) else { return false }
            state.active[call.key] = call
            return true
        }
    }

    var isFull: Bool { state.withLock { $0.routing.isFull } }

    /// The call, if it has not ended.
    func active(_ key: CallKey) -> Call? { state.withLock { $0.active[key] } }

    /// The call of that id which is not closed yet.
    ///
    /// When a peer has given its call the id of an own one, it is the own one.
    func call(_ id: String) -> Call? {
        let calls = all.filter { $0.id == id }
        return calls.first { $0.role == .caller } ?? calls.first
    }

    var active: [Call] { state.withLock { Array($0.active.values) } }

    /// Those that have not ended, and those whose media is still being closed.
    var all: [Call] { state.withLock { Array($0.active.values) + Array($0.closing.values) } }

    /// The call of `peer` that rings, or is about to, if there is one.
    func ringing(from peer: String) -> Call? {
        state.withLock { state in state.routing.ringing(from: peer).flatMap { state.active[$0] } }
    }

    /// What becomes of a message.
    func route(_ message: SignalingMessage, unixMs: Double) -> CallRouting.Route {
        state.withLock { $0.routing.route(message, unixMs: unixMs) }
    }

    func note(_ callState: CallState, of call: Call) { state.withLock { $0.routing.note(callState, of: call.key) } }

    /// A call goes on under the id of the peer's.
    func adopt(_ id: String, insteadOf old: CallKey) {
        state.withLock { state in
            state.routing.adopt(id, insteadOf: old)
            state.active[CallKey(peer: old.peer, callId: id)] = state.active.removeValue(forKey: old)
        }
    }

    func noteEnd(of call: Call) {
        state.withLock { state in
            state.routing.end(call.key)
            guard state.active.removeValue(forKey: call.key) != nil else { return }
            state.closing[ObjectIdentifier(call)] = call
        }
    }

    func remove(_ call: Call) { state.withLock { $0.closing[ObjectIdentifier(call)] = nil } }
}
