internal import CallProtocol

/// An action of the ``Switchboard``, to be carried out in the given order.
enum SwitchboardAction: Sendable, Equatable {
    /// Forward the message that was just received, unchanged.
    case forward(to: ConnectionID)
    /// Send a message of the server itself.
    case send(ServerMessage, to: ConnectionID)
    /// Close with status 1008 after everything that was sent.
    case close(ConnectionID, text: String)
    /// Close with status 1008 and read nothing more: the client sends too much.
    case throwOut(ConnectionID, text: String)
    /// Sign a client in at the relay.
    case enterRelay(ConnectionID, Party, token: String?, session: String)
    /// Hand the message that was just received to the relay.
    case relay(from: ConnectionID, to: String)
    /// Let the relay report the presence of these users, nil: of all.
    case watchAtRelay(ConnectionID, users: [String]?)
    /// Start a timer; replaces an earlier timer of that kind.
    case schedule(SessionTimer, for: ConnectionID, afterMs: Int)
}

/// The timers of a signed-in connection.
enum SessionTimer: Sendable, Hashable {
    /// Time to warn that the token will expire.
    case tokenWarning
    /// The token expires.
    case tokenExpiry
    /// Time to hand out new TURN credentials.
    case iceServers
}

/// Why the server refuses a request of a client, in the terms of the protocol.
struct RoutingRefusal: Error, Sendable, Equatable {
    var code: Int
    var text: String

    init(_ code: Int, _ text: String) {
        self.code = code
        self.text = text
    }
}

/// One connection, numbered in the order of arrival.
///
/// A number is never reused.
struct ConnectionID: Sendable, Hashable {
    let number: UInt64
}

/// The time of a fact, by two clocks.
struct Moment: Sendable, Equatable {
    /// The wall clock, for people and for tokens.
    var unixMs: Int
    /// A monotonic clock, for rates.
    var uptimeMs: Int
}

/// The policy of the ``Switchboard``: limits and options.
struct SwitchboardPolicy: Sendable {
    var callsPerConnection = 256
    var callsPerUser = 1_024
    var devicesPerUser = 16
    var rememberedUsers = 100_000
    var messagesPerSecond = 200
    var messageBurst = 400
    var watchedUsers = 64
    /// Whether a client may watch everybody.
    var hasDirectory = true
    /// Whether the server sends `ringing` when an invite reached a device.
    var announcesRinging = false
    /// How long before a token expires its client gets a warning.
    var tokenWarningMs = 60_000
    /// Whether a relay carries all messages, and the clients are signed in there.
    var hasRelay = false
    /// nil: the server is open to everybody.
    var verifier: TokenVerifier?
    /// nil: the server hands out no STUN and TURN servers.
    var iceServers: IceServerOffer?
    /// Makes the unguessable text with which a client resumes its sign-in.
    var newResume: @Sendable () -> String = {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    }
}
