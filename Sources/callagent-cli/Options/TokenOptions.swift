internal import ArgumentParser
internal import CallAgent
internal import Foundation
internal import LocalNetwork
internal import Logging
internal import MQTTSignaling
internal import WebSocketSignaling

/// How a command signs in at a server, and which servers it trusts.
struct TokenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The token to sign in with. Other users of this machine can see it; prefer --token-file. For signaling servers the environment variable \(EnvironmentSetting.token.rawValue) replaces it.",
            valueName: "token"))
    var token: String?

    @Option(
        help: ArgumentHelp(
            "A file with the token to sign in with. It is read again at each sign-in.", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with certificates to trust for wss://, mqtts://, https:// and turns:, in addition to the system's.",
            valueName: "file"),
        completion: .file())
    var trustRoots: String?

    @Option(
        help: ArgumentHelp(
            "For mqtts://: a PEM file with the certificate that this client shows the broker.", valueName: "file"),
        completion: .file())
    var clientCert: String?

    @Option(
        help: ArgumentHelp("A PEM file with the key of --client-cert, without a password.", valueName: "file"),
        completion: .file())
    var clientKey: String?

    func validate() throws {
        guard (clientCert == nil) == (clientKey == nil) else {
            throw ValidationError("--client-cert and --client-key belong together")
        }
        guard token == nil || tokenFile == nil else {
            throw ValidationError("--token and --token-file exclude each other")
        }
    }

    /// Returns the token for each sign-in; nil if there is no token.
    var provider: (@Sendable () async throws -> String)? {
        if let optionProvider { return optionProvider }
        guard let token = EnvironmentSetting.token.value else { return nil }
        return { token }
    }

    /// The token of the options alone: that of the environment is for the user's own signaling server.
    var optionProvider: (@Sendable () async throws -> String)? {
        if let tokenFile { return { try TokenFile.read(tokenFile) } }
        guard let token else { return nil }
        return { token }
    }

    /// Refuses a token file that cannot be read, before anything is opened.
    func check() throws { if let tokenFile { _ = try TokenFile.read(tokenFile) } }

    /// Prints a warning that the libraries only log: the log does not show warnings by default.
    func warnOfPlainToken(to url: String, _ log: LogOptions) {
        let isMediaServer = url.lowercased().hasPrefix("http")
        if (isMediaServer ? optionProvider : provider) != nil { Self.warnIfPlain("the token", to: url, log) }
    }

    /// Prints a warning if `secret`, such as "the token", goes to another machine without encryption.
    static func warnIfPlain(_ secret: String, to url: String, _ log: LogOptions) {
        let (host, scheme) = (ServerHost.of(url), url.prefix { $0 != ":" }.lowercased())
        guard log.logLevel.loggerLevel > .warning, !host.isEmpty, !LocalAddresses.isLoopback(host),
            ["ws", "http", "mqtt"].contains(scheme)
        else { return }
        Output.error("warning: \(secret) goes to \(host) unencrypted; use \(scheme)s://")
    }

    /// The transport for one sign-in: the scheme of the URL selects it.
    func transport(url: String, device: String?, isInPool: Bool = false, logger: Logger) -> any SignalingTransport {
        if url.lowercased().hasPrefix("mqtt") {
            var configuration = MQTTTransportConfiguration()
            configuration.trustRootsFile = trustRoots
            (configuration.certificateFile, configuration.keyFile) = (clientCert, clientKey)
            return MQTTTransport(
                url: url, device: device, isInPool: isInPool, token: provider, configuration: configuration,
                logger: logger)
        }
        var configuration = WebSocketTransportConfiguration()
        configuration.trustRootsFile = trustRoots
        return WebSocketTransport(
            url: url, device: device, token: provider, configuration: configuration, logger: logger)
    }
}

/// Environment variables that replace an option; the option wins.
enum EnvironmentSetting: String {
    case signaling = "CALLAGENT_SIGNALING"
    case token = "CALLAGENT_TOKEN"

    /// Nil if it is not set or empty.
    var value: String? {
        let value = ProcessInfo.processInfo.environment[rawValue] ?? ""
        return value.isEmpty ? nil : value
    }
}
