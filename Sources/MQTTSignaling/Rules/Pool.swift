internal import CallAgent
internal import CallProtocol

/// This device as a member of a pool: the devices of one user share the user's calls, and each call rings at one of them.
///
/// Which one gets an invite, the broker decides by a shared subscription, or the members by their presence. A member whose agent is busy passes the
/// invite on, and the caller hears `busy` only when no member is free.
struct Pool: Sendable {
    /// What to do with an invite that arrived.
    enum Receipt: Sendable, Equatable {
        /// Hand it to the agent.
        case take
        /// It is for another member.
        case ignore
        /// The agent has refused it before.
        case passOn(Passing)
    }

    /// What to do with a message of the agent.
    enum Sending: Sendable, Equatable {
        /// Send these acknowledgements, and then the message.
        case send(after: [String])
        /// Send it later, or never.
        case hold
        /// Another member gets the invite, and the agent's refusal is not sent.
        case passOn(Passing)
    }

    /// How a refused invite goes on.
    enum Passing: Sendable, Equatable {
        /// To this member.
        case to(Device, invite: String)
        /// No member is free: the caller gets the refusal, after these acknowledgements.
        case refuse(after: [String], refusal: String)
    }

    /// How many calls are remembered; beyond that the oldest is forgotten.
    static let maximumCalls = 4_096
    /// How many members are known; further ones get no call that is passed on.
    static let maximumMembers = 1_024

    private enum Phase {
        /// Other members were to take the copies of the invite that came so far.
        case seen
        /// The agent has the invite and has not answered.
        case offered
        /// The agent has answered.
        case taken
        /// The agent has refused it, and no member was free.
        case refused
        /// Another member has it.
        case passedOn
    }

    private struct Entry {
        /// Empty when nobody else can get it any more.
        var invite: String
        var phase = Phase.seen
        /// How many copies of the invite arrived.
        var copies = 0
        /// The agent's acknowledgements, until it is clear that this member keeps the call: without one the caller repeats the invite, and so reaches
        /// another member when the one that has it vanished.
        var acknowledgements: [String] = []
        var isAcknowledged = false
        /// The agent's refusal, which was not sent.
        var refusal = ""
        /// The members that have had the invite.
        var tried: Set<Device> = []

        mutating func takeAcknowledgements() -> [String] {
            defer { acknowledgements = [] }
            return acknowledgements
        }
    }

    private let own: Device
    private var members = PresenceBook(maximumUsers: 1, maximumDevices: maximumMembers)
    private var calls: [CallKey: Entry] = [:]
    private var order: [CallKey] = []
    /// Whether this member takes calls, as far as is known; nil when it has left the pool.
    private(set) var isFree: Bool? = true

    init(_ own: Device) { self.own = own }

    // MARK: Members

    /// Takes a note of a member, nil for the end of one.
    mutating func take(_ note: PresenceNote?, of member: Device, isRetained: Bool, at now: Int, unixMs: Double) {
        _ = members.take(note, of: member, isRetained: isRetained, at: now, unixMs: unixMs)
    }

    /// How many members are known.
    var memberCount: Int { members.availability(of: own.user).count }

    /// A new connection: members that were there before count until `end`, unless they renew their notes.
    mutating func doubt(until end: Int) { members.doubt(until: end) }

    /// Forgets the members that did not renew their notes in time, and takes calls again: nobody says when an agent is no more busy.
    mutating func renew(at now: Int) {
        for device in members.expired(at: now) { _ = members.remove(device) }
        if isFree != nil { isFree = true }
    }

    /// Takes no more calls.
    mutating func leave() { isFree = nil }

    /// The members in the order in which they should take a call: free ones first, and for each call another one of them.
    private func ranking(_ call: CallKey, onlyFree: Bool = false) -> [Device] {
        let known = members.availability(of: own.user).filter { $0.device != own.device } + [(own.device, isFree)]
        return known.compactMap { name, isFree -> (isBusy: Bool, hash: UInt64, name: String)? in
            guard let isFree, isFree || !onlyFree else { return nil }
            return (!isFree, Self.hash("\(call.peer)/\(call.callId)/\(name)"), name)
        }
        .sorted { ($0.isBusy ? 1 : 0, $0.hash, $0.name) < ($1.isBusy ? 1 : 0, $1.hash, $1.name) }
        .map { Device(user: own.user, device: $0.name) }
    }

    /// FNV-1a, which is the same in all members, with its bits mixed: texts here differ in their last letters only.
    private static func hash(_ text: String) -> UInt64 {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let mixed = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
        return mixed ^ (mixed >> 33)
    }

    // MARK: Calls

    /// Takes an invite.
    ///
    /// - Parameters:
    ///   - isForEach: whether all members got this copy, so that one of them has to be chosen; the next copy is for the next one.
    ///   - member: who passed it on, and so does not take it; its note may not say yet that it is busy.
    mutating func receive(
        invite: String, of call: CallKey, isForEach: Bool, passedOnBy member: Device? = nil
    ) -> Receipt {
        var entry = calls[call] ?? remember(call, invite)
        defer { calls[call] = entry }
        if let member, entry.tried.count < Self.maximumMembers { entry.tried.insert(member) }
        if isForEach {
            entry.copies += 1
            let ranking = ranking(call)
            guard !ranking.isEmpty, ranking[(entry.copies - 1) % ranking.count] == own else { return .ignore }
        }
        switch entry.phase {
        case .seen:
            entry.phase = .offered
            return .take
        case .offered, .taken, .refused: return .take
        case .passedOn: return .passOn(passOn(call, &entry))
        }
    }

    /// Whether a message for all members belongs to a call that this one has.
    func has(_ call: CallKey) -> Bool {
        switch calls[call]?.phase {
        case .offered, .taken, .refused: true
        case .seen, .passedOn, nil: false
        }
    }

    /// Takes a message of the agent.
    mutating func send(_ message: SignalingMessage, _ text: String) -> Sending {
        let call = message.sentKey
        guard var entry = calls[call] else { return .send(after: []) }
        defer { calls[call] = entry }
        switch (entry.phase, message.body) {
        case (.passedOn, _): return .hold
        case (.offered, .ack) where !entry.isAcknowledged:
            entry.acknowledgements.append(text)
            return .hold
        case (.offered, .ack): return .send(after: [])
        case (.offered, .reject(let farewell)) where farewell.code == EndReason.remoteBusy.code:
            if isFree != nil { isFree = false }
            entry.refusal = text
            return .passOn(passOn(call, &entry))
        case (.offered, _):
            entry.phase = .taken
            entry.invite = ""
            return .send(after: entry.takeAcknowledgements())
        case (.taken, .hangup), (.taken, .reject): noteEnd()
        default: break
        }
        return .send(after: [])
    }

    /// The time to decide is over: returns the acknowledgements that wait.
    mutating func acknowledge(_ call: CallKey) -> [String] {
        guard calls[call]?.phase == .offered else { return [] }
        calls[call]?.isAcknowledged = true
        return calls[call]?.takeAcknowledgements() ?? []
    }

    /// The member that a call was passed on to is not there: returns how it goes on.
    mutating func passOnAgain(_ call: CallKey) -> Passing? {
        guard var entry = calls[call], entry.phase == .passedOn else { return nil }
        defer { calls[call] = entry }
        return passOn(call, &entry)
    }

    /// The peer ended a call.
    mutating func ended(_ call: CallKey) { if calls[call]?.phase == .taken { noteEnd() } }

    private mutating func noteEnd() { if isFree != nil { isFree = true } }

    private func passOn(_ call: CallKey, _ entry: inout Entry) -> Passing {
        let free = ranking(call, onlyFree: true)
        guard let next = free.first(where: { $0 != own && !entry.tried.contains($0) }) else {
            entry.phase = .refused
            entry.invite = ""
            return .refuse(after: entry.takeAcknowledgements(), refusal: entry.refusal)
        }
        entry.tried.insert(next)
        entry.phase = .passedOn
        return .to(next, invite: entry.invite)
    }

    private mutating func remember(_ call: CallKey, _ invite: String) -> Entry {
        order.append(call)
        if order.count > Self.maximumCalls { calls[order.removeFirst()] = nil }
        return Entry(invite: invite)
    }
}
