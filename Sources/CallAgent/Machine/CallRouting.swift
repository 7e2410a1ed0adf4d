package import CallProtocol

/// Decides which call a message belongs to, and what happens to an invite: the rules about more than one call.
///
/// A plain value. Calls are identified by id and peer: a stranger who has guessed an id only addresses a call of its own.
package struct CallRouting: Sendable {
    /// What is known about a call that has not ended.
    package struct Active: Sendable, Equatable {
        package var role: CallRole
        package var state: CallState

        package init(role: CallRole, state: CallState) {
            self.role = role
            self.state = state
        }

        /// Nobody has accepted yet.
        var isOpen: Bool { state == .calling || state == .ringing }
    }

    /// What happens to a message.
    package enum Route: Sendable, Equatable {
        /// It belongs to this call.
        case call(CallKey)
        /// A new call rings.
        case ring
        /// This end is at its limit of calls.
        case busy
        /// Both users call each other, and the peer's call is the one to keep: this own call becomes the peer's call.
        case yield(CallKey)
        /// The invite was sent this many ms ago, longer than its ring timeout.
        case expired(milliseconds: Int)
        /// The sender must be informed that there is no such call.
        case unknownCall
        /// The message is dropped.
        case stray(String)
    }

    private(set) var active: [CallKey: Active] = [:]
    /// The calls that are over.
    private var ended = RecentSet<CallKey>(capacity: 1_024)
    /// Calls that ended before their invite arrived; kept apart, because anybody can send ends for any number of calls.
    private var endedEarly = RecentSet<CallKey>(capacity: 256)
    /// Calls of a peer that lost against this end's call to the same peer.
    private var passedOver = RecentSet<CallKey>(capacity: 64)
    let limit: Int

    /// How much two clocks may differ, in ms, when the age of an invite is checked.
    static let clockToleranceMs = 2_000.0

    package init(limit: Int) { self.limit = limit }

    var isFull: Bool { active.count >= limit }

    /// The call of `peer` that rings or is about to ring, if there is one.
    func ringing(from peer: String) -> CallKey? { open(with: peer, as: .callee) }

    private func open(with peer: String, as role: CallRole) -> CallKey? {
        active.filter { $0.key.peer == peer && $0.value.role == role && $0.value.isOpen }.keys
            .min { $0.callId < $1.callId }
    }

    /// Adds a call; false when the limit is reached or the id is known.
    package mutating func add(_ key: CallKey, _ call: Active) -> Bool {
        guard !isFull, active[key] == nil, !ended.contains(key), !endedEarly.contains(key) else { return false }
        // The server's messages about a call name no peer, so the calls that this end places need distinct ids.
        guard call.role == .callee || !active.keys.contains(where: { $0.callId == key.callId }) else { return false }
        active[key] = call
        return true
    }

    package mutating func note(_ state: CallState, of key: CallKey) { active[key]?.state = state }

    package mutating func end(_ key: CallKey) { if active.removeValue(forKey: key) != nil { ended.insert(key) } }

    /// A call of this end continues under the id of the peer's call.
    package mutating func adopt(_ id: String, insteadOf old: CallKey) {
        guard var call = active.removeValue(forKey: old) else { return }
        call.role = .callee
        active[CallKey(peer: old.peer, callId: id)] = call
        ended.insert(old)
    }

    /// Routes `message`; `unixMs` is now, by the clock of the message time stamps.
    package mutating func route(_ message: SignalingMessage, unixMs: Double) -> Route {
        let key = message.receivedKey
        if active[key] != nil { return .call(key) }
        // An error of the server has no sender.
        if message.from.isEmpty {
            let keys = active.keys.filter { $0.callId == message.callId }
            guard let key = keys.first(where: { active[$0]?.role == .caller }) ?? keys.min(by: { $0.peer < $1.peer })
            else { return .stray("an error about no call of ours") }
            return .call(key)
        }
        switch message.body {
        case .invite(let invite): return route(invite, message, unixMs)
        case .query, .accept:
            // The peer will notice by itself that its call lost.
            return passedOver.contains(key) ? .stray("a call that lost against an own one") : .unknownCall
        case .cancel, .hangup, .reject:
            // The message may have overtaken its invite, which must not ring then.
            endedEarly.insert(key)
            return .stray("the end of a call that is none of ours")
        default: return .stray("a message for no call of ours")
        }
    }

    private mutating func route(
        _ invite: SignalingMessage.Invite, _ message: SignalingMessage, _ unixMs: Double
    ) -> Route {
        let key = message.receivedKey
        guard !ended.contains(key), !endedEarly.contains(key) else { return .stray("an invite to a call that is over") }
        let age = unixMs - message.sentUnixMs
        guard message.sentUnixMs == 0 || age <= Double(invite.ringTimeoutMs) + Self.clockToleranceMs else {
            return .expired(milliseconds: Int(min(age, 1e12)))
        }
        if let own = open(with: message.from, as: .caller) {
            if message.callId < own.callId { return .yield(own) }
            passedOver.insert(key)
            return .stray("the peer's call, which yields to the own one")
        }
        return isFull ? .busy : .ring
    }
}
