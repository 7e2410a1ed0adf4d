import CallAgent
import Logging
import Testing
import WebSocketSignaling

/// A ``WebSocketSignaling`` whose events are collected.
struct ClientUnderTest {
    let transport: WebSocketSignaling
    let events = Mailbox<SignalingTransportEvent>()

    /// Makes one with pauses that suit a test.
    init(
        port: Int, path: String = "/", configure: (inout WebSocketSignalingConfiguration) -> Void = { _ in }
    ) {
        var configuration = WebSocketSignalingConfiguration()
        configuration.shortestRetryDelay = .milliseconds(5)
        configuration.longestRetryDelay = .milliseconds(50)
        configure(&configuration)
        transport = WebSocketSignaling(
            url: "ws://127.0.0.1:\(port)\(path)", configuration: configuration, logger: quietLogger)
        let (stream, events) = (transport.events, events)
        Task {
            for await event in stream { events.put(event) }
            events.finish()
        }
    }

    /// Makes one that is signed in.
    static func signedIn(_ user: String, port: Int) async throws -> ClientUnderTest {
        let client = ClientUnderTest(port: port)
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
