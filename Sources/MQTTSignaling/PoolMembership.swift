internal import CallProtocol

/// This device in the pool of its user: its subscription, and what it publishes because of ``Pool``.
///
/// For one actor.
final class PoolMembership {
    /// How long an agent may take to answer an invite before its acknowledgement is sent, so that the caller does not repeat it.
    private static let decisionTime = Duration.milliseconds(250)

    private let account: MQTTAccount
    private var rules: Pool
    /// What this member is subscribed to for invites.
    private var filter: String?
    /// Whether the broker gives each invite to one member.
    private var isDistributed = false
    /// Whether a note is about to be published for a member that has just connected.
    private var isAnswering = false

    init(_ account: MQTTAccount) { (self.account, rules) = (account, Pool(account.device)) }

    /// Whether this member takes calls, for its notes.
    var isFree: Bool? { rules.isFree }

    // MARK: Subscription

    /// Subscribes to invites; returns the reason code, or nil when the connection ended.
    nonisolated(nonsending) func subscribe(on connection: BrokerConnection) async -> Int32? {
        filter = nil
        guard connection.sharesSubscriptions else { return await subscribe(on: connection, isShared: false) }
        let granted = await subscribe(on: connection, isShared: true)
        // A broker whose access rules know nothing of shared subscriptions.
        guard let granted, granted >= 0x80 else { return granted }
        return await subscribe(on: connection, isShared: false)
    }

    nonisolated(nonsending) private func subscribe(on connection: BrokerConnection, isShared: Bool) async -> Int32? {
        guard rules.isFree != nil else { return 0 }
        let filter = account.topics.invites(to: account.device.user, isShared: isShared)
        // Before the answer: invites may come with it, and this device may leave meanwhile.
        (self.filter, isDistributed) = (filter, isShared)
        return await connection.subscribe([filter])
    }

    /// Takes no more calls.
    func leave(_ connection: BrokerConnection?) {
        rules.leave()
        if let filter = filter.take() { connection?.unsubscribe(filter) }
    }

    // MARK: Members

    /// Whether it shows its note to members that have just connected, also to those that did during its own sign-in.
    var answersNotes: Bool { !isDistributed && isFree != nil }

    /// Takes a note, nil for the end of one; returns whether to publish the own one after ``pauseBeforeAnswer()``.
    ///
    /// The members of a broker that does not distribute have to know each other, and a cluster may not show a member that has just connected what was
    /// retained at other nodes.
    func take(_ note: PresenceNote?, of member: Device, isRetained: Bool, at now: Int, unixMs: Double) -> Bool {
        guard member.user == account.device.user else { return false }
        rules.take(note, of: member, isRetained: isRetained, at: now, unixMs: unixMs)
        guard note?.first == true, !isRetained, member != account.device, answersNotes, !isAnswering
        else { return false }
        isAnswering = true
        return true
    }

    /// All members together publish some hundred notes a second, however many there are.
    nonisolated(nonsending) func pauseBeforeAnswer() async {
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...10 * rules.memberCount)))
        isAnswering = false
    }

    func connectionBegan(at now: Int) { rules.doubt(until: now + WatchedPresence.graceMs) }

    func renew(at now: Int) { rules.renew(at: now) }

    // MARK: Messages

    /// The sender of an invite that another member passed on to this device; nil for any other message.
    func caller(of message: SignalingMessage?, passedOnBy sender: Device, via inbox: Topics.Inbox) -> Device? {
        guard let message, message.body.isInvite, case .device = inbox, sender.user == account.device.user,
            message.from != sender.user, let device = message.device
        else { return nil }
        return Device(user: message.from, device: device)
    }

    /// Takes a message, nil for one that cannot be read; returns whether the agent gets it, and what to publish.
    func receive(
        _ message: SignalingMessage?, _ text: String, from sender: Device, via inbox: Topics.Inbox
    ) -> (isForAgent: Bool, [Publication]) {
        if case .device = inbox, message?.body.isInvite != true {
            if let message { noteEnd(message) }
            return (true, [])
        }
        // An answer to what cannot be read would come from every member.
        guard let message else { return (false, []) }
        let call = message.receivedKey
        guard message.body.isInvite else {
            guard rules.has(call) else { return (false, []) }
            noteEnd(message)
            return (true, [])
        }
        let isForEach: Bool
        switch inbox {
        case .allDevices: return (false, [])
        case .device: isForEach = false
        case .invites: isForEach = !isDistributed
        }
        let member = caller(of: message, passedOnBy: sender, via: inbox).map { _ in sender }
        return switch rules.receive(invite: text, of: call, isForEach: isForEach, passedOnBy: member) {
        case .take: (true, [])
        case .ignore: (false, [])
        case .passOn(let passing): (false, publications(passing, of: call))
        }
    }

    private func noteEnd(_ message: SignalingMessage) {
        switch message.body {
        case .cancel, .hangup: rules.ended(message.receivedKey)
        default: break
        }
    }

    /// Takes a message of the agent; returns what to publish, and whether that takes the place of the message, which then needs an acknowledgement.
    func send(_ message: SignalingMessage, _ text: String) -> (publications: [Publication], isPassedOn: Bool) {
        switch rules.send(message, text) {
        case .hold: return ([], false)
        case .send(let acknowledgements):
            return (publications(acknowledgements) + [account.publication(of: message, text)], false)
        case .passOn(let passing):
            if case .to = passing { return (publications(passing, of: message.sentKey), true) }
            return (publications(passing, of: message.sentKey), false)
        }
    }

    /// Returns what to publish when the time to decide about a call is over.
    nonisolated(nonsending) func acknowledgeInTime(_ call: CallKey) async -> [Publication] {
        try? await Task.sleep(for: Self.decisionTime)
        return publications(rules.acknowledge(call))
    }

    /// The broker could not hand the invite to the member that it was passed on to.
    func passOnAgain(_ call: CallKey) -> [Publication] {
        rules.passOnAgain(call).map { publications($0, of: call) } ?? []
    }

    private func publications(_ passing: Pool.Passing, of call: CallKey) -> [Publication] {
        switch passing {
        case .refuse(let acknowledgements, let refusal): return publications(acknowledgements + [refusal])
        case .to(let member, let invite):
            let topic = account.topics.message(from: account.device, to: member.user, device: member.device)
            let expiry = (try? SignalingMessage(decoding: invite)).flatMap(account.expirySeconds)
            return [Publication(text: invite, topic: topic, expirySeconds: expiry, ifRefused: .passOn(call))]
        }
    }

    private func publications(_ texts: [String]) -> [Publication] {
        texts.compactMap { text in
            (try? SignalingMessage(decoding: text)).map { account.publication(of: $0, text) }
        }
    }
}
