/// The choices of the ``Switchboard``: bounds, and what the server offers.
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
    /// Whether the server says `ringing` when an invite reached a device.
    var announcesRinging = false
    /// How long before its end a token is warned of.
    var tokenWarningMs = 60_000
    /// Nil when the server is open to everybody.
    var verifier: TokenVerifier?
    /// Nil when the server hands out no STUN and TURN servers.
    var iceServers: IceServerOffer?
    /// Makes what a client resumes its sign-in with; nobody may be able to guess it.
    var newResume: @Sendable () -> String = {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    }
}
