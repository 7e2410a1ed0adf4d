public import CallProtocol

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

    /// Whether every message that ``send(_:to:)`` took arrives once and in order, or this end learns that it did not.
    ///
    /// False unless the transport says otherwise: the agent then acknowledges, repeats and sorts messages itself.
    var guaranteesDelivery: Bool { get }

    /// The name of this device among its user's; nil when the transport knows no devices.
    var device: String? { get }

    /// Signs in as `user` and begins to deliver ``events``.
    ///
    /// - Throws: ``SignalingError`` when the other side cannot be reached or refuses. Returns within a bounded time.
    func connect(as user: String) async throws(SignalingError)

    /// Sends one message, given as JSON text, to `user`.
    ///
    /// Messages of one task arrive in the order of their calls. Returning means that the message was handed on, not that
    /// it arrived.
    func send(_ text: String, to user: String) async throws(SignalingError)

    /// Replaces the token of the present sign-in before it expires.
    ///
    /// - Throws: ``SignalingError/signInRefused(code:text:)`` when it is not accepted; the present one stays in use.
    func renew(token: String) async throws(SignalingError)

    /// Signs out and ends ``events``. Messages that were sent before are handed on first.
    func close() async
}

extension SignalingTransport {
    /// False.
    public var guaranteesDelivery: Bool { false }
    /// Nil.
    public var device: String? { nil }

    /// Refuses: the transport knows no tokens.
    public func renew(token: String) async throws(SignalingError) {
        throw .signInRefused(code: 400, text: "this transport knows no tokens")
    }
}

/// What a ``SignalingTransport`` reports.
public enum SignalingTransportEvent: Sendable, Equatable {
    /// A message arrived, as JSON text. Not trusted, not checked.
    case received(String)
    /// The connection was lost; `text` says why. A transport that connects again by itself reports ``reconnected`` then.
    case disconnected(text: String)
    /// The connection is back and the user is signed in again.
    case reconnected
    /// The transport gave up for good and does not connect again; ``SignalingTransport/events`` ends with it.
    case ended(SignalingError)
    /// The other side's clock, in ms since 1970, at the moment of a sign-in; comes before any message.
    ///
    /// Whoever has no right clock of its own goes by it.
    case clock(unixMs: Double)
    /// The token of this sign-in expires in so many ms, unless ``SignalingTransport/renew(token:)`` replaces it.
    case tokenWillExpire(milliseconds: Int)
    /// STUN and TURN servers to use from now on, with credentials that are good for so many ms; replaces what came before.
    case iceServers([IceServer], validForMs: Int)
}
