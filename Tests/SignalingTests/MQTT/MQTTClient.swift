import CallAgent
import Foundation
import Logging
import MQTTSignaling
import TestServers
import Testing

/// An ``MQTTTransport`` with short pauses, whose events are collected.
struct MQTTClient {
    let transport: MQTTTransport
    let events = Mailbox<SignalingTransportEvent>()

    init(
        _ url: String, device: String? = nil, isInPool: Bool = false, logger: Logger = quietLogger,
        configure: (inout MQTTTransportConfiguration) -> Void = { _ in },
        token: (@Sendable () async throws -> String)? = nil
    ) {
        var configuration = MQTTTransportConfiguration()
        configuration.shortestRetryDelay = .milliseconds(5)
        configuration.longestRetryDelay = .milliseconds(50)
        configuration.connectTimeout = .seconds(20)
        configure(&configuration)
        transport = MQTTTransport(
            url: url, device: device, isInPool: isInPool, token: token, configuration: configuration, logger: logger)
        let (stream, events) = (transport.events, events)
        Task {
            for await event in stream { events.put(event) }
            events.finish()
        }
    }

    /// Makes a signed-in client.
    static func signedIn(
        _ user: String, _ url: String, device: String? = nil, isInPool: Bool = false,
        configure: (inout MQTTTransportConfiguration) -> Void = { _ in }
    ) async throws -> MQTTClient {
        let client = MQTTClient(url, device: device, isInPool: isInPool, configure: configure)
        try await client.transport.connect(as: user)
        return client
    }

    /// Sends a `ringing`, which both the transport and the other end can read.
    func send(
        _ type: String = "ringing", id: String = "m1", call: String = "c1", from: String, to: String, extra: String = ""
    ) async throws {
        try await transport.send(
            callMessage(
                type, id: id, call: call, from: from, to: to, extra: #","generation":0,"sentUnixMs":0"# + extra),
            to: to)
    }

    /// The next event, which must be a message.
    func message(sourceLocation: SourceLocation = #_sourceLocation) async throws -> SignalingMessage {
        let event = try await events.next()
        guard case .received(let text) = event else {
            Issue.record("expected a message, got \(String(describing: event))", sourceLocation: sourceLocation)
            throw CancellationError()
        }
        return try SignalingMessage(decoding: text)
    }

    /// The next event, which must be the loss of the connection; returns why.
    func loss(sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        let event = try await events.next()
        guard case .disconnected(let text) = event else {
            Issue.record("expected a loss, got \(String(describing: event))", sourceLocation: sourceLocation)
            throw CancellationError()
        }
        return text
    }
}

/// Reads who is signed in, as it changes.
final class PresenceReader: Sendable {
    private let changes = Mailbox<Presence>()

    init(_ stream: AsyncStream<Presence>) {
        let changes = changes
        Task {
            for await presence in stream { changes.put(presence) }
            changes.finish()
        }
    }

    func next() async throws -> Presence? { try await changes.next() }

    /// Waits for this state; returns those that came before.
    @discardableResult func reaches(_ presence: Presence) async throws -> [Presence] {
        var before: [Presence] = []
        while let next = try await changes.next(), next != presence { before.append(next) }
        return before
    }
}

/// How many threads of connections to this broker there are in this process.
func threads(of broker: MQTTBroker) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { id in
        let name = try? String(contentsOfFile: "/proc/self/task/\(id)/comm", encoding: .utf8)
        return name == "mqtt \(broker.port)\n"
    }
}

/// Waits for a condition; a timeout is a failure.
func eventually(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool) async throws {
    let limit = ContinuousClock.now + .seconds(20)
    while try await !condition() {
        guard ContinuousClock.now < limit else {
            Issue.record("it did not happen within 20 s", sourceLocation: sourceLocation)
            throw CancellationError()
        }
        // The polling interval.
        try await Task.sleep(for: .milliseconds(10))
    }
}
