internal import ArgumentParser
internal import SignalingServer

/// Where the signaling server listens, whom it lets in, and what it offers.
struct ServeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where to listen; port 0 lets the system choose.", valueName: "HOST:PORT"))
    var listen = "127.0.0.1:8080"

    @Option(
        help: ArgumentHelp("Listen with TLS: the certificate chain in PEM, the server's own first.", valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The private key of the certificate, in PEM without a password.", valueName: "file"))
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "Let in only users with a token that this key verifies: a secret of 32 bytes or more (HS256), or a P-256 key in PEM (ES256). Repeatable, so that keys can be changed. Without it everybody is let in.",
            valueName: "file"))
    var tokenKeyFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "What tokens have to name as their audience (aud); without it they must name none.", valueName: "text"))
    var tokenAudience: String?

    @Option(help: ArgumentHelp("What tokens have to name as their issuer (iss).", valueName: "text"))
    var tokenIssuer: String?

    @Option(
        help: ArgumentHelp(
            "Tokens and users that may not sign in: lines 'jti IDENTIFIER' and 'sub USER'. Read again when it changes; whom it denies is closed.",
            valueName: "file"),
        completion: .file())
    var denyList: String?

    @Option(
        help: ArgumentHelp(
            "A STUN server to tell clients of, such as stun:stun.example.org. Repeatable.", valueName: "url"))
    var stunURL: [String] = []

    @Option(
        help: ArgumentHelp(
            "A TURN server to tell clients of, with credentials for a time. Repeatable.", valueName: "url"))
    var turnURL: [String] = []

    @Option(
        help: ArgumentHelp(
            "The secret shared with the TURN servers: coturn's static-auth-secret, with use-auth-secret.",
            valueName: "file"))
    var turnSecretFile: String?

    @Option(help: ArgumentHelp("How long TURN credentials are good for.", valueName: "1h|30m"))
    var turnLifetime = DurationArgument(.seconds(3_600))

    @Flag(help: "Tell the caller that it rings as soon as a device has the invite, on behalf of devices that do not.")
    var announceRinging = false

    @Flag(
        inversion: .prefixedNo, help: "Let clients watch everybody's presence. (default: only without --token-key-file)"
    )
    var directory: Bool?

    @Flag(help: "Let anybody read /metrics, not only this machine.")
    var metricsPublic = false

    @Option(
        help: ArgumentHelp(
            "An origin whose web pages may connect, besides this server's own address: https://calls.example.org, null for pages from files, * for all. Repeatable.",
            valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "A name by which browsers reach this server, such as calls.example.org, besides localhost and the address that it listens on. Repeatable. With --tls-cert all count.",
            valueName: "host"))
    var allowHost: [String] = []

    @Option(
        help: ArgumentHelp(
            "A proxy in front of this server, whose X-Forwarded-For is believed: 127.0.0.1, or a block such as 10.0.0.0/8. Repeatable.",
            valueName: "address"))
    var trustedProxy: [String] = []

    @Option(help: ArgumentHelp("How many connections may be open.", valueName: "count"))
    var maxConnections = SignalingServerConfiguration().connections

    @Option(
        help: ArgumentHelp(
            "How many connections one address, of IPv6 one /64, may have; this machine's count not.", valueName: "count"
        ))
    var maxConnectionsPerAddress = SignalingServerConfiguration().connectionsPerAddress

    @Option(help: ArgumentHelp("How many messages a second one connection may send.", valueName: "count"))
    var maxMessageRate = SignalingServerConfiguration().messagesPerSecond

    @Option(
        help: ArgumentHelp(
            "How many bytes may wait for all clients together; beyond it the one with most is cut off.",
            valueName: "count"))
    var maxPendingBytes = SignalingServerConfiguration().pendingBytesInAll

    @Option(
        help: ArgumentHelp(
            "How long clients have to take their last messages when the server stops.", valueName: "1s|500ms"))
    var grace = DurationArgument(.milliseconds(1_500))

    func validate() throws {
        _ = try address()
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key go together")
        }
        // A signal is obeyed within 2 s.
        guard (1...1_500).contains(grace.milliseconds) else { throw ValidationError("--grace is 1ms to 1500ms") }
    }

    /// The server's configuration.
    func configuration() throws -> SignalingServerConfiguration {
        let (host, port) = try address()
        var configuration = SignalingServerConfiguration(host: host, port: port)
        if let tlsCert, let tlsKey {
            configuration.tls = .init(certificateChainFile: tlsCert, privateKeyFile: tlsKey)
        }
        configuration.tokenKeyFiles = tokenKeyFile
        configuration.tokenAudience = tokenAudience
        configuration.tokenIssuer = tokenIssuer
        configuration.denyListFile = denyList
        configuration.stunURLs = stunURL
        configuration.turnURLs = turnURL
        configuration.turnSecretFile = turnSecretFile
        configuration.turnLifetime = turnLifetime.duration
        configuration.announcesRinging = announceRinging
        configuration.directory = directory
        configuration.metricsPublic = metricsPublic
        configuration.allowedOrigins = allowOrigin
        configuration.allowedHosts = allowHost
        configuration.trustedProxies = trustedProxy
        configuration.connections = maxConnections
        configuration.connectionsPerAddress = maxConnectionsPerAddress
        configuration.messagesPerSecond = maxMessageRate
        configuration.pendingBytesInAll = maxPendingBytes
        // As in the defaults: what comes at once after a pause may be two seconds' worth.
        configuration.messageBurst = min(max(maxMessageRate, 1), 5_000_000) * 2
        return configuration
    }

    /// Splits `HOST:PORT`, with an IPv6 address in brackets.
    private func address() throws -> (host: String, port: Int) {
        guard let colon = listen.lastIndex(of: ":"), let port = Int(listen[listen.index(after: colon)...]),
            (0...65_535).contains(port), colon != listen.startIndex
        else { throw ValidationError("'\(listen)' is no HOST:PORT, such as 127.0.0.1:8080") }
        var host = listen[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return (String(host), port)
    }
}
