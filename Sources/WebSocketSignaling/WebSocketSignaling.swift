public import CallAgent
public import Logging
internal import NIOCore
internal import NIOPosix

/// Signaling through a WebSocket server such as the one in `SignalingServer` (`docs/signaling.md`).
///
/// After the first successful ``connect(as:)`` it stays signed in until ``close()``: a lost connection is reported as
/// ``SignalingTransportEvent/disconnected(text:)`` and tried again for ever, ever more rarely, then
/// ``SignalingTransportEvent/reconnected`` is reported. Messages are not repeated: one that was sent shortly before a loss
/// may not have arrived. A server that this end can no longer hear is noticed by pings.
///
/// All work is done on one event loop of the process, shared with other users of NIO: it starts no thread of its own. When
/// the application is slow to take ``events``, reading stops, so that memory stays bounded.
public final class WebSocketSignaling: SignalingTransport {
    /// What happens on this transport, in order.
    ///
    /// One consumer; ends with ``close()``.
    public let events: AsyncStream<SignalingTransportEvent>
    private let url: String
    private let loop: any EventLoop
    private let session: NIOLoopBoundBox<Session>
    /// How many bytes of events may wait for the application before reading stops.
    private static let eventBytes = 4_194_304

    /// Makes a transport that is not connected yet.
    ///
    /// `url` is `ws://host[:port][/path]`; ``connect(as:)`` checks it.
    public init(
        url: String, configuration: WebSocketSignalingConfiguration = WebSocketSignalingConfiguration(), logger: Logger
    ) {
        let loop = NIOSingletons.posixEventLoopGroup.next()
        let queue = EventQueue(capacity: Self.eventBytes)
        self.url = url
        self.loop = loop
        events = queue.events
        session = NIOLoopBoundBox.makeBoxSendingValue(
            Session(configuration: configuration.bounded(), queue: queue, logger: logger, loop: loop), eventLoop: loop)
    }

    deinit {
        // A connection that nobody can use any more would keep the user's name on the server.
        let session = session
        loop.execute { _ = session.value.close() }
    }

    /// Signs in as `user`.
    ///
    /// Returns at once when this transport is signed in as `user` already, also while it connects again.
    ///
    /// - Throws: ``SignalingError/invalidURL(_:text:)``, ``SignalingError/unreachable(_:text:)`` or
    ///   ``SignalingError/signInRefused(code:text:)``, within the connect timeout; it may be called again then.
    ///   ``SignalingError/closed`` after ``close()``.
    public func connect(as user: String) async throws(SignalingError) {
        let url = try SignalingURL(url)
        guard SignalingLimits.isName(user) else {
            throw .signInRefused(
                code: 400, text: "the user is no valid name; use 1 to 64 ASCII letters, digits and ._-@+:")
        }
        try await perform { $0.connect(as: user, to: url) }
    }

    /// Sends one message to the server, which reads the receiver from the message itself.
    ///
    /// Messages of one task arrive in the order of their calls. Waits while the server does not read, and returns when the
    /// system has taken the message.
    ///
    /// - Throws: ``SignalingError/notConnected`` while the connection is down, ``SignalingError/closed`` after
    ///   ``close()``, ``SignalingError/malformed(code:text:ref:)`` with code 413 for a message that no server would take.
    public func send(_ text: String, to user: String) async throws(SignalingError) {
        guard text.utf8.count <= SignalingLimits.messageBytes else {
            throw .malformed(
                code: 413, text: "the message is longer than \(SignalingLimits.messageBytes) bytes", ref: nil)
        }
        try await perform { $0.send(text) }
    }

    /// Signs out and ends ``events``.
    ///
    /// What was sent before goes first. Returns when the server has answered, at the latest after the close timeout. May be
    /// called more than once.
    public func close() async {
        let session = session
        // Closing does not fail.
        try? await loop.flatSubmit { session.value.close() }.get()
    }

    private func perform(
        _ body: @escaping @Sendable (Session) -> EventLoopFuture<Void>
    ) async throws(SignalingError) {
        let session = session
        do {
            try await loop.flatSubmit { body(session.value) }.get()
        } catch let error as SignalingError {
            throw error
        } catch {
            // The event loop itself is gone, which happens when the process ends.
            throw .closed
        }
    }
}
