public import CallAgent
public import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import TransportSecurity

/// Signaling through a WebSocket server such as the one in `Server` (`docs/signaling.md`).
///
/// After the first successful ``connect(as:)`` it stays signed in until ``close()``. It reports a lost connection as
/// ``SignalingTransportEvent/disconnected(text:)`` and retries without limit, with growing pauses. Then it reports
/// ``SignalingTransportEvent/reconnected``. It does not repeat messages: one that was sent shortly before a loss may not have
/// arrived. Pings detect a server that this end can no longer hear. After each sign-in it reports
/// ``SignalingTransportEvent/clock(unixMs:)`` if the server sends its time.
/// When a reconnection fails because the token is refused (401, 403, 410), it reports another
/// ``SignalingTransportEvent/disconnected(text:)`` and continues to retry: soon with the provider's next token, or with the longest
/// pause without a provider, because ``renew(token:)`` may supply a valid one. When another program signs in as the same user and
/// device, it reports ``SignalingTransportEvent/ended(_:)`` with ``SignalingError/replaced(text:)`` and stays signed out.
///
/// All work runs on one event loop of the process, which other users of NIO share: it starts no thread of its own. When the
/// application takes ``events`` slowly, reading stops, so that memory stays bounded.
public final class WebSocketTransport: SignalingTransport {
    /// The events of this transport, in order.
    ///
    /// For one consumer; ends with ``close()``.
    public let events: AsyncStream<SignalingTransportEvent>
    /// The name of this device among the user's devices.
    public let device: String?
    private let url: String
    private let requestedDevice: String?
    private let trustRootsFile: String?
    private let tls = Mutex<NIOSSLContext?>(nil)
    private let loop: any EventLoop
    private let session: NIOLoopBoundBox<Session>
    /// How many bytes of events may wait for the application before reading stops.
    private static let eventBytes = 4_194_304

    /// Makes a transport that is not connected yet.
    ///
    /// - Parameters:
    ///   - url: `ws://host[:port][/path]`, or `wss://` for TLS; ``connect(as:)`` checks it.
    ///   - device: the name of this device among the user's devices; nil for `main`.
    ///   - token: returns the token of a sign-in; called at each one, so that an expired token is not used again. It has to return
    ///     within the connect timeout. It is also called for the next token when the server warns that the current one expires
    ///     soon; if it has none then, this is logged and the current one stays in use. Nil where the server needs no token. A token
    ///     that is sent unencrypted to another machine is logged as a warning, once.
    ///   - configuration: time limits and trusted certificates.
    ///   - logger: gets the log of what happens; a token is never logged.
    public init(
        url: String, device: String? = nil, token: (@Sendable () async throws -> String)? = nil,
        configuration: WebSocketTransportConfiguration = WebSocketTransportConfiguration(),
        logger: Logger = Logger(label: "signaling")
    ) {
        let loop = NIOSingletons.posixEventLoopGroup.next()
        let queue = SignalingEventQueue(capacity: Self.eventBytes)
        self.url = url
        self.device = device ?? "main"
        requestedDevice = device
        trustRootsFile = configuration.trustRootsFile
        self.loop = loop
        events = queue.events
        session = NIOLoopBoundBox.makeBoxSendingValue(
            Session(
                configuration: configuration.bounded(), provider: token, queue: queue, logger: logger, loop: loop),
            eventLoop: loop)
    }

    deinit {
        // A connection that nobody can use any more would occupy the user's name on the server.
        let session = session
        loop.execute { _ = session.value.close() }
    }

    /// Signs in as `user`.
    ///
    /// Returns at once when this transport is already signed in as `user`, also while it reconnects.
    ///
    /// - Throws: ``SignalingError/invalidURL(_:text:)``, ``SignalingError/unreachable(_:text:)`` or
    ///   ``SignalingError/signInRefused(code:text:)``, within the connect timeout; then it may be called again.
    ///   ``SignalingError/closed`` after ``close()``.
    @discardableResult
    public func connect(as user: String) async throws(SignalingError) -> [IceServer] {
        let url = try SignalingURL(url, .webSocket)
        guard SignalingLimits.isName(user) else {
            throw .signInRefused(
                code: 400, text: "the user is no valid name; use 1 to 64 ASCII letters, digits and ._-@+:")
        }
        guard requestedDevice.map(SignalingLimits.isName) ?? true else {
            throw .signInRefused(
                code: 400, text: "the device is no valid name; use 1 to 64 ASCII letters, digits and ._-@+:")
        }
        let account = Account(user: user, device: requestedDevice, url: url, tls: try tlsContext(url))
        return try await perform { $0.connect(account) }
    }

    /// Replaces the token of the current sign-in before it expires.
    ///
    /// Not needed with a provider. While the connection is down, the token is kept for the next sign-in, which is tried soon. An
    /// event then reports whether the token is valid.
    ///
    /// - Throws: ``SignalingError/signInRefused(code:text:)`` when the server does not accept it: the current token stays in
    ///   use. ``SignalingError/notConnected`` before the first ``connect(as:)``.
    public func renew(token: String) async throws(SignalingError) {
        guard SignInRequest.isPlain(token, longest: SignInRequest.longestToken) else {
            throw .signInRefused(code: 403, text: "the token is empty, too long or no ASCII")
        }
        try await perform { $0.renew(token: token) }
    }

    /// Finds out soon whether the connection still works, and connects again at once if it does not.
    ///
    /// A connection from an address that this machine no longer has is given up at once. Another one is given up when the server does not answer
    /// within ``WebSocketTransportConfiguration/checkTimeout``. A pause between two attempts ends.
    public func checkConnection() async { try? await perform { $0.checkConnection() } }

    /// Reports from now on which devices of these users are signed in: at once, and after each change.
    ///
    /// Another call, also of ``watchEverybody()``, ends the former stream; so does ``close()``. After a lost connection all of them
    /// are reported again. A reader that is too slow misses the oldest of more than 4,096 changes.
    ///
    /// - Parameters:
    ///   - users: at most 64 names.
    /// - Throws: ``SignalingError/signInRefused(code:text:)`` with the server's code when it does not allow that.
    public func watch(_ users: [String]) async throws(SignalingError) -> AsyncStream<Presence> {
        guard users.count <= 64, users.allSatisfy(SignalingLimits.isName) else {
            throw .signInRefused(code: 400, text: "at most 64 valid names can be watched")
        }
        return try await watch(.named(users))
    }

    /// The same for all users, where the server has a directory; offline users are not mentioned at first.
    ///
    /// - Throws: ``SignalingError/signInRefused(code:text:)`` with code 403 where the server has none.
    public func watchEverybody() async throws(SignalingError) -> AsyncStream<Presence> { try await watch(.everybody) }

    /// Sends one message to the server, which reads the receiver from the message itself.
    ///
    /// Messages of one task arrive in the order of their calls. Waits while the server does not read, and returns when the
    /// system has taken the message.
    ///
    /// - Throws: ``SignalingError/notConnected`` while the connection is down, ``SignalingError/closed`` after
    ///   ``close()``, ``SignalingError/malformed(_:)`` with code 413 for a message that no server would take.
    public func send(_ text: String, to user: String) async throws(SignalingError) {
        guard text.utf8.count <= SignalingLimits.messageBytes else {
            let text = "the message is longer than \(SignalingLimits.messageBytes) bytes"
            throw .malformed(MalformedMessage(code: SignalingCode.tooLarge, text: text, ref: nil))
        }
        try await perform { $0.send(text) }
    }

    /// Signs out and ends ``events``.
    ///
    /// Messages that were sent before go first. Returns when the server has answered, after the close timeout at the latest. May be
    /// called more than once.
    public func close() async {
        let session = session
        // Closing does not fail.
        try? await loop.flatSubmit { session.value.close() }.get()
    }

    private func watch(_ whom: PresenceWatch.Whom) async throws(SignalingError) -> AsyncStream<Presence> {
        let (stream, inbox) = AsyncStream<Presence>.makeStream(bufferingPolicy: .bufferingNewest(4_096))
        let (session, loop) = (session, loop)
        let number = try await perform { $0.watch(whom, inbox: inbox) }
        inbox.onTermination = { _ in loop.execute { session.value.unwatch(number) } }
        return stream
    }

    /// Nil for `ws://`; made once.
    private func tlsContext(_ url: SignalingURL) throws(SignalingError) -> NIOSSLContext? {
        guard url.isSecure else { return nil }
        if let made = tls.withLock({ $0 }) { return made }
        let made: NIOSSLContext
        do throws(TrustedRoots.Unreadable) {
            made = try TrustedRoots.context(file: trustRootsFile)
        } catch {
            throw .unreachable(url.text, text: error.text)
        }
        tls.withLock { $0 = made }
        return made
    }

    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (Session) -> EventLoopFuture<Value>
    ) async throws(SignalingError) -> Value {
        let session = session
        do {
            return try await loop.flatSubmit { body(session.value) }.get()
        } catch let error as SignalingError {
            throw error
        } catch {
            // The event loop itself is gone, which happens when the process ends.
            throw .closed
        }
    }
}
