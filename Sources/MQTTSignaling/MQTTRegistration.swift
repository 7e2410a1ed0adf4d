internal import CallProtocol
internal import Logging

/// What lasts from the first sign-in of a device on, across all of its connections.
///
/// For one actor.
struct MQTTRegistration {
    let account: MQTTAccount
    let own: OwnPresence
    let watch: PresenceWatch
    /// Nil for a device that takes every call of its user.
    let pool: PoolMembership?

    init(
        _ address: MQTTAddress, _ device: Device, isInPool: Bool, _ configuration: MQTTTransportConfiguration,
        unixMs: Double, logger: Logger
    ) {
        account = MQTTAccount(address, device)
        own = OwnPresence(
            topic: account.presenceTopic, claim: MQTTAccount.claim(configuration.session, unixMs: unixMs),
            validity: configuration.presenceValidity)
        pool = isInPool ? PoolMembership(account) : nil
        own.isFree = pool?.isFree
        watch = PresenceWatch(account, ownFilters: account.filters(isInPool: isInPool), logger: logger)
    }

    func connectionBegan(at now: Int) {
        watch.connectionBegan(at: now)
        pool?.connectionBegan(at: now)
    }

    /// Takes a note, nil for the end of one; returns which calls lost their peer, and whether to answer with the own note.
    func take(
        _ note: PresenceNote?, of device: Device, isRetained: Bool, at now: Int, unixMs: Double
    ) -> (gone: [PresenceWatch.Gone], isAnswered: Bool) {
        let isAnswered = pool?.take(note, of: device, isRetained: isRetained, at: now, unixMs: unixMs)
        let gone = watch.take(note, of: device, isRetained: isRetained, at: now, unixMs: unixMs)
        return (gone, isAnswered == true)
    }

    /// Subscribes to what this device always needs; returns the highest reason code, or nil when the connection ended.
    nonisolated(nonsending) func subscribe(on connection: BrokerConnection) async -> Int32? {
        let filters = account.filters(isInPool: pool != nil)
        guard let pool else {
            return await connection.subscribe(filters + [account.topics.invites(to: account.device.user)])
        }
        let granted = await connection.subscribe(filters)
        guard let granted, granted < 0x80 else { return granted }
        return await pool.subscribe(on: connection)
    }
}
