internal import CallProtocol
internal import Synchronization

/// The calls of one agent.
///
/// A call leaves the registry at once when it ends. So the receiver of the end event may place the next call.
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

    /// The call with this id whose media is not closed yet.
    ///
    /// When a peer has used the id of one of this end's own calls, the own call is returned.
    func call(_ id: String) -> Call? {
        let calls = all.filter { $0.id == id }
        return calls.first { $0.role == .caller } ?? calls.first
    }

    var active: [Call] { state.withLock { Array($0.active.values) } }

    /// The calls that have not ended, and those whose media is still being closed.
    var all: [Call] { state.withLock { Array($0.active.values) + Array($0.closing.values) } }

    /// The call of `peer` that rings or is about to ring, if there is one.
    func ringing(from peer: String) -> Call? {
        state.withLock { state in state.routing.ringing(from: peer).flatMap { state.active[$0] } }
    }

    /// Decides where a message goes.
    func route(_ message: SignalingMessage, unixMs: Double) -> CallRouting.Route {
        state.withLock { $0.routing.route(message, unixMs: unixMs) }
    }

    func note(_ callState: CallState, of call: Call) { state.withLock { $0.routing.note(callState, of: call.key) } }

    /// A call continues under the id of the peer's call.
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
