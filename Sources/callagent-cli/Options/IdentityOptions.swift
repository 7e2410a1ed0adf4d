internal import ArgumentParser
internal import CallAgent
internal import Foundation
internal import Logging
internal import WebSocketSignaling

/// How a user signs in, and what it sends about itself.
struct IdentityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The token to sign in with. Other users of this machine can see it; prefer --token-file, or the environment variable \(EnvironmentSetting.token.rawValue).",
            valueName: "token"))
    var token: String?

    @Option(
        help: ArgumentHelp(
            "A file with the token to sign in with. It is read again at each sign-in.", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "The name of this device. All devices of a user ring at once. Default: main.", valueName: "name"))
    var device: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with certificates to trust for wss://, turns: and https:// hooks, in addition to the system's.",
            valueName: "file"),
        completion: .file())
    var trustRoots: String?

    @Option(help: ArgumentHelp("The caller's name that callees get.", valueName: "text"))
    var displayName: String?

    @Option(help: ArgumentHelp("The caller's address that callees get.", valueName: "user@domain"))
    var address: String?

    @Option(
        name: .customLong("extension"),
        help: ArgumentHelp("Data for the peer's application, sent with each call (repeatable).", valueName: "key=value")
    )
    var extensionData: [KeyValue] = []

    /// ``extensionData`` as a dictionary; the last value of a key counts.
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
    var hasToken: Bool { tokenProvider != nil }

    /// Returns the token for each sign-in; nil if there is no token.
    private var tokenProvider: (@Sendable () async throws -> String)? {
        if let tokenFile { return { try TokenFile.read(tokenFile) } }
        guard let token = token ?? EnvironmentSetting.token.value else { return nil }
        return { token }
    }

    /// The transport for one sign-in.
    func transport(url: String, logger: Logger) -> WebSocketTransport {
        var configuration = WebSocketTransportConfiguration()
        configuration.trustRootsFile = trustRoots
        return WebSocketTransport(
            url: url, device: device, token: tokenProvider, configuration: configuration, logger: logger)
    }
}

/// A key and a value, written `KEY=VALUE`.
struct KeyValue: ExpressibleByArgument, Equatable {
    let key: String
    let value: String

    init?(argument: String) {
        guard let mark = argument.firstIndex(of: "="), mark > argument.startIndex else { return nil }
        key = String(argument[..<mark])
        value = String(argument[argument.index(after: mark)...])
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
