import CallAgent
import Logging
import Testing
import WebSocketSignaling

/// A ``WebSocketTransport`` whose events are collected.
struct ClientUnderTest {
    let transport: WebSocketTransport
    /// All events except the server's times, which are in ``clocks``.
    let events = Mailbox<SignalingTransportEvent>()
    let clocks = Mailbox<Double>()

    /// Makes a client with short pauses.
    init(
        port: Int, path: String = "/", scheme: String = "ws", host: String = "127.0.0.1", device: String? = nil,
        logger: Logger = quietLogger, configure: (inout WebSocketTransportConfiguration) -> Void = { _ in },
        token: (@Sendable () async throws -> String)? = nil
    ) {
        var configuration = WebSocketTransportConfiguration()
        configuration.shortestRetryDelay = .milliseconds(5)
        configuration.longestRetryDelay = .milliseconds(50)
        configure(&configuration)
        transport = WebSocketTransport(
            url: "\(scheme)://\(host):\(port)\(path)", device: device, token: token, configuration: configuration,
            logger: logger)
        let (stream, events, clocks) = (transport.events, events, clocks)
        Task {
            for await event in stream {
                if case .clock(let unixMs) = event { clocks.put(unixMs) } else { events.put(event) }
            }
            events.finish()
        }
    }

    /// Makes a signed-in client.
    static func signedIn(
        _ user: String, device: String? = nil, token: (@Sendable () async throws -> String)? = nil, port: Int
    ) async throws -> ClientUnderTest {
        let client = ClientUnderTest(port: port, device: device, token: token)
        try await client.transport.connect(as: user)
        return client
    }

    /// The text of the next event, which must be a message.
    func message() async throws -> String? {
        let event = try await events.next()
        guard case .received(let text) = event else {
            Issue.record("expected a message, got \(String(describing: event))")
            return nil
        }
        return text
    }

    /// The text of the next event, which must be the loss of the connection.
    func loss() async throws -> String? {
        let event = try await events.next()
        guard case .disconnected(let text) = event else {
            Issue.record("expected the loss of the connection, got \(String(describing: event))")
            return nil
        }
        return text
    }
}
