internal import ArgumentParser
internal import CallAgent
internal import Foundation
internal import MediaEngine

/// The command `callagent listen`.
struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Waits for calls and answers them.",
        discussion: "It connects to the signaling server again for ever once it was connected.")

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

    @OptionGroup var agent: AgentOptions
    @OptionGroup var expectations: ExpectOptions

    @Option(help: ArgumentHelp("When to accept a call.", valueName: "now|2s|never"))
    var answer: Answer = .after(.zero)

    @Flag(help: "Reject every call as declined.")
    var reject = false

    @Flag(help: "Reject every call as busy.")
    var busy = false

    @Option(help: ArgumentHelp("How many calls to have at a time; one more is told 'busy'.", valueName: "N"))
    var maxCalls = 1

    @Flag(help: "End after the first call.")
    var once = false

    @Option(help: ArgumentHelp("How long a call may last before it is hung up.", valueName: "2s|500ms"))
    var maxDuration: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "A user whose calls are answered (repeatable); others are declined. Needed unless the signaling is on loopback.",
            valueName: "user"))
    var allow: [String] = []

    func validate() throws {
        guard (1...1_000).contains(maxCalls) else { throw ValidationError("--max-calls takes 1 to 1000") }
        guard !(reject && busy) else { throw ValidationError("--reject and --busy exclude each other") }
        let host = URLComponents(string: agent.signaling)?.host ?? ""
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
        let callee = try await agent.prepareAgent(maximumCalls: maxCalls)
        if agent.output.events {
            var event = EventDocument("listening")
            event.user = callee.user
            Output.event(event)
        } else if !agent.output.json {
            Output.line("listening as \(callee.user) at \(agent.signaling)")
        }
        // Kept only for what is told at the end: a listener may run for months.
        let log = agent.output.json || once || !expectations.expect.isEmpty ? ReportLog() : nil
        let command = self
        await withDiscardingTaskGroup { group in
            for await call in callee.incomingCalls {
                group.addTask { @Sendable in
                    let report = await command.handle(call)
                    log?.append(report)
                }
                if command.once { break }
            }
        }
        let reports = log?.reports ?? []
        await Task { await callee.close() }.value
        let document = Document(calls: reports.map { CallDocument($0) }, summary: SummaryDocument(ends: reports))
        if agent.output.json { Output.document(document) }
        if once, let end = reports.first?.end, let failure = Failure(end), !reject, !busy { throw failure }
        try Output.check(document, expectations.expect)
    }

    private struct Document: Encodable {
        let calls: [CallDocument]
        let summary: SummaryDocument
    }

    private func handle(_ call: Call) async -> CallReport {
        let watch = CallWatch.follow(call, agent.output)
        if !agent.output.json, !agent.output.events { Output.line("\(call.peer) calls") }
        let conducting = Task { await conduct(call) }
        _ = await call.waitUntilEnded()
        conducting.cancel()
        await watch.value
        let report = await call.report()
        if agent.output.events {
            Output.event(EventDocument(report))
        } else if !agent.output.json {
            for line in Waterfall(report: report).lines + MediaLines.lines(report) { Output.line(line) }
        }
        return report
    }

    /// Does to a call what the options say; a call that ended meanwhile refuses, which is fine.
    private func conduct(_ call: Call) async {
        if busy { return (try? await call.reject(code: EndReason.remoteBusy.code, text: "busy")) ?? () }
        if reject || !(allow.isEmpty || allow.contains(call.peer)) {
            return (try? await call.reject(text: "declined")) ?? ()
        }
        guard case .after(let delay) = answer else { return }
        if delay > .zero, (try? await Task.sleep(for: delay)) == nil { return }
        try? await call.accept()
        guard let maxDuration, await CallWatch.untilConnected(call) else { return }
        guard (try? await Task.sleep(for: maxDuration.duration)) != nil else { return }
        await call.hangUp(text: "the longest duration of a call is over")
    }
}
