import CallAgent
import Logging
import Testing
import WebSocketSignaling

/// A ``WebSocketSignaling`` whose events are collected.
struct ClientUnderTest {
    let transport: WebSocketSignaling
    /// All but the times of the server, which are in ``clocks``.
    let events = Mailbox<SignalingTransportEvent>()
    let clocks = Mailbox<Double>()

    /// Makes one with pauses that suit a test.
    init(
        port: Int, path: String = "/", scheme: String = "ws", host: String = "127.0.0.1", device: String? = nil,
        logger: Logger = quietLogger, configure: (inout WebSocketSignalingConfiguration) -> Void = { _ in },
        token: (@Sendable () async throws -> String)? = nil
    ) {
        var configuration = WebSocketSignalingConfiguration()
        configuration.shortestRetryDelay = .milliseconds(5)
        configuration.longestRetryDelay = .milliseconds(50)
        configure(&configuration)
        transport = WebSocketSignaling(
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

    /// Makes one that is signed in.
    static func signedIn(
        _ user: String, device: String? = nil, token: (@Sendable () async throws -> String)? = nil, port: Int
    ) async throws -> ClientUnderTest {
        let client = ClientUnderTest(port: port, device: device, token: token)
        try await client.transport.connect(as: user)
        return client
    }

    /// The text of the next event, which has to be a message.
    func message() async throws -> String? {
        let event = try await events.next()
        guard case .received(let text) = event else {
            Issue.record("expected a message, got \(String(describing: event))")
            return nil
        }
        return text
    }

    /// The text of the next event, which has to be the loss of the connection.
    func loss() async throws -> String? {
        let event = try await events.next()
        guard case .disconnected(let text) = event else {
            Issue.record("expected the loss of the connection, got \(String(describing: event))")
            return nil
        }
        return text
    }
}
