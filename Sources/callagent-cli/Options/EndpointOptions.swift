internal import ArgumentParser
internal import CallAgent
internal import LocalNetwork
internal import Logging
internal import SignalingServer
internal import WHIPSignaling

/// Whether `callagent listen` is a media server itself, and who may use it.
struct EndpointOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Be a media server instead of signing in at a signaling server: take sessions over WHIP at /whip and WHEP at /whep. With port 0 the system chooses.",
            valueName: "HOST:PORT"))
    var httpListen: String?

    @Option(
        help: ArgumentHelp(
            "A key file for the tokens of such clients, made with 'callagent token'. Repeatable. A token's user is the caller. Without a key every client is '\(WHIPEndpointConfiguration.guest)'.",
            valueName: "file"),
        completion: .file())
    var httpTokenKeyFile: [String] = []

    @Option(
        help: ArgumentHelp("The certificate chain for https://, in PEM.", valueName: "file"), completion: .file())
    var httpTLSCert: String?

    @Option(
        help: ArgumentHelp("The private key of the certificate, in PEM without a password.", valueName: "file"),
        completion: .file())
    var httpTLSKey: String?

    func validate() throws {
        guard (httpTLSCert == nil) == (httpTLSKey == nil) else {
            throw ValidationError("--http-tls-cert and --http-tls-key go together")
        }
        guard let httpListen else {
            guard httpTokenKeyFile.isEmpty, httpTLSCert == nil else {
                throw ValidationError("--http-token-key-file, --http-tls-cert and --http-tls-key need --http-listen")
            }
            return
        }
        _ = try ListenAddress(httpListen)
    }

    /// The address; nil without `--http-listen`.
    var address: ListenAddress? { httpListen.flatMap { try? ListenAddress($0) } }

    /// Whether only clients with a token are served, or only programs of this machine.
    var isGuarded: Bool { !httpTokenKeyFile.isEmpty || address.map { LocalAddresses.isLoopback($0.host) } ?? false }

    /// Prints a warning if others on the network path can read the tokens of clients.
    private func warnOfPlainTokens() {
        guard let address, !httpTokenKeyFile.isEmpty, httpTLSCert == nil, !LocalAddresses.isLoopback(address.host)
        else {
            return
        }
        Output.error("warning: the tokens of clients come unencrypted; use --http-tls-cert and --http-tls-key")
    }

    /// The endpoint for the agent `user`; nil without `--http-listen`.
    func endpoint(
        for user: String, ringing: Duration, iceServers: [IceServer], logger: Logger
    ) async throws(Failure) -> WHIPEndpoint? {
        guard let address else { return nil }
        var configuration = WHIPEndpointConfiguration(host: address.host, port: address.port)
        configuration.ringTimeout = ringing
        if let httpTLSCert, let httpTLSKey {
            configuration.tls = .init(certificateChainFile: httpTLSCert, privateKeyFile: httpTLSKey)
        }
        guard !httpTokenKeyFile.isEmpty else { return WHIPEndpoint(configuration, logger: logger) }
        do throws(TokenError) {
            let verifier = try await TokenVerifier(keyFiles: httpTokenKeyFile)
            configuration.user = { try verifier.user(of: $0, calling: user) }
        } catch {
            throw Failure(.prerequisite, error.description)
        }
        warnOfPlainTokens()
        // A password for TURN is for clients that have shown who they are.
        configuration.iceServers = iceServers
        return WHIPEndpoint(configuration, logger: logger)
    }
}
