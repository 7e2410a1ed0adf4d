internal import NIOCore

/// Configures where a ``Server`` listens, who may sign in, and its limits (`docs/signaling.md`).
public struct ServerConfiguration: Sendable, Equatable {
    /// The address to listen on: an IP address, or a name that resolves to an address of this machine.
    public var host: String
    /// The port to listen on; 0 lets the system choose a free one.
    public var port: Int
    /// The certificate of the server; nil listens without TLS.
    public var tls: TLSFiles?

    // MARK: Who may sign in

    /// Key files for ``AccessToken``s (``TokenKey/read(file:)``); a token is good if any of the keys verifies it.
    ///
    /// Without a key the server is open: any client can sign in with any free name. This is for loopback and tests.
    public var tokenKeyFiles: [String] = []
    /// The audience (`aud`) that tokens must have; nil: tokens must have none.
    public var tokenAudience: String?
    /// The issuer (`iss`) that tokens must have; nil: any issuer is accepted.
    public var tokenIssuer: String?
    /// A file with tokens and users that may not sign in although their tokens are good (`docs/signaling.md`).
    ///
    /// The server checks the file every second and closes the connections of newly denied users. While the file is missing or
    /// malformed, the last good list applies.
    public var denyListFile: String?
    /// How long before its token expires a client gets a warning.
    public var tokenWarning: Duration = .seconds(60)
    /// Whether a client may watch everybody's presence; nil: on an open server only.
    public var directory: Bool?
    /// Whether all clients may read `/metrics`, not only this machine.
    public var metricsPublic = false
    /// The origins of web pages that may connect, in addition to the pages of this server, such as `https://calls.example.org`.
    ///
    /// `*` allows all origins, `null` pages from files. Behind a proxy that changes `Host`, add the proxy's origin.
    public var allowedOrigins: [String] = []
    /// The names by which browsers reach this server, such as `calls.example.org`, in addition to those of this machine.
    ///
    /// The server refuses browsers that use another name: an attacker could let a name resolve to this machine, and the attacker's
    /// page would count as this server's own. IP addresses are allowed, ports are not. With ``tls`` every name is accepted, since the
    /// browser has compared it with the certificate.
    public var allowedHosts: [String] = []
    /// The proxies whose `X-Forwarded-For` the server trusts, such as `127.0.0.1` or `10.0.0.0/8`.
    ///
    /// Limits then count the client's own address: the last one that is no trusted proxy. A request through a proxy, or from the
    /// address of a trusted proxy, does not have the rights of a local program. All clients behind a proxy that is not listed
    /// here count as one address.
    public var trustedProxies: [String] = []
    /// Whether the server itself sends `ringing` to the caller when an invite reached a device.
    public var announcesRinging = false

    // MARK: STUN and TURN

    /// STUN servers that the server sends to clients, such as `stun:stun.example.org:3478`.
    public var stunURLs: [String] = []
    /// TURN servers that the server sends to clients, with temporary credentials.
    public var turnURLs: [String] = []
    /// The file with the secret that is shared with the TURN servers (coturn's `static-auth-secret`).
    public var turnSecretFile: String?
    /// How long TURN credentials are valid; clients get new ones after three quarters of this time.
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
    /// How long a connection may be silent despite pings before the server closes it.
    public var silenceTimeout: Duration = .seconds(20)
    /// How many messages one connection may send per second; more are dropped and answered with error 429.
    ///
    /// Ten times as many frames close the connection with 1008.
    public var messagesPerSecond = 200
    /// How many messages may arrive at once after a pause.
    public var messageBurst = 400
    /// How many open calls one connection may have invited to; one more is answered with error 429.
    public var callsPerConnection = 256
    /// The same for all devices of a user together.
    public var callsPerUser = 1_024
    /// How many devices of a user may be signed in at once.
    public var devicesPerUser = 16
    /// How many sockets may be open in all; one more is closed at once, as with the next two limits.
    public var connections = 10_000
    /// How many sockets may be open without a sign-in.
    public var unauthenticatedConnections = 1_024
    /// How many sockets one address may have open; for IPv6, one /64.
    public var connectionsPerAddress = 256
    /// Whether ``connectionsPerAddress`` also applies to the addresses of this machine.
    public var countsLoopback = false
    /// How many bytes may wait for one client to read them; beyond it the server closes the connection with 1008.
    ///
    /// With a relay also how many bytes of a client's messages may wait for that.
    public var pendingBytes = 1_048_576
    /// How many bytes may wait for all clients together, and at the relay; beyond it the client with most bytes is cut off.
    public var pendingBytesInAll = 268_435_456
    /// How many user names the server remembers, to distinguish users who left (480) from unknown users (404).
    public var rememberedUsers = 100_000
    /// How long a closing connection may take to answer; also the limit for the whole ``Server/shutdown(grace:)``.
    public var closeTimeout: Duration = .seconds(2)

    /// A certificate and its key.
    public struct TLSFiles: Sendable, Equatable {
        /// The certificate chain in PEM, the server's own certificate first.
        public var certificateChainFile: String
        /// The private key in PEM, without a password.
        public var privateKeyFile: String

        /// Names the two files.
        public init(certificateChainFile: String, privateKeyFile: String) {
            self.certificateChainFile = certificateChainFile
            self.privateKeyFile = privateKeyFile
        }
    }

    /// Makes a configuration with the limits of `docs/signaling.md`.
    public init(host: String = "127.0.0.1", port: Int = 8080) {
        self.host = host
        self.port = port
    }
}

extension ServerConfiguration {
    /// Checks every field, so that the code below gets only usable values.
    func check() throws(ServerError) {
        try require(!host.isEmpty, "host", "is empty")
        try require((0...65_535).contains(port), "port", "\(port) is not in 0...65535")
        // A sign-in with a token needs some space, and a frame's length has to fit into 32 bits.
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

    private func require(_ condition: Bool, _ field: String, _ text: String) throws(ServerError) {
        guard condition else { throw .invalidConfiguration(field: field, text: text) }
    }
}
