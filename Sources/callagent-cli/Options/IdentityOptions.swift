internal import ArgumentParser
internal import CallAgent
internal import Logging
internal import WebSocketSignaling

/// How a user signs in, and what its peers are told of it.
struct IdentityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The token to sign in with. Other users of this machine can see it; prefer --token-file.",
            valueName: "token"
        ))
    var token: String?

    @Option(
        help: ArgumentHelp("A file with the token to sign in with, read anew at each sign-in.", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "The name of this device; several devices of a user ring at once. Default: main.", valueName: "name"))
    var device: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with certificates to trust for wss://, turns: and https:// hooks besides the system's.",
            valueName: "file"),
        completion: .file())
    var trustRoots: String?

    @Option(help: ArgumentHelp("What callees are told as the caller's name.", valueName: "text"))
    var displayName: String?

    @Option(help: ArgumentHelp("What callees are told as the caller's address.", valueName: "user@domain"))
    var address: String?

    @Option(
        name: .customLong("extension"),
        help: ArgumentHelp("Data for the peer's application, with each call (repeatable).", valueName: "key=value"))
    var extensionData: [KeyValue] = []

    /// The same as a table; of one key the last value counts.
    var extensionTable: [String: String] {
        Dictionary(extensionData.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }

    func validate() throws {
        guard token == nil || tokenFile == nil else {
            throw ValidationError("--token and --token-file exclude each other")
        }
        guard device.map(SignalingLimits.isName) ?? true else {
            throw ValidationError(
                "'\(device ?? "")' is no device name: use 1 to 64 ASCII letters, digits and . _ - @ + :")
        }
        for (option, text) in [("--display-name", displayName), ("--address", address)] {
            guard SignalingLimits.isText(text ?? "") else {
                throw ValidationError("\(option) takes at most \(SignalingLimits.textBytes) bytes")
            }
        }
        guard SignalingLimits.isExtension(extensionTable) else {
            throw ValidationError(
                "--extension takes at most \(SignalingLimits.extensionEntries) keys of 1 to 64 ASCII letters, digits and "
                    + ". _ - @ + :, and \(SignalingLimits.extensionBytes) bytes in all")
        }
    }

    /// Whether it signs in with a token.
    var hasToken: Bool { token != nil || tokenFile != nil }

    /// Gives the token of each sign-in; nil when there is none.
    private var tokenProvider: (@Sendable () async throws -> String)? {
        if let tokenFile { return { try TokenFile.read(tokenFile) } }
        guard let token else { return nil }
        return { token }
    }

    /// The transport of one sign-in.
    func transport(url: String, logger: Logger) -> WebSocketSignaling {
        var configuration = WebSocketSignalingConfiguration()
        configuration.trustRootsFile = trustRoots
        return WebSocketSignaling(
            url: url, device: device, token: tokenProvider, configuration: configuration, logger: logger)
    }
}
