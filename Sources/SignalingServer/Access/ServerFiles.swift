internal import FoundationEssentials
internal import NIOSSL
internal import TransportSecurity

/// Reads the files that a configuration names.
enum ServerFiles {
    /// The fewest bytes of the secret shared with the TURN server.
    private static let shortestTURNSecretBytes = 8

    /// The policy of the switchboard, with the keys and secrets from the files.
    static func policy(
        _ configuration: ServerConfiguration
    ) async throws(ServerError) -> SwitchboardPolicy {
        var policy = SwitchboardPolicy()
        policy.callsPerConnection = configuration.callsPerConnection
        policy.callsPerUser = configuration.callsPerUser
        policy.devicesPerUser = configuration.devicesPerUser
        policy.rememberedUsers = configuration.rememberedUsers
        policy.messagesPerSecond = configuration.messagesPerSecond
        policy.messageBurst = configuration.messageBurst
        policy.announcesRinging = configuration.announcesRinging
        policy.tokenWarningMs = milliseconds(configuration.tokenWarning)
        policy.verifier = try await verifier(configuration)
        policy.hasDirectory = configuration.directory ?? (policy.verifier == nil)
        policy.iceServers = try iceServers(configuration)
        return policy
    }

    /// The TLS context; nil without a certificate.
    static func tlsContext(
        _ configuration: ServerConfiguration
    ) throws(ServerError) -> NIOSSLContext? {
        guard let files = configuration.tls else { return nil }
        let certificate = ServerCertificate(chainFile: files.certificateChainFile, keyFile: files.privateKeyFile)
        do throws(ServerCertificate.Unusable) {
            return try certificate.context()
        } catch {
            throw .unusableFile(error.file, text: error.text)
        }
    }

    /// The initial deny list and its file; nil without a file.
    static func denyList(
        _ configuration: ServerConfiguration
    ) throws(ServerError) -> (list: DenyList, file: DenyListFile)? {
        guard let path = configuration.denyListFile else { return nil }
        var file = DenyListFile(path: path)
        switch file.readAgain(isFirst: true) {
        case .list(let list): return (list, file)
        case .unusable(let text): throw .unusableFile(path, text: text)
        case .none: return (DenyList(), file)
        }
    }

    private static func verifier(
        _ configuration: ServerConfiguration
    ) async throws(ServerError) -> TokenVerifier? {
        let files = configuration.tokenKeyFiles
        guard !files.isEmpty else { return nil }
        do throws(TokenError) {
            var verifier = try await TokenVerifier(keyFiles: files)
            (verifier.audience, verifier.issuer) = (configuration.tokenAudience, configuration.tokenIssuer)
            return verifier
        } catch {
            guard case .unusableKey(let file, let text) = error else { return nil }
            throw .unusableFile(file, text: text)
        }
    }

    private static func iceServers(
        _ configuration: ServerConfiguration
    ) throws(ServerError) -> IceServerOffer? {
        guard !configuration.stunURLs.isEmpty || !configuration.turnURLs.isEmpty else { return nil }
        var secret: [UInt8] = []
        if let file = configuration.turnSecretFile {
            guard let data = try? Data(contentsOf: URL(filePath: file)) else {
                throw .unusableFile(file, text: "it cannot be read; does it exist, and may this user read it?")
            }
            // Editors end a file with a line end, which is not part of the secret.
            secret = Array(data.prefix((data.lastIndex { $0 != 0x0A && $0 != 0x0D } ?? -1) + 1))
            guard (shortestTURNSecretBytes...4_096).contains(secret.count) else {
                throw .unusableFile(
                    file, text: "its secret has \(secret.count) bytes, not \(shortestTURNSecretBytes) to 4096")
            }
        }
        return IceServerOffer(
            stunURLs: configuration.stunURLs, turnURLs: configuration.turnURLs, secret: secret,
            lifetimeMs: milliseconds(configuration.turnLifetime))
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        // The configuration was checked: at most one day.
        Int(duration.components.seconds) * 1_000 + Int(duration.components.attoseconds / 1_000_000_000_000_000)
    }
}
