public import CallAgent
internal import CallProtocol
internal import Foundation
public import Logging

/// Signaling through an MQTT broker (`docs/signaling-mqtt.md`): MQTT 5, or 3.1.1 where the broker has no other.
///
/// After the first successful ``connect(as:)`` it stays signed in until ``close()``. It reports a lost connection as
/// ``SignalingTransportEvent/disconnected(text:)``, retries without limit, with growing pauses, and then reports
/// ``SignalingTransportEvent/reconnected``. Its presence is a retained message; the broker removes it when this end vanishes.
/// While a call has a device at its other end, that device's presence is watched: when it ends, the call gets `gone`.
/// When a token is refused at a reconnection, that is another ``SignalingTransportEvent/disconnected(text:)``, and the transport continues to retry.
/// When another program signs in as the same user and device, it reports ``SignalingTransportEvent/ended(_:)`` with
/// ``SignalingError/replaced(text:)`` and stays signed out.
///
/// A connection has one thread, of libmosquitto. A broker gives no STUN or TURN servers and no time: the clocks of both ends have to be right to
/// about a second.
public final class MQTTTransport: SignalingTransport {
    /// The events of this transport, in order.
    ///
    /// For one consumer; ends with ``close()``.
    public let events: AsyncStream<SignalingTransportEvent>
    /// The name of this device among the user's devices.
    public let device: String?
    private let url: String
    private let session: MQTTSession
    /// How many bytes of events may wait for the application before reading stops.
    private static let eventBytes = 4_194_304

    /// Makes a transport that is not connected yet.
    ///
    /// - Parameters:
    ///   - url: `mqtt://[user@]host[:port][/prefix]`, or `mqtts://` for TLS; ``connect(as:)`` checks it. The user is that of the broker, by default the
    ///     one that signs in. The topics are below the prefix, by default `callagent`. Several nodes of one broker stand side by side, with commas
    ///     between them, 16 at most: a connection that is lost is made again with the next one.
    ///   - device: the name of this device among the user's devices; nil for `main`.
    ///   - isInPool: whether the user's calls are shared among its devices that say so: each call rings at one of them. One that refuses a call as busy
    ///     passes it on to a free one, if there is any. Each needs a name of its own as `device`.
    ///   - token: returns the password of a sign-in, such as a JSON Web Token; called at each one. One that does not return within the connect timeout counts as refused. Nil where
    ///     the broker needs none. A password that is sent unencrypted to another machine is logged as a warning, once.
    ///   - configuration: time limits and certificates.
    ///   - logger: gets the log of what happens; a password is never logged.
    public init(
        url: String, device: String? = nil, isInPool: Bool = false,
        token: (@Sendable () async throws -> String)? = nil,
        configuration: MQTTTransportConfiguration = MQTTTransportConfiguration(),
        logger: Logger = Logger(label: "signaling")
    ) {
        let queue = SignalingEventQueue(capacity: Self.eventBytes)
        self.url = url
        self.device = device ?? "main"
        events = queue.events
        session = MQTTSession(
            configuration: configuration.bounded(), isInPool: isInPool, provider: token, queue: queue, logger: logger)
    }

    deinit {
        // A connection that nobody can use any more would occupy the device's name.
        let session = session
        Task { await session.close() }
    }

    /// Checks a URL as ``connect(as:)`` does.
    ///
    /// - Throws: ``SignalingError/invalidURL(_:text:)``
    public static func check(url: String) throws(SignalingError) { _ = try MQTTAddress(url) }

    /// Signs in as `user`.
    ///
    /// Returns at once when this transport is already signed in as `user`, also while it reconnects.
    ///
    /// - Throws: ``SignalingError/invalidURL(_:text:)``, ``SignalingError/unreachable(_:text:)`` or
    ///   ``SignalingError/signInRefused(code:text:)``, within the connect timeout of each node; then it may be called again.
    ///   ``SignalingError/closed`` after ``close()``.
    @discardableResult
    public func connect(as user: String) async throws(SignalingError) -> [IceServer] {
        let address = try MQTTAddress(url)
        for (what, name) in [("user", user), ("device", device ?? "")] where !SignalingLimits.isName(name) {
            throw .signInRefused(
                code: 400, text: "the \(what) is no valid name; use 1 to 64 ASCII letters, digits and ._-@+:")
        }
        try await session.connect(address, as: Device(user: user, device: device ?? ""))
        // A broker has none.
        return []
    }

    /// Keeps a token for the next sign-ins, until one is refused; a pause between two attempts ends.
    ///
    /// The current connection stays: MQTT cannot replace a password. A broker that ends it when the old token expires gets the new one then. Whether it is
    /// valid shows only there. Not needed with a provider.
    ///
    /// - Throws: ``SignalingError/notConnected`` before the first ``connect(as:)``, ``SignalingError/closed``.
    public func renew(token: String) async throws(SignalingError) { try await session.renew(token: token) }

    /// Finds out soon whether the connection still works, and connects again at once if it does not.
    ///
    /// A connection is given up when the broker does not acknowledge a message within ``MQTTTransportConfiguration/checkTimeout``.
    public func checkConnection() async { await session.checkConnection() }

    /// Reports from now on which devices of these users are signed in: at once, and after each change.
    ///
    /// Another call, also of ``watchEverybody()``, ends the former stream; so does ``close()``. After a lost connection all of them
    /// are reported again. A reader that is too slow misses the oldest of more than 4,096 changes.
    ///
    /// - Parameters:
    ///   - users: at most 64 names.
    /// - Throws: ``SignalingError/signInRefused(code:text:)`` with code 400 for wrong names, 403 when the broker refuses;
    ///   ``SignalingError/notConnected`` before the first ``connect(as:)``.
    public func watch(_ users: [String]) async throws(SignalingError) -> AsyncStream<Presence> {
        guard users.count <= 64, users.allSatisfy(SignalingLimits.isName) else {
            throw .signInRefused(code: 400, text: "at most 64 valid names can be watched")
        }
        return try await session.watch(.named(users))
    }

    /// The same for all users; offline users are not mentioned at first.
    public func watchEverybody() async throws(SignalingError) -> AsyncStream<Presence> {
        try await session.watch(.everybody)
    }

    /// Publishes one message to the topic of its receiver, with QoS 1.
    ///
    /// With MQTT 5 the sender gets error 480 when nobody is subscribed to that topic, and 403 when the broker does not let this user publish to it.
    ///
    /// - Throws: ``SignalingError/notConnected`` while the connection is down, ``SignalingError/closed`` after
    ///   ``close()``, ``SignalingError/malformed(_:)`` for a text that is no message.
    public func send(_ text: String, to user: String) async throws(SignalingError) { try await session.send(text) }

    /// The same for a server that hands on what its client sent: a message that this end cannot read, such as one of an unknown type, goes to its
    /// receiver, who answers it with an error.
    ///
    /// A message that cannot be sent is lost.
    ///
    /// - Parameter taken: called once, when the message does not wait here any more: the broker has acknowledged it, or it is lost.
    package func forward(_ text: String, taken: @escaping @Sendable () -> Void = {}) async {
        await session.forward(text, taken)
    }

    /// Leaves the pool: the other members get its calls.
    ///
    /// Does nothing without a pool: then the agent refuses invites as busy.
    public func stopTakingCalls() async { await session.stopTakingCalls() }

    /// Signs out and ends ``events``.
    ///
    /// Messages that were sent before go first. Returns when the broker has acknowledged, after the close timeout at the latest. May be called more
    /// than once.
    public func close() async { await session.close() }

    /// The same, but calls get no `gone`: this client may come back by another transport with the same ``MQTTTransportConfiguration/session``.
    ///
    /// If it does not, its presence ends by itself.
    package func closeSilently() async { await session.close(isSilent: true) }
}
