internal import CallProtocol

/// The rules of the server: who is signed in, which call belongs to whom, where a message goes.
///
/// A plain value without sockets, clocks or threads. Facts go in, actions come out.
struct Switchboard: Sendable {
    let policy: SwitchboardPolicy
    /// Every connection whose messages are still accepted.
    var lines: [ConnectionID: Line] = [:]
    /// The signed-in connections: by user, then by device.
    var devices: [String: [String: ConnectionID]] = [:]
    var calls = CallBook()
    var known: RecentSet<String>
    var presence = PresenceBook()
    /// The users and tokens that may not sign in.
    private(set) var denied = DenyList()
    private var nextConnection: UInt64 = 0
    private var nextMessage: UInt64 = 0

    /// One connection; with a seat once it is signed in.
    struct Line: Sendable {
        var rate: MessageRate
        var seat: Seat?
        /// What it gets when the relay takes it.
        var entering: Seat?
    }

    init(policy: SwitchboardPolicy = SwitchboardPolicy()) {
        self.policy = policy
        known = RecentSet(capacity: policy.rememberedUsers)
    }

    /// The user and device that `connection` is signed in as.
    func party(of connection: ConnectionID) -> Party? { lines[connection]?.seat?.party }

    /// The number of signed-in devices.
    var deviceCount: Int { devices.values.reduce(0) { $0 + $1.count } }

    // MARK: Facts

    /// A client connected.
    mutating func opened(at now: Moment) -> ConnectionID {
        nextConnection += 1
        let connection = ConnectionID(number: nextConnection)
        let rate = MessageRate(
            perSecond: policy.messagesPerSecond, burst: policy.messageBurst, uptimeMs: now.uptimeMs)
        lines[connection] = Line(rate: rate)
        return connection
    }

    /// A frame of any kind arrived, whole messages included.
    mutating func receivedFrame(on connection: ConnectionID, at now: Moment) -> [SwitchboardAction] {
        guard lines[connection]?.rate.frame(at: now.uptimeMs) == false else { return [] }
        return [.throwOut(connection, text: "more than ten times the allowed rate of messages")]
    }

    /// A text arrived; called before the text is parsed, because parsing costs more than anything else here.
    ///
    /// - Returns: nil if the text may be parsed, otherwise the actions to do instead.
    mutating func tooFast(_ connection: ConnectionID, at now: Moment) -> [SwitchboardAction]? {
        switch lines[connection]?.rate.message(at: now.uptimeMs) {
        case .pass: return nil
        case .drop(isReported: true):
            guard let party = party(of: connection) else { return [] }
            let text = "more than \(policy.messagesPerSecond) messages a second; what is beyond is dropped"
            let fault = ServerMessage.Fault(code: 429, text: text)
            return [.send(.error(fault, id: newMessageId(), to: party.user, unixMs: now.unixMs), to: connection)]
        case .drop(isReported: false), nil: return []
        }
    }

    /// A text arrived; `envelope` is nil when it is not a JSON object.
    mutating func received(
        _ envelope: Envelope?, on connection: ConnectionID, at now: Moment
    ) -> [SwitchboardAction] {
        // Messages of a refused client are ignored until its connection is closed.
        guard let line = lines[connection] else { return [] }
        guard line.entering == nil else { return [] }
        guard let seat = line.seat else { return signIn(envelope, on: connection, at: now) }
        let envelope = envelope ?? Envelope()
        switch envelope.version == 1 ? envelope.type : nil {
        case "renew": return renew(envelope, of: seat, on: connection, at: now)
        case "watch": return watch(envelope, of: seat, on: connection)
        default: return route(envelope, of: seat, on: connection, at: now)
        }
    }

    /// The time to sign in is over.
    mutating func signInTimedOut(_ connection: ConnectionID) -> [SwitchboardAction] {
        guard let line = lines[connection], line.seat == nil else { return [] }
        let text = line.entering == nil ? "no sign-in came in time" : "the broker did not answer in time"
        return refuse(connection, code: 408, text: text)
    }

    /// A connection closed, or is about to: nothing is sent to it any more.
    ///
    /// A client that fell silent may be alive behind a broken network: its calls are not reported as gone.
    mutating func closed(
        _ connection: ConnectionID, isSilent: Bool = false, at now: Moment
    ) -> [SwitchboardAction] {
        guard let line = lines.removeValue(forKey: connection) else { return [] }
        presence.forget(connection)
        guard let seat = line.seat else { return [] }
        return leave(seat, isSilent: isSilent, at: now)
    }

    /// Replaces the deny list and closes the connections that it denies.
    mutating func deny(_ list: DenyList) -> [SwitchboardAction] {
        denied = list
        let out = lines.filter { line in
            (line.value.seat ?? line.value.entering).map { list.denies($0.party.user, tokenID: $0.tokenID) } == true
        }
        return out.keys.sorted { $0.number < $1.number }.map { .close($0, text: DenyList.refusal) }
    }

    /// The calls that ended since the last call of this method, in order; called after each fact.
    mutating func takeEndedCalls() -> [CallRecord] { calls.takeEnded() }

    // MARK: Pieces

    /// Removes a seat and notifies the other ends of its calls and its watchers.
    mutating func leave(_ seat: Seat, isSilent: Bool = false, at now: Moment) -> [SwitchboardAction] {
        let party = seat.party
        devices[party.user]?[party.device] = nil
        if devices[party.user]?.isEmpty == true { devices[party.user] = nil }
        let gone = calls.left(party, at: now).compactMap { witness -> SwitchboardAction? in
            guard !isSilent, let receiver = devices[witness.party.user]?[witness.party.device] else { return nil }
            let message = ServerMessage.gone(
                id: newMessageId(), callId: witness.callId, from: party, to: witness.party.user, unixMs: now.unixMs)
            return .send(message, to: receiver)
        }
        return gone + announce(seat)
    }

    /// Sends the watchers of the user of `seat` the current devices.
    func announce(_ seat: Seat) -> [SwitchboardAction] {
        guard seat.anonymous == nil else { return [] }
        let watchers = presence.watchers(of: seat.party.user)
        guard !watchers.isEmpty else { return [] }
        let message = presenceMessage(of: seat.party.user)
        return watchers.map { .send(message, to: $0) }
    }

    /// The presence of a user; users without an account are never present.
    func presenceMessage(of user: String) -> ServerMessage {
        let present = (devices[user] ?? [:]).filter { lines[$0.value]?.seat?.anonymous == nil }
        return .presence(user: user, devices: present.keys.sorted())
    }

    mutating func newMessageId() -> String {
        nextMessage += 1
        return "server-\(nextMessage)"
    }
}
