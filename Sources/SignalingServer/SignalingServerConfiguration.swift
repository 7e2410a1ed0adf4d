internal import NIOCore

/// Where a ``SignalingServer`` listens, whom it lets in, and the bounds that it keeps (`docs/signaling.md`).
public struct SignalingServerConfiguration: Sendable, Equatable {
    /// The address to listen on, an IP address or a name that resolves to one of this machine.
    public var host: String
    /// The port to listen on; 0 lets the system choose a free one.
    public var port: Int
    /// The certificate of the server; nil listens without TLS.
    public var tls: TLSFiles?

    // MARK: Who may sign in

    /// Files with keys of ``AccessToken``s (``TokenKey/read(file:)``); a token is good when any of them verifies it.
    ///
    /// Without one the server is open: whoever reaches it signs in by any free name. That is for loopback and tests.
    public var tokenKeyFiles: [String] = []
    /// What a token has to name as its audience (`aud`); nil when it must name none.
    public var tokenAudience: String?
    /// What a token has to name as its issuer (`iss`); nil when any will do.
    public var tokenIssuer: String?
    /// A file with tokens and users that may not sign in though their tokens are good (`docs/signaling.md`).
    ///
    /// It is looked at every second; whom it denies from then on is closed. While it is missing or malformed, what it said before
    /// counts.
    public var denyListFile: String?
    /// How long before its end a client is told that its token will expire.
    public var tokenWarning: Duration = .seconds(60)
    /// Whether a client may watch everybody's presence; nil: on an open server only.
    public var directory: Bool?
    /// Whether anybody may read `/metrics`, not only this machine.
    public var metricsPublic = false
    /// The origins of web pages that may connect besides those of this server's own address, such as `https://calls.example.org`.
    ///
    /// `*` lets all connect, `null` those from files. Behind a proxy that changes `Host`, the proxy's own origin is named here.
    public var allowedOrigins: [String] = []
    /// The names by which browsers reach this server, such as `calls.example.org`, besides those of this machine.
    ///
    /// A browser that came by another name is refused: whoever owns a name can let it lead here, and its pages would pass for
    /// this server's own. An address may be given, too; no port. With ``tls`` every name counts, since the browser has compared it
    /// with the certificate.
    public var allowedHosts: [String] = []
    /// The proxies whose `X-Forwarded-For` is believed, such as `127.0.0.1` or `10.0.0.0/8`.
    ///
    /// Limits then count the client's own address, the last one that is no trusted proxy. Whatever comes through a proxy has no rights
    /// of this machine, and neither has anything else that comes from a trusted proxy's address. Behind a proxy that is not named
    /// here all clients are one address.
    public var trustedProxies: [String] = []
    /// Whether the server itself says `ringing` to the caller when an invite reached a device.
    public var announcesRinging = false

    // MARK: STUN and TURN

    /// STUN servers that clients are told of, such as `stun:stun.example.org:3478`.
    public var stunURLs: [String] = []
    /// TURN servers that clients are told of, with credentials for a time.
    public var turnURLs: [String] = []
    /// The file with the secret that is shared with the TURN servers (coturn's `static-auth-secret`).
    public var turnSecretFile: String?
    /// How long TURN credentials are good for; new ones come when three quarters have passed.
    public var turnLifetime: Duration = .seconds(3_600)

    // MARK: Bounds

    /// The longest message and the longest frame, in bytes.
    ///
    /// Beyond it a connection is closed with 1009.
    public var messageBytes = 65_536
    /// How long a client may take to upgrade to WebSocket, and then again to sign in.
    public var signInTimeout: Duration = .seconds(5)
    /// How long a connection may be silent before the server pings it.
    public var pingInterval: Duration = .seconds(5)
    /// How long a connection may be silent in spite of pings before it is closed.
    public var silenceTimeout: Duration = .seconds(20)
    /// How many messages a second one connection may send; what is beyond is dropped and answered with error 429.
    ///
    /// Ten times as many frames close it with 1008.
    public var messagesPerSecond = 200
    /// How many messages may come at once after a pause.
    public var messageBurst = 400
    /// How many calls one connection may have invited to that have not ended; one more is answered with error 429.
    public var callsPerConnection = 256
    /// The same for all devices of a user together.
    public var callsPerUser = 1_024
    /// How many devices of a user may be signed in at once.
    public var devicesPerUser = 16
    /// How many sockets may be open in all; one more is closed at once, like with the next two.
    public var connections = 10_000
    /// How many sockets may be open that are not signed in.
    public var unauthenticatedConnections = 1_024
    /// How many sockets one address may have open; of IPv6, one /64.
    public var connectionsPerAddress = 256
    /// Whether ``connectionsPerAddress`` counts for the addresses of this machine, too.
    public var countsLoopback = false
    /// How many bytes may wait for one client to read them; beyond it the client is given up with 1008.
    public var pendingBytes = 1_048_576
    /// How many bytes may wait for all clients together; beyond it the one with most is cut off, without a close frame.
    public var pendingBytesInAll = 268_435_456
    /// How many user names the server remembers, to tell a user who left (480) from one that never was (404).
    public var rememberedUsers = 100_000
    /// How long a closing connection may take to answer, and ``SignalingServer/shutdown(grace:)`` in all.
    public var closeTimeout: Duration = .seconds(2)

    /// A certificate and its key.
    public struct TLSFiles: Sendable, Equatable {
        /// The certificate and those that vouch for it, in PEM, the server's own first.
        public var certificateChainFile: String
        /// The private key in PEM, without a password.
        public var privateKeyFile: String

        /// Names the two files.
        public init(certificateChainFile: String, privateKeyFile: String) {
            self.certificateChainFile = certificateChainFile
            self.privateKeyFile = privateKeyFile
        }
    }

    /// Makes a configuration with the bounds of `docs/signaling.md`.
    public init(host: String = "127.0.0.1", port: Int = 8080) {
        self.host = host
        self.port = port
    }
}

extension SignalingServerConfiguration {
    /// Checks every field, so that nothing below meets a value that it cannot work with.
    func check() throws(SignalingServerError) {
        try require(!host.isEmpty, "host", "is empty")
        try require((0...65_535).contains(port), "port", "\(port) is not in 0...65535")
        // A sign-in with a token needs some room, and a frame's length goes through 32 bits.
        try require(
            (256...16_777_216).contains(messageBytes), "messageBytes", "\(messageBytes) is not in 256...16777216")
        try require(callsPerConnection >= 0, "callsPerConnection", "\(callsPerConnection) is negative")
        try require(callsPerUser >= 0, "callsPerUser", "\(callsPerUser) is negative")
        try require(pendingBytes >= messageBytes, "pendingBytes", "\(pendingBytes) is less than messageBytes")
        try require(
            pendingBytesInAll >= pendingBytes, "pendingBytesInAll", "\(pendingBytesInAll) is less than pendingBytes")
        let counts = [
            ("rememberedUsers", rememberedUsers), ("messagesPerSecond", messagesPerSecond),
            ("messageBurst", messageBurst), ("devicesPerUser", devicesPerUser), ("connections", connections),
            ("unauthenticatedConnections", unauthenticatedConnections),
            ("connectionsPerAddress", connectionsPerAddress),
        ]
        for (field, count) in counts {
            try require((1...10_000_000).contains(count), field, "\(count) is not in 1...10000000")
        }
        let durations = [
            ("signInTimeout", signInTimeout), ("pingInterval", pingInterval), ("silenceTimeout", silenceTimeout),
            ("closeTimeout", closeTimeout), ("tokenWarning", tokenWarning), ("turnLifetime", turnLifetime),
        ]
        for (field, duration) in durations {
            let isUsable = duration >= .milliseconds(1) && duration <= .seconds(86_400)
            try require(isUsable, field, "\(duration) is not between 1 ms and one day")
        }
        for (field, text) in [("tokenAudience", tokenAudience), ("tokenIssuer", tokenIssuer)] {
            guard let text else { continue }
            try require(AccessToken.isText(text), field, "'\(text)' is not 1 to 256 bytes of visible ASCII")
            try require(!tokenKeyFiles.isEmpty, field, "needs tokenKeyFiles")
        }
        try require(denyListFile == nil || !tokenKeyFiles.isEmpty, "denyListFile", "needs tokenKeyFiles")
        for url in stunURLs {
            try require(IceServerOffer.isURL(url, schemes: ["stun", "stuns"]), "stunURLs", "'\(url)' is no stun: URL")
        }
        for url in turnURLs {
            try require(IceServerOffer.isURL(url, schemes: ["turn", "turns"]), "turnURLs", "'\(url)' is no turn: URL")
        }
        for origin in allowedOrigins {
            let isUsable = BrowserOrigin.isWellFormed(origin)
            try require(isUsable, "allowedOrigins", "'\(origin)' is no origin such as https://calls.example.org")
        }
        for host in allowedHosts {
            let isUsable = HostNames.isWellFormed(host)
            try require(isUsable, "allowedHosts", "'\(host)' is no host such as calls.example.org, without a port")
        }
        for proxy in trustedProxies {
            let isUsable = AddressBlock(proxy) != nil
            try require(isUsable, "trustedProxies", "'\(proxy)' is no address such as 127.0.0.1 or 10.0.0.0/8")
        }
        try require(trustedProxies.count <= 64, "trustedProxies", "are more than 64")
        try require(stunURLs.count + turnURLs.count <= 16, "turnURLs", "and stunURLs are more than 16")
        try require(turnURLs.isEmpty || turnSecretFile != nil, "turnSecretFile", "is missing")
    }

    private func require(_ condition: Bool, _ field: String, _ text: String) throws(SignalingServerError) {
        guard condition else { throw .invalidConfiguration(field: field, text: text) }
    }
}
