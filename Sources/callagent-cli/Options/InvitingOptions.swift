internal import ArgumentParser
internal import CallAgent
internal import Logging
internal import MQTTSignaling
internal import WebSocketSignaling

/// Whom `callagent room join` calls into the room.
struct InvitingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Call this user, who comes to the room when it accepts (repeatable). The stay ends when nobody is left.",
            valueName: "user"))
    var invite: [String] = []

    @Option(
        help: ArgumentHelp(
            "The signaling server or MQTT broker for --invite. (default: as for callagent call)", valueName: "url"))
    private var signaling: String?

    @Option(
        help: ArgumentHelp("A file with the token for the signaling server.", valueName: "file"), completion: .file())
    var signalingTokenFile: String?

    @Option(help: ArgumentHelp("How long an invited user may take to accept. (default: 30s)", valueName: "2s|500ms"))
    var ringTimeout: DurationArgument?

    /// The signaling server.
    var url: String { signaling ?? AgentOptions.environmentSignaling }

    func validate() throws {
        for user in invite where !SignalingLimits.isName(user) {
            throw ValidationError("--invite: " + CallError.invalidUser(user).description)
        }
        guard !invite.isEmpty || (signaling == nil && signalingTokenFile == nil && ringTimeout == nil) else {
            throw ValidationError("--signaling, --signaling-token-file and --ring-timeout need --invite")
        }
        guard Set(invite).count == invite.count else { throw ValidationError("--invite names a user twice") }
        guard (1...SignalingLimits.ringTimeoutMs).contains(ringTimeout?.milliseconds ?? 1) else {
            throw ValidationError("a call may ring for \(SignalingLimits.ringTimeoutMs / 1_000) s at most")
        }
    }

    /// The transport for one sign-in.
    func transport(_ tokens: TokenOptions, logger: Logger) -> any SignalingTransport {
        var tokens = tokens
        // That of the options is for the media server.
        (tokens.token, tokens.tokenFile) = (nil, signalingTokenFile)
        // The user may have another program that takes calls.
        return tokens.transport(url: url, device: DeviceName.unique, logger: logger)
    }
}
