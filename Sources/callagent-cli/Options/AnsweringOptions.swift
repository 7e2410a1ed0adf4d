internal import ArgumentParser
internal import CallAgent

/// Which calls `callagent listen` answers, and when.
struct AnsweringOptions: ParsableArguments {
    /// When a call is answered.
    enum Answer: ExpressibleByArgument, Equatable {
        case after(Duration)
        case never

        init?(argument: String) {
            switch argument {
            case "now": self = .after(.zero)
            case "never": self = .never
            default:
                guard let duration = DurationArgument(argument: argument) else { return nil }
                self = .after(duration.duration)
            }
        }

        var defaultValueDescription: String { self == .after(.zero) ? "now" : "never" }
    }

    @Option(help: ArgumentHelp("When to accept a call.", valueName: "now|2s|never"))
    var answer: Answer = .after(.zero)

    @Flag(help: "Reject every call as declined.")
    var reject = false

    @Flag(help: "Reject every call as busy.")
    var busy = false

    @Option(help: ArgumentHelp("How many calls to have at a time; more callers get 'busy'.", valueName: "N"))
    var maxCalls = 1

    @Flag(
        help: ArgumentHelp(
            "Share the user's calls with all programs that listen as the same user with --pool, at an MQTT broker: each call rings at one of them, a busy one passes it on. SIGTERM takes no more calls and ends when those under way are over."
        ))
    var pool = false

    @Flag(help: "End after the first call; with --reject or --busy, after the first one refused.")
    var once = false

    @Option(help: ArgumentHelp("How long a call may last before it is hung up.", valueName: "10|500ms|1m30s|forever"))
    var maxDuration = TimeLimit(nil)

    @Option(
        help: ArgumentHelp(
            "A user whose calls are answered (repeatable); others are declined. Needed unless the signaling is on loopback.",
            valueName: "user"))
    var allow: [String] = []

    func validate() throws {
        guard (1...1_000).contains(maxCalls) else { throw ValidationError("--max-calls takes 1 to 1000") }
        guard !(reject && busy) else { throw ValidationError("--reject and --busy exclude each other") }
        for user in allow where !SignalingLimits.isName(user) {
            throw ValidationError("--allow: '\(user)' is no name of a user")
        }
    }

    /// Whether a call may ring: nothing is done for those that may not.
    ///
    /// `isFull` says that there are as many calls as are allowed, in rooms, too.
    func decide(_ invite: IncomingInvite, isFull: Bool = false) -> InviteDecision {
        if busy || isFull { return .refuse(code: EndReason.remoteBusy.code, text: "busy") }
        if reject || !(allow.isEmpty || allow.contains(invite.peer)) { return .refuse(text: "declined") }
        return .ring()
    }
}
