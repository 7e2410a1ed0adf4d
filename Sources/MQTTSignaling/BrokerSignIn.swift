internal import CallAgent
internal import Logging

/// Signs in at a broker: at which node, with which password and version of MQTT, and what has to work before it counts.
///
/// For one actor.
final class BrokerSignIn {
    private let configuration: MQTTTransportConfiguration
    private let logger: Logger
    private var password: MQTTPassword
    private var version = BrokerSettings.Version.v5
    /// Which of the broker's nodes is next.
    private var node = 0
    /// How long the last one took.
    private(set) var duration = Duration.zero

    init(_ configuration: MQTTTransportConfiguration, password: MQTTPassword, logger: Logger) {
        (self.configuration, self.password, self.logger) = (configuration, password, logger)
    }

    /// The next sign-ins use this token, or with nil the provider's.
    func use(token: String?) { password.renewed = token }

    /// A connection to a node was lost: the next one is tried.
    func nodeWasLost() { node += 1 }

    /// Connects, subscribes and publishes the presence: at the first node that can be reached, and with an older version of MQTT if the broker has
    /// no other.
    ///
    /// `begin` gets each connection before it is opened, and throws when no connection is wanted any more.
    nonisolated(nonsending) func run(
        _ registration: MQTTRegistration, unixMs: () -> Double,
        begin: (BrokerConnection) throws(BrokerFailure) -> Void
    ) async throws(SignalingError) {
        let address = registration.account.address
        let password = try await password.current(within: configuration.connectTimeout)
        if password != nil { for node in address.nodes { self.password.warnIfPlain(node, logger) } }
        var failure = BrokerFailure.closed
        for next in order(of: address.nodes.count) {
            let (url, start) = (address.nodes[next], ContinuousClock.now)
            node = next
            do throws(BrokerFailure) {
                do throws(BrokerFailure) {
                    try await attempt(registration, url, password, unixMs, begin)
                } catch {
                    guard error == .unsupportedVersion, version == .v5 else { throw error }
                    version = .v311
                    try await attempt(registration, url, password, unixMs, begin)
                }
                duration = .now - start
                configuration.nodes?.worked(next)
                return
            } catch {
                failure = error
                // Another node would say the same.
                guard case .unreachable = error else { break }
                configuration.nodes?.failed(next)
                nodeWasLost()
            }
        }
        throw failure.signalingError(address.text, hasPassword: password != nil)
    }

    /// The numbers of the nodes, in the order in which they are tried.
    private func order(of count: Int) -> [Int] {
        let own = (0..<count).map { (node + $0) % count }
        return configuration.nodes?.order(own) ?? own
    }

    nonisolated(nonsending) private func attempt(
        _ registration: MQTTRegistration, _ url: SignalingURL, _ password: String?, _ unixMs: () -> Double,
        _ begin: (BrokerConnection) throws(BrokerFailure) -> Void
    ) async throws(BrokerFailure) {
        let settings = registration.account.settings(url, version, configuration, password: password)
        let connection = BrokerConnection(settings)
        try begin(connection)
        let limit = configuration.connectTimeout
        let late = BrokerFailure.unreachable(text: "no answer within \(limit)")
        let timer = connection.deadline(limit, late)
        defer { timer.cancel() }
        do throws(BrokerFailure) {
            try await connection.open()
            try await registration.enter(connection, unixMs: unixMs())
            guard let failure = connection.failure else { return }
            guard failure == late else { throw failure }
            throw .refused(
                reason: 0x87, text: "the broker delivers nothing to this user; do its access rules allow that?")
        } catch {
            connection.abandon(.closed)
            throw error
        }
    }
}

extension MQTTRegistration {
    /// Subscribes, publishes the presence and waits until it has come back, or the connection ended.
    nonisolated(nonsending) fileprivate func enter(
        _ connection: BrokerConnection, unixMs: Double
    ) async throws(BrokerFailure) {
        guard let granted = await subscribe(on: connection) else { throw connection.failure ?? .closed }
        guard granted < 0x80 else {
            throw .refused(reason: granted, text: "the broker refuses the topics of this user")
        }
        let (published, number) = await own.published(on: connection, unixMs: unixMs, isFirst: true)
        guard let published else { throw connection.failure ?? .closed }
        guard published < 0x80 else {
            throw .refused(reason: published, text: "the broker refuses the presence of this user")
        }
        await own.wait(for: number, on: connection)
    }
}
