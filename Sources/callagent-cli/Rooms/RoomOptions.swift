internal import ArgumentParser
internal import CallAgent
internal import RoomClient

/// Which room a command joins, and as whom.
struct RoomOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The name or number of the room.", valueName: "room"))
    var room: String

    @Option(
        help: ArgumentHelp(
            "The WebSocket API of the Janus server, such as ws://127.0.0.1:8188/ or wss://HOST/janus.",
            valueName: "url"))
    var server: String

    @Option(name: .customLong("as"), help: ArgumentHelp("The name that the others see.", valueName: "name"))
    var displayName: String

    @Option(
        help: ArgumentHelp(
            "The PIN of the room. Other users of this machine can see it; prefer --pin-file.", valueName: "pin"))
    var pin: String?

    @Option(help: ArgumentHelp("A file with the PIN of the room.", valueName: "file"), completion: .file())
    var pinFile: String?

    @Option(
        help: ArgumentHelp("A file with the API secret of the server. It is read for each session.", valueName: "file"),
        completion: .file())
    var apiSecretFile: String?

    @Option(
        help: ArgumentHelp("How long connecting and each request may take.", valueName: "2s|500ms"))
    var requestTimeout = DurationArgument(.seconds(10))

    @OptionGroup var config: ConfigOptions

    func validate() throws {
        for (name, text) in [("the room", room), ("--as", displayName)] where !SignalingLimits.isName(text) {
            throw ValidationError(
                "'\(text.prefix(80))' cannot be the name of \(name): use 1 to 64 ASCII letters, digits and . _ - @ + :")
        }
        guard pin == nil || pinFile == nil else { throw ValidationError("--pin and --pin-file exclude each other") }
        guard requestTimeout.milliseconds > 0 else { throw ValidationError("a timeout must be longer than 0") }
        do {
            _ = try SignalingURL(server, .webSocket)
        } catch {
            throw ValidationError("--server: \(error.description)")
        }
    }

    /// The server, with the checks that are possible before anything is sent.
    func engine(_ tokens: TokenOptions, _ log: LogOptions) throws -> JanusEngine {
        try tokens.check()
        if tokens.optionProvider != nil { TokenOptions.warnIfPlain("the token", to: server, log) }
        var apiSecret: (@Sendable () async throws -> String)?
        if let apiSecretFile {
            _ = try TokenFile.read(apiSecretFile)
            TokenOptions.warnIfPlain("the API secret", to: server, log)
            apiSecret = { try TokenFile.read(apiSecretFile) }
        }
        do throws(RoomError) {
            return try JanusEngine(
                url: server, token: tokens.optionProvider, apiSecret: apiSecret, trustRootsFile: tokens.trustRoots,
                requestLimit: requestTimeout.duration, logger: log.logger("room"))
        } catch {
            throw Failure(error)
        }
    }

    /// The PIN of the options.
    func enteredPin() throws(Failure) -> String? {
        if let pinFile { return try TokenFile.read(pinFile) }
        return pin
    }
}

extension Failure {
    init(_ error: RoomError) {
        // Its texts come from the server.
        let text = error.description.printable
        switch error {
        case .invalidURL, .invalidName: self.init(.usage, text)
        case .unreachable(_, "connection refused"): self.init(.signaling, text + "; is it running?")
        case .unauthorized(let cause):
            // Janus' texts: "wrong or missing secret/token" of its API, "wrong secret" and others of a room.
            let option =
                cause.contains("secret/token") || cause.contains("API secret")
                ? "--token-file and --api-secret-file"
                : cause.contains("secret") ? "--secret-file" : "--pin-file and --token-file"
            self.init(.signaling, text + "; see \(option)")
        case .unreachable, .noAnswer, .lost: self.init(.signaling, text)
        case .removed: self.init(.notAnswered, "the room is over for this end: \(text)")
        case .noSuchRoom, .full, .refused, .noSuchParticipant, .notJoined, .notTransferred:
            self.init(.notAnswered, text)
        case .call(let error): self.init(error)
        }
    }
}
