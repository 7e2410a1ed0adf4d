public import CallProtocol

/// Carries signaling messages between users; applications implement it to use their own signaling.
///
/// The agent uses a transport only through this protocol. A transport knows nothing about calls: it moves lines of text. All
/// methods may be called from any task. A transport that the application has already signed in returns from ``connect(as:)`` at
/// once.
public protocol SignalingTransport: Sendable {
    /// The events of this transport, in order. For one consumer: the agent.
    ///
    /// Ends when the transport is closed.
    var events: AsyncStream<SignalingTransportEvent> { get }

    /// Whether each message that ``send(_:to:)`` took arrives once and in order, or this end learns that it did not.
    ///
    /// The default is false: the agent then acknowledges, repeats and sorts messages itself.
    var guaranteesDelivery: Bool { get }

    /// The name of this device among the user's devices; nil when the transport has no devices.
    var device: String? { get }

    /// Signs in as `user` and begins to deliver ``events``.
    ///
    /// - Returns: The STUN and TURN servers that the other side gives with the sign-in, so that the first call has them. Before their credentials
    ///   expire, an event brings others.
    /// - Throws: ``SignalingError`` when the other side cannot be reached or refuses. Returns within a bounded time.
    @discardableResult
    func connect(as user: String) async throws(SignalingError) -> [IceServer]

    /// Sends one message, given as JSON text, to `user`.
    ///
    /// Messages of one task arrive in the order of their calls. A return means that the message was handed on, not that it arrived.
    func send(_ text: String, to user: String) async throws(SignalingError)

    /// Finds out soon whether the connection still works, and connects again at once if it does not.
    ///
    /// The agent calls it when the network of this machine changes, when nothing arrives from the peer of a call, and when it closes without a
    /// connection before the peer knows that a call ended.
    func checkConnection() async

    /// Replaces the token of the current sign-in before it expires.
    ///
    /// - Throws: ``SignalingError/signInRefused(code:text:)`` when the token is not accepted; the current one stays in use.
    func renew(token: String) async throws(SignalingError)

    /// The agent takes no more calls from now on, until the transport is closed; those under way continue.
    ///
    /// A transport that shares the calls of a user among several devices gives this one no more.
    func stopTakingCalls() async

    /// Signs out and ends ``events``. Messages that were sent before are handed on first.
    func close() async
}

extension SignalingTransport {
    /// False.
    public var guaranteesDelivery: Bool { false }
    /// Nil.
    public var device: String? { nil }

    /// Does nothing: the transport finds out in its own time.
    public func checkConnection() async {}

    /// Does nothing: the agent refuses what arrives.
    public func stopTakingCalls() async {}

    /// Refuses: the transport has no tokens.
    public func renew(token: String) async throws(SignalingError) {
        throw .signInRefused(code: 400, text: "this transport knows no tokens")
    }
}

/// What a ``SignalingTransport`` reports.
public enum SignalingTransportEvent: Sendable, Equatable {
    /// A message arrived, as JSON text. Not trusted, not checked.
    case received(String)
    /// The connection was lost; `text` says why. A transport that reconnects by itself reports ``reconnected`` later.
    case disconnected(text: String)
    /// The connection is back and the user is signed in again.
    case reconnected
    /// The transport gave up and does not reconnect; ``SignalingTransport/events`` ends with this event.
    case ended(SignalingError)
    /// The other side's clock, in ms since 1970, at the moment of a sign-in; arrives before any message.
    ///
    /// The agent uses it, so its own clock need not be right.
    case clock(unixMs: Double)
    /// The token of this sign-in expires in this many ms, unless ``SignalingTransport/renew(token:)`` replaces it.
    case tokenWillExpire(milliseconds: Int)
    /// The transport has replaced the token that was to expire by a new one from its own provider.
    case tokenRenewed
    /// The transport has a provider of tokens, but could not replace the one that expires; `text` says why. It may try again.
    case tokenNotRenewed(text: String)
    /// Other STUN and TURN servers to use from now on, with credentials that are valid for this many ms; replaces earlier ones.
    case iceServers([IceServer], validForMs: Int)
}
