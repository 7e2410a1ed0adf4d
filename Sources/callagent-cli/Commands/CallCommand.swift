internal import ArgumentParser
internal import CallAgent

/// The command `callagent call`.
struct CallCommand: AgentCommand {
    static let configuration = CommandConfiguration(commandName: "call", abstract: "Places a call.")

    static let commonOptions = [
        "as", "signaling", "video", "audio", "audio-only", "duration", "repeat", "expect", "junit", "json",
    ]

    @Argument(help: "The user to call.")
    var peer: String

    @OptionGroup(title: "Call") var agent: AgentOptions

    @Option(help: ArgumentHelp("How long to stay connected.", valueName: "10|500ms|1m30s|forever"))
    var duration = TimeLimit(.seconds(10))

    @Flag(help: "Call without video.")
    var audioOnly = false

    @Option(
        name: .customLong("repeat"), help: ArgumentHelp("How many calls to place, one after the other.", valueName: "N")
    )
    var count = 1

    @Option(help: ArgumentHelp("The id of the call; default: a random one.", valueName: "id"))
    var callId: String?

    @Option(help: ArgumentHelp("The room of the call; default: a random one.", valueName: "room"))
    var room: String?

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
        guard (1...100_000).contains(count) else { throw ValidationError("--repeat takes 1 to 100000") }
        guard SignalingLimits.isName(peer) else { throw ValidationError(CallError.invalidUser(peer).description) }
        for (option, name) in [("--call-id", callId), ("--room", room)] {
            guard let name else { continue }
            guard SignalingLimits.isName(name) else {
                throw ValidationError(
                    "\(option): '\(name)' is no name: use 1 to 64 ASCII letters, digits and . _ - @ + :")
            }
            guard count == 1 else {
                throw ValidationError("\(option) is for one call; it cannot be used with --repeat")
            }
        }
        if let limit = duration.duration, let late = script.at.first(where: { $0.time.duration >= limit }) {
            throw ValidationError(
                "--at \(late.time.defaultValueDescription)=\(late.text) comes after the call's end; raise --duration")
        }
    }

    private var callMedia: CallMedia { audioOnly ? .audioOnly : .audioVideo }

    func run() async throws {
        let command = self
        try await Interruption.handled { try await command.placeAll() }
    }

    private func placeAll() async throws {
        let session = try await Verdict.preparing("call", expectations) {
            try await prepareAgent(ahead: JoinAhead(media: callMedia), hooks: hooks)
        }
        var verdict = Verdict(command: "call")
        var reports: [CallReport] = []
        for _ in 0..<count where !Task.isCancelled {
            do throws(CallError) {
                let outcome = try await place(with: session.agent)
                reports.append(outcome.report)
                verdict.calls.append(JudgedCall(call: CallDocument(outcome.report), failure: outcome.failure))
                if count > 1, !output.json, !output.events { showProgress(verdict.calls) }
            } catch {
                verdict.failure = Failure(error)
                break
            }
        }
        if let failure = await session.close() { verdict.failure = failure }
        let document = CallsDocument(reports)
        StatusLine.show(nil, for: Self.progressName)
        if count > 1, !output.json, !output.events {
            for line in SummaryTable(document.summary).lines { Output.line(line) }
        }
        try verdict.conclude(document, expectations, output)
    }

    private static let progressName = "calls"

    /// On a terminal a line that is written again, and a line for each call that failed; elsewhere a line for each call.
    private func showProgress(_ calls: [JudgedCall]) {
        guard let last = calls.last else { return }
        if Output.isTerminal {
            let firstFrames = Spread(calls.compactMap { $0.call.milliseconds(of: .firstVideoFrame) })
            let firstFrame = firstFrames.map { ", first frame \(Int($0.median.rounded())) ms" } ?? ""
            let failed = calls.count { $0.failure != nil }
            StatusLine.show("\(calls.count) of \(count), \(failed) failed\(firstFrame)", for: Self.progressName)
            guard last.failure != nil else { return }
        }
        let shown = last.call.milliseconds(of: .firstVideoFrame)
        let good = shown.map { "first frame after \(Int($0.rounded())) ms" } ?? "connected"
        Output.line("call \(calls.count) of \(count) to \(peer): \(last.failure?.line ?? good)")
    }

    private func place(with caller: Agent) async throws(CallError) -> CallOutcome {
        let call = try await caller.call(
            peer, media: callMedia, id: callId, room: room,
            sends: MediaState(audio: start.audio ?? .on, video: start.video ?? .on), output: !start.startOutputOff)
        return await attendance(isBrief: count > 1).attend(call) { [duration] in
            guard let limit = duration.duration, (try? await call.waitUntilConnected()) != nil else { return }
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            await call.hangUp()
        }
    }
}
