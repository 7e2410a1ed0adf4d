/// What several servers have in common: a broker that carries the messages between their clients, and to others.
///
/// A server with a relay keeps nothing that another one would need: each of its clients is signed in at the relay by itself.
public protocol SignalingRelay: Sendable {
    /// Signs a client in.
    ///
    /// - Parameters:
    ///   - token: what the client has sent as its token.
    ///   - session: identifies the program of the client, also when it signs in again, at this server or another one.
    /// - Throws: ``RelayError``, within a bounded time.
    func enter(
        user: String, device: String, token: String?, session: String
    ) async throws(RelayError) -> any RelaySeat
}

/// A client of the server, as the relay knows it.
public protocol RelaySeat: Sendable {
    /// Passes on what the relay has for the client, in order; called once.
    ///
    /// Waits until `receiver` has taken each event, so that nothing piles up between. Returns when the client is signed in there no more; the last
    /// event says why.
    func receive(_ receiver: @escaping @Sendable (RelayEvent) async -> Void) async

    /// Hands a message of the client over, given as JSON text.
    ///
    /// Messages that cannot be sent are lost; clients repeat what is not acknowledged.
    ///
    /// - Parameter taken: called once, when the message waits no more: the relay has passed it on, or lost it.
    func send(_ text: String, to user: String, taken: @escaping @Sendable () -> Void) async

    /// Reports the devices of these users from now on, nil: of all users, at once and after each change.
    ///
    /// - Throws: ``RelayError``
    func watch(
        _ users: [String]?, _ receiver: @escaping @Sendable (RelayEvent) async -> Void
    ) async throws(RelayError)

    /// Signs the client out.
    ///
    /// - Parameter isSilent: the client may be alive behind a broken network, and come back: its calls get no `gone`.
    func leave(isSilent: Bool) async
}

/// What a ``SignalingRelay`` has for a client.
public enum RelayEvent: Sendable, Equatable {
    /// A message, as JSON text.
    case received(String)
    /// The devices of a user that the client watches.
    case presence(user: String, devices: [String])
    /// The client is signed in no more; `text` says why.
    case ended(text: String)
}

/// Why a relay does not take a client.
public enum RelayError: Error, Sendable, Equatable {
    /// It refuses this client, with a code of `docs/signaling.md` such as 403, and a reason for display.
    case refused(code: Int, text: String)
    /// It cannot be reached; the client may try again.
    case unreachable(text: String)
}
