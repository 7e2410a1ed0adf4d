/// Carries signaling messages between users; the one thing that an application replaces to bring its own signaling.
///
/// The agent knows nothing of a transport but this protocol. A transport knows nothing of calls: it moves lines of text.
/// All methods may be called from any task. A transport that the application has signed in itself returns from
/// ``connect(as:)`` at once.
public protocol SignalingTransport: Sendable {
    /// What happens on this transport, in order. One consumer: the agent.
    ///
    /// Ends when the transport is closed for good.
    var events: AsyncStream<SignalingTransportEvent> { get }

    /// Signs in as `user` and begins to deliver ``events``.
    ///
    /// - Throws: ``SignalingError`` when the other side cannot be reached or refuses. Returns within a bounded time.
    func connect(as user: String) async throws(SignalingError)

    /// Sends one message, given as JSON text, to `user`.
    ///
    /// Messages of one task arrive in the order of their calls. Returning means that the message was handed on, not that
    /// it arrived.
    func send(_ text: String, to user: String) async throws(SignalingError)

    /// Signs out and ends ``events``. Messages that were sent before are handed on first.
    func close() async
}

/// What a ``SignalingTransport`` reports.
public enum SignalingTransportEvent: Sendable, Equatable {
    /// A message arrived, as JSON text. Not trusted, not checked.
    case received(String)
    /// The connection was lost; `text` says why. A transport that connects again by itself reports ``reconnected`` then.
    case disconnected(text: String)
    /// The connection is back and the user is signed in again.
    case reconnected
}
