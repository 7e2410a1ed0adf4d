internal import ArgumentParser
internal import CallAgent
internal import Foundation
internal import LocalNetwork
internal import MediaEngine

/// The command `callagent listen`.
struct ListenCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Waits for calls and answers them.",
        discussion: "Once it was connected to the signaling server, it connects again forever.")

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

    static let commonOptions = [
        "as", "signaling", "answer", "allow", "video", "audio", "max-calls", "record", "once", "json",
    ]

    @OptionGroup(title: "Call") var agent: AgentOptions

    @Option(help: ArgumentHelp("When to accept a call.", valueName: "now|2s|never"))
    var answer: Answer = .after(.zero)

    @Flag(help: "Reject every call as declined.")
    var reject = false

    @Flag(help: "Reject every call as busy.")
    var busy = false

    @Option(help: ArgumentHelp("How many calls to have at a time; more callers get 'busy'.", valueName: "N"))
    var maxCalls = 1

    @Flag(help: "End after the first call; with --reject or --busy, after the first one refused.")
    var once = false

    @Option(help: ArgumentHelp("How long a call may last before it is hung up.", valueName: "10|500ms|1m30s|forever"))
    var maxDuration = TimeLimit(nil)

    @Option(
        help: ArgumentHelp(
            "A user whose calls are answered (repeatable); others are declined. Needed unless the signaling is on loopback.",
            valueName: "user"))
    var allow: [String] = []

    @OptionGroup(title: "Call") var start: StartOptions
    @OptionGroup(title: "Call") var script: ScriptOptions
    @OptionGroup(title: "Call") var identity: IdentityOptions
    @OptionGroup(title: "Media") var media: MediaOptions
    @OptionGroup(title: "Media") var codecs: CodecOptions
    @OptionGroup(title: "Network") var ice: IceOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Output") var hooks: HookOptions
    @OptionGroup(title: "Output") var log: LogOptions
    @OptionGroup(title: "Checks") var expectations: ExpectOptions
    @OptionGroup var config: ConfigOptions

    func validate() throws {
        try agent.requireUser()
        try validateTogether()
        guard (1...1_000).contains(maxCalls) else { throw ValidationError("--max-calls takes 1 to 1000") }
        guard !(reject && busy) else { throw ValidationError("--reject and --busy exclude each other") }
        let host = URLComponents(string: agent.signalingURL)?.host ?? ""
        // An open camera must be meant.
        guard !allow.isEmpty || reject || busy || answer == .never || LocalAddresses.isLoopback(host) else {
            throw ValidationError(
                "answering calls from everybody on \(host) must be meant: name the callers with --allow USER")
        }
    }

    func run() async throws {
        let command = self
        try await Interruption.handled { try await command.answerAll() }
    }

    private func answerAll() async throws {
        let session = try await Verdict.preparing("listen", expectations) {
            try await prepareAgent(maximumCalls: maxCalls, ahead: JoinAhead(roles: [.callee]), hooks: hooks) {
                decide($0)
            }
        }
        let callee = session.agent
        let events = callee.events
        if output.events {
            var event = EventDocument("listening")
            (event.user, event.device) = (callee.user, identity.device)
            Output.event(event)
        } else if !output.json {
            let device = identity.device.map { " on \($0)" } ?? ""
            Output.line("listening as \(callee.user)\(device) at \(agent.signalingURL)")
        }
        // Kept only for the report at the end: a listener may run for months.
        let isReported = output.json || once || !expectations.expect.isEmpty || expectations.junit != nil
        let kept = isReported ? OutcomeLog() : nil
        let command = self
        if once && (reject || busy) {
            for await event in events { if case .inviteRefused = event { break } }
        } else {
            await withDiscardingTaskGroup { group in
                for await call in callee.incomingCalls {
                    group.addTask { @Sendable in
                        let outcome = await command.handle(call)
                        kept?.append(outcome)
                    }
                    if command.once { break }
                }
            }
        }
        let failure = await session.close()
        let outcomes = kept?.outcomes ?? []
        let document = CallsDocument(outcomes.map(\.report))
        // Of many calls some may fail.
        let judged = outcomes.map { JudgedCall(call: CallDocument($0.report), failure: once ? $0.failure : nil) }
        var verdict = Verdict(command: "listen", calls: judged)
        verdict.failure = failure
        try verdict.conclude(document, expectations, output)
    }

    private func handle(_ call: Call) async -> CallOutcome {
        if !output.json, !output.events { Output.line("\(caller(of: call)) calls") }
        return await attendance().attend(call) { await conduct(call) }
    }

    /// The caller, with what it said of itself, which nobody has checked.
    private func caller(of call: Call) -> String {
        let said = [call.callerDisplayName, call.callerAddress].compactMap(\.self).map { "\"\($0.printable)\"" }
        let data = call.inviteExtension.isEmpty ? "" : " [\(CallWatch.pairs(call.inviteExtension))]"
        return call.peer + (said.isEmpty ? "" : " (\(said.joined(separator: ", ")))") + data
    }

    /// Whether a call may ring: nothing is done for those that may not.
    private func decide(_ invite: IncomingInvite) -> InviteDecision {
        if busy { return .refuse(code: EndReason.remoteBusy.code, text: "busy") }
        if reject || !(allow.isEmpty || allow.contains(invite.peer)) { return .refuse(text: "declined") }
        return .ring()
    }

    /// Does to a call what the options say; a call that ended meanwhile refuses, which is fine.
    private func conduct(_ call: Call) async {
        guard case .after(let delay) = answer else { return }
        if delay > .zero, (try? await Task.sleep(for: delay)) == nil { return }
        try? await call.accept(audio: start.audio, video: start.video, output: !start.startOutputOff)
        guard let limit = maxDuration.duration, (try? await call.waitUntilConnected()) != nil else { return }
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        await call.hangUp(text: "the longest duration of a call is over")
    }
}
