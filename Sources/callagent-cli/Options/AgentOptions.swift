public import ArgumentParser
public import CallAgent

/// The user of a command, its signaling server, and how its calls begin.
struct AgentOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The user to sign in as. Required, except with --http-listen.", valueName: "user"))
    private var name: String?

    /// The user; empty if none was given.
    var user: String { name ?? "" }

    @Option(
        help: ArgumentHelp(
            "The signaling server, ws:// or wss://, or the MQTT broker, mqtt:// or mqtts://. (default: the environment variable \(EnvironmentSetting.signaling.rawValue), else \(standardSignaling))",
            valueName: "url"))
    private var signaling: String?

    private static let standardSignaling = "ws://127.0.0.1:8080"

    /// Whether the command line names a signaling server.
    var namesSignaling: Bool { signaling != nil }

    /// The signaling server.
    var signalingURL: String { signaling ?? Self.environmentSignaling }

    /// The signaling server of those who name none.
    static var environmentSignaling: String { EnvironmentSetting.signaling.value ?? standardSignaling }

    @Option(help: ArgumentHelp("How much of the call is set up while it rings here.", valueName: "full|guarded|off"))
    var earlyMedia: EarlyMediaPolicy = .guarded

    @Option(help: ArgumentHelp("How long a call may ring.", valueName: "2s|500ms"))
    var ringTimeout = DurationArgument(.seconds(30))

    @Option(help: ArgumentHelp("How long an accepted call may take until media arrives.", valueName: "2s|500ms"))
    var connectTimeout = DurationArgument(.seconds(10))

    @Option(
        help: ArgumentHelp(
            "How long an accepted call with audio waits for its video before it is connected by audio alone. "
                + "Default: until --connect-timeout.",
            valueName: "2s|500ms"))
    var audioGrace: DurationArgument?

    @Flag(
        help: ArgumentHelp(
            "Build this end of the next call in advance. Devices and sockets stay open meanwhile."
        ))
    var joinAhead = false

    /// Refuses a command line without a user.
    ///
    /// Called when the command runs: a misspelt option, which is found after the validation, is the better complaint.
    func requireUser(of command: String) throws(Failure) {
        guard name == nil else { return }
        throw Failure(.usage, "Missing expected argument '--as <user>'; see \(Help.command([command]))")
    }

    func validate() throws {
        if let name, !SignalingLimits.isName(name) {
            throw ValidationError(CallError.invalidUser(name).description)
        }
        guard ringTimeout.milliseconds > 0, connectTimeout.milliseconds > 0 else {
            throw ValidationError("a timeout must be longer than 0")
        }
        guard ringTimeout.milliseconds <= SignalingLimits.ringTimeoutMs else {
            throw ValidationError("a call may ring for \(SignalingLimits.ringTimeoutMs / 1_000) s at most")
        }
    }
}

extension EarlyMediaPolicy: ExpressibleByArgument {}
