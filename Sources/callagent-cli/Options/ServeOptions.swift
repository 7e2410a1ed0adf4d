internal import ArgumentParser
internal import SignalingServer

/// The signaling server's address, access rules and services.
struct ServeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The address to listen on. With port 0 the system chooses.", valueName: "HOST:PORT"))
    var listen = "127.0.0.1:8080"

    @Option(
        help: ArgumentHelp(
            "Listen with TLS. The file has the certificate chain in PEM, the server's own certificate first.",
            valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The private key of the certificate, in PEM without a password.", valueName: "file"))
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "Let in only users with a token that this key verifies: a secret of 32 bytes or more (HS256), or a P-256 key in PEM (ES256). Repeatable, so that keys can be changed. Without a key everybody is let in.",
            valueName: "file"))
    var tokenKeyFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "The audience (aud) that tokens must have. Without this option they must have none.", valueName: "text"))
    var tokenAudience: String?

    @Option(help: ArgumentHelp("The issuer (iss) that tokens must have.", valueName: "text"))
    var tokenIssuer: String?

    @Option(
        help: ArgumentHelp(
            "A file of tokens and users that may not sign in: lines 'jti IDENTIFIER' and 'sub USER'. It is read again when it changes; denied connections are closed.",
            valueName: "file"),
        completion: .file())
    var denyList: String?

    @Option(
        help: ArgumentHelp(
            "A STUN server that clients get, such as stun:stun.example.org. Repeatable.", valueName: "url"))
    var stunURL: [String] = []

    @Option(
        help: ArgumentHelp(
            "A TURN server that clients get, with temporary credentials. Repeatable.", valueName: "url"))
    var turnURL: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file with the secret shared with the TURN servers: coturn's static-auth-secret, with use-auth-secret.",
            valueName: "file"))
    var turnSecretFile: String?

    @Option(help: ArgumentHelp("How long TURN credentials are valid.", valueName: "1h|30m"))
    var turnLifetime = DurationArgument(.seconds(3_600))

    @Flag(help: "Send the caller a ringing message as soon as a device has the invite, for devices that send none.")
    var announceRinging = false

    @Flag(
        inversion: .prefixedNo,
        help: "Let clients watch the presence of all users. (default: only without --token-key-file)"
    )
    var directory: Bool?

    @Flag(help: "Let every address read /metrics, not only this machine.")
    var metricsPublic = false

    @Option(
        help: ArgumentHelp(
            "An origin whose web pages may connect, in addition to this server's own address: https://calls.example.org, null for pages from files, * for all. Repeatable.",
            valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "A host name by which browsers reach this server, such as calls.example.org, in addition to localhost and its listening address. Repeatable. With --tls-cert all names are accepted.",
            valueName: "host"))
    var allowHost: [String] = []

    @Option(
        help: ArgumentHelp(
            "A proxy in front of this server, whose X-Forwarded-For is trusted: 127.0.0.1, or a block such as 10.0.0.0/8. Repeatable.",
            valueName: "address"))
    var trustedProxy: [String] = []

    @Option(help: ArgumentHelp("The most connections that may be open.", valueName: "count"))
    var maxConnections = ServerConfiguration().connections

    @Option(
        help: ArgumentHelp(
            "The most connections for one address (IPv6: one /64). This machine has no limit.", valueName: "count"
        ))
    var maxConnectionsPerAddress = ServerConfiguration().connectionsPerAddress

    @Option(
        help: ArgumentHelp("The most devices of one user that may be signed in at the same time.", valueName: "count"))
    var maxDevices = ServerConfiguration().devicesPerUser

    @Option(help: ArgumentHelp("The most messages a second that one connection may send.", valueName: "count"))
    var maxMessageRate = ServerConfiguration().messagesPerSecond

    @Option(
        help: ArgumentHelp(
            "The most bytes that may wait for all clients together. Beyond it the client with the most is disconnected.",
            valueName: "count"))
    var maxPendingBytes = ServerConfiguration().pendingBytesInAll

    @Option(
        help: ArgumentHelp(
            "How long clients have to read their last messages when the server stops.", valueName: "1s|500ms"))
    var grace = DurationArgument(.milliseconds(1_500))

    func validate() throws {
        _ = try ListenAddress(listen)
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key go together")
        }
        // The program ends within 2 s of a signal.
        guard (1...1_500).contains(grace.milliseconds) else { throw ValidationError("--grace is 1ms to 1500ms") }
    }

    /// The server's configuration.
    func configuration() throws -> ServerConfiguration {
        let address = try ListenAddress(listen)
        var configuration = ServerConfiguration(host: address.host, port: address.port)
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
        configuration.devicesPerUser = maxDevices
        configuration.connectionsPerAddress = maxConnectionsPerAddress
        configuration.messagesPerSecond = maxMessageRate
        configuration.pendingBytesInAll = maxPendingBytes
        // As in the defaults: a burst after a pause may be two seconds' worth of messages.
        configuration.messageBurst = min(max(maxMessageRate, 1), 5_000_000) * 2
        return configuration
    }

    /// The options of the server's settings.
    private static let options = [
        "tokenKeyFiles": "--token-key-file", "tokenAudience": "--token-audience", "tokenIssuer": "--token-issuer",
        "denyListFile": "--deny-list", "stunURLs": "--stun-url", "turnURLs": "--turn-url",
        "turnSecretFile": "--turn-secret-file", "turnLifetime": "--turn-lifetime", "allowedOrigins": "--allow-origin",
        "allowedHosts": "--allow-host", "trustedProxies": "--trusted-proxy", "connections": "--max-connections",
        "devicesPerUser": "--max-devices", "connectionsPerAddress": "--max-connections-per-address",
        "messagesPerSecond": "--max-message-rate", "pendingBytesInAll": "--max-pending-bytes",
    ]

    /// What is wrong with a setting, in the words of the command line.
    static func naming(_ field: String, _ text: String) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        // A word of English may be the name of a setting, too, unless it has a capital letter inside.
        let named = words.map { $0.contains(where: \.isUppercase) ? options[$0] ?? $0 : $0 }
        return ([options[field] ?? field] + named).joined(separator: " ")
    }
}
