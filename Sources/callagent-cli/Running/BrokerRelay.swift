internal import CallAgent
internal import Logging
internal import MQTTSignaling
internal import SignalingServer
internal import Synchronization

/// Signs the clients of a signaling server in at an MQTT broker, each by a connection of its own.
struct BrokerRelay: SignalingRelay {
    let url: String
    /// The password of the server's own account; nil: each client has one.
    let passwordFile: String?
    let trustRootsFile: String?
    let logger: Logger
    /// How long a client that fell silent counts as signed in.
    var presenceValidity = MQTTTransportConfiguration().presenceValidity
    /// So that a client's sign-in does not wait for a node that has just let another one wait in vain.
    private let nodes = BrokerNodes()

    /// Less than the server gives a client for its sign-in.
    private static let connectTimeout: Duration = .seconds(4)

    func enter(
        user: String, device: String, token: String?, session: String
    ) async throws(RelayError) -> any RelaySeat {
        var configuration = MQTTTransportConfiguration()
        configuration.connectTimeout = Self.connectTimeout
        configuration.trustRootsFile = trustRootsFile
        configuration.presenceValidity = presenceValidity
        (configuration.session, configuration.nodes) = (session, nodes)
        var password: (@Sendable () async throws -> String)?
        if let passwordFile {
            password = { try TokenFile.read(passwordFile) }
        } else if let token {
            password = { token }
        }
        let transport = MQTTTransport(
            url: url, device: device, token: password, configuration: configuration, logger: logger)
        do throws(SignalingError) {
            try await transport.connect(as: user)
        } catch {
            await transport.close()
            logger.notice("the broker did not take a client", metadata: ["user": "\(user)", "reason": "\(error)"])
            // What is wrong with the server's own account, and where it is kept, is not the client's affair.
            if passwordFile != nil, case .signInRefused(let code, _) = error, [401, 403].contains(code) {
                throw .unreachable(text: "the broker does not take this server")
            }
            throw RelayError(error)
        }
        return BrokerSeat(transport)
    }
}

/// A client at the broker.
private final class BrokerSeat: RelaySeat {
    private let transport: MQTTTransport
    private let watching = Mutex<Task<Void, Never>?>(nil)

    init(_ transport: MQTTTransport) { self.transport = transport }

    func receive(_ receiver: @escaping @Sendable (RelayEvent) async -> Void) async {
        for await event in transport.events {
            switch event {
            case .received(let text): await receiver(.received(text))
            // The client signs in again, perhaps at a server that still has the broker: no state is kept for it here.
            case .disconnected: await receiver(.ended(text: "the broker is gone"))
            case .ended(let error): await receiver(.ended(text: error.closeText))
            case .reconnected, .clock, .tokenWillExpire, .tokenRenewed, .tokenNotRenewed, .iceServers: break
            }
        }
    }

    func send(_ text: String, to user: String, taken: @escaping @Sendable () -> Void) async {
        await transport.forward(text, taken: taken)
    }

    func watch(
        _ users: [String]?, _ receiver: @escaping @Sendable (RelayEvent) async -> Void
    ) async throws(RelayError) {
        let changes: AsyncStream<Presence>
        do throws(SignalingError) {
            if let users {
                changes = try await transport.watch(users)
            } else {
                changes = try await transport.watchEverybody()
            }
        } catch {
            throw RelayError(error)
        }
        let next = Task {
            for await change in changes { await receiver(.presence(user: change.user, devices: change.devices)) }
        }
        watching.withLock { present in
            present?.cancel()
            present = next
        }
    }

    func leave(isSilent: Bool) async {
        if isSilent { await transport.closeSilently() } else { await transport.close() }
    }
}

extension RelayError {
    fileprivate init(_ error: SignalingError) {
        switch error {
        case .signInRefused(let code, let text): self = .refused(code: code, text: "the broker: \(text)")
        default: self = .unreachable(text: "the broker cannot be reached")
        }
    }
}

extension SignalingError {
    /// The text of the close frame; a client recognises a replacement by the first word.
    fileprivate var closeText: String {
        if case .replaced(let text) = self { "replaced by \(text)" } else { "the broker ended the sign-in" }
    }
}
