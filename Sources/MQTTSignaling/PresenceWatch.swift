internal import CallAgent
internal import CallProtocol
internal import Logging

/// The presence of others: the subscriptions for it, and the stream of the application that watches it.
///
/// For one actor.
final class PresenceWatch {
    /// A device at the other end of a call is signed in no more, or as another program than `session`; nil: its note was not known.
    typealias Gone = (callId: String, device: Device, session: String?)

    private let topics: Topics
    /// What this device is always subscribed to.
    private let ownFilters: [String]
    private let logger: Logger
    private var rules = WatchedPresence()
    private var application: AsyncStream<Presence>.Continuation?

    init(_ account: MQTTAccount, ownFilters: [String], logger: Logger) {
        (topics, self.ownFilters, self.logger) = (account.topics, ownFilters, logger)
    }

    /// Whom the application watches.
    var whom: WatchedPresence.Whom? { rules.whom }

    /// Whether the same program is signed in again.
    func isBack(_ gone: Gone) -> Bool {
        let present = rules.session(of: gone.device)
        return present != nil && (gone.session == nil || present == gone.session)
    }

    func sent(_ message: SignalingMessage) { rules.sent(message) }

    func received(_ message: SignalingMessage, from sender: Device, as device: String) {
        rules.received(message, from: sender, as: device)
    }

    // MARK: The application

    /// Watches these users; a former stream ends.
    func begin(_ whom: WatchedPresence.Whom) -> AsyncStream<Presence> {
        application?.finish()
        let (stream, inbox) = AsyncStream<Presence>.makeStream(bufferingPolicy: .bufferingNewest(4_096))
        (application, rules.whom) = (inbox, whom)
        return stream
    }

    /// The broker refused to let these users be watched, unless others are watched by now.
    func refused(_ whom: WatchedPresence.Whom) {
        guard rules.whom == whom else { return }
        application?.finish()
        rules.whom = nil
    }

    /// Reports the presence of all users that are watched; from now on changes are reported.
    func reportAll() { _ = report(rules.reportAll()) }

    func finish() { application?.finish() }

    private func report(_ reports: [WatchedPresence.Report]) -> [Gone] {
        reports.compactMap { report in
            switch report {
            case .gone(let callId, let device, let session): return (callId, device, session)
            case .presence(let presence):
                application?.yield(presence)
                return nil
            }
        }
    }

    // MARK: Notes and subscriptions

    /// Takes a note, nil for the end of one.
    func take(
        _ note: PresenceNote?, of device: Device, isRetained: Bool, at now: Int, unixMs: Double
    ) -> [Gone] {
        report(rules.take(note, of: device, isRetained: isRetained, at: now, unixMs: unixMs))
    }

    /// Removes the notes that nobody renewed in time.
    func expire(at now: Int) -> [Gone] { report(rules.expire(at: now)) }

    /// A new connection, which has no subscriptions yet.
    func connectionBegan(at now: Int) { rules.begin(at: now) }

    /// Subscribes to the presence that matters after a message of a call.
    ///
    /// Not before an invite is answered: what follows waits while the broker makes a subscription, which takes some of them half a second, and then
    /// the caller repeats the invite.
    func updateSubscriptions(on connection: BrokerConnection, after message: SignalingMessage) {
        switch message.body {
        case .invite, .ack: break
        default: updateSubscriptions(on: connection)
        }
    }

    /// Subscribes to the presence that matters now, and to no other; `outcome` gets the broker's reason code.
    func updateSubscriptions(on connection: BrokerConnection, _ outcome: @escaping BrokerConnection.Outcome = { _ in })
    {
        let (added, removed) = rules.changeFilters(topics)
        for filter in removed where !ownFilters.contains(filter) { connection.unsubscribe(filter) }
        guard !added.isEmpty else { return outcome(0) }
        connection.subscribe(added) { [logger] reason in
            if let reason, reason >= 0x80 { logger.warning("the broker refuses to show who is signed in") }
            outcome(reason)
        }
    }
}
