/// Which call a message belongs to, and what becomes of an invite: the rules that concern more than one call.
///
/// A plain value.
struct CallRouting: Sendable {
    /// What is known of a call that has not ended.
    struct Active: Sendable, Equatable {
        var peer: String
        var role: CallRole
        var state: CallState
    }

    /// What becomes of a message.
    enum Route: Sendable, Equatable {
        /// It belongs to this call.
        case call(String)
        /// A new call rings.
        case ring
        /// This end has as many calls as it takes.
        case busy
        /// Both users call each other, and the peer's call is the one to keep: this own call becomes that one.
        case yield(String)
        /// The invite was sent longer ago than it was to ring, so many ms.
        case expired(milliseconds: Int)
        /// The sender is to know that there is no such call.
        case unknownCall
        /// Nobody is interested.
        case stray(String)
    }

    private(set) var active: [String: Active] = [:]
    /// The calls that are over, the oldest forgotten beyond a bound.
    private var ended = RecentSet(capacity: 1_024)
    /// Calls of a peer that lost against an own call to the same peer.
    private var passedOver = RecentSet(capacity: 64)
    let limit: Int

    /// How much two clocks may differ before an invite counts as older than it is, in ms.
    static let clockToleranceMs = 2_000.0

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { active.count >= limit }

    /// The call of `peer` that rings, or is about to, if there is one.
    func ringing(from peer: String) -> String? {
        active.filter { _, call in
            call.peer == peer && call.role == .callee && (call.state == .calling || call.state == .ringing)
        }.keys.min()
    }

    /// Lists a call; false when the limit is reached or the id is known.
    mutating func add(_ id: String, _ call: Active) -> Bool {
        guard !isFull, active[id] == nil, !ended.contains(id) else { return false }
        active[id] = call
        return true
    }

    mutating func note(_ state: CallState, of id: String) { active[id]?.state = state }

    mutating func end(_ id: String) { if active.removeValue(forKey: id) != nil { ended.insert(id) } }

    /// An own call goes on under the id of the peer's.
    mutating func adopt(_ id: String, insteadOf old: String) {
        guard var call = active.removeValue(forKey: old) else { return }
        call.role = .callee
        active[id] = call
        ended.insert(old)
    }

    /// What becomes of `message`, at `unixMs` of the clock by which messages are stamped.
    mutating func route(_ message: SignalingMessage, unixMs: Double) -> Route {
        if let call = active[message.callId] {
            // An error of the server has no sender.
            guard message.from == call.peer || message.from.isEmpty else {
                return .stray("a message of \(message.from) for a call with \(call.peer)")
            }
            return .call(message.callId)
        }
        switch message.body {
        case .invite(let invite): return route(invite, message, unixMs)
        case .query, .accept:
            // The peer will learn by itself that its call lost.
            return passedOver.contains(message.callId) ? .stray("a call that lost against an own one") : .unknownCall
        case .cancel, .hangup, .reject:
            // It may have overtaken its invite, which must not ring then.
            ended.insert(message.callId)
            return .stray("the end of a call that is none of ours")
        default: return .stray("a message for no call of ours")
        }
    }

    private mutating func route(
        _ invite: SignalingMessage.Invite, _ message: SignalingMessage, _ unixMs: Double
    ) -> Route {
        guard !ended.contains(message.callId) else { return .stray("an invite to a call that is over") }
        let age = unixMs - message.sentUnixMs
        guard message.sentUnixMs == 0 || age <= Double(invite.ringTimeoutMs) + Self.clockToleranceMs else {
            return .expired(milliseconds: Int(min(age, 1e12)))
        }
        let own = active.filter { id, call in
            call.peer == message.from && call.role == .caller && (call.state == .calling || call.state == .ringing)
        }.keys.min()
        if let own {
            if message.callId < own { return .yield(own) }
            passedOver.insert(message.callId)
            return .stray("the peer's call, which yields to the own one")
        }
        return isFull ? .busy : .ring
    }
}
