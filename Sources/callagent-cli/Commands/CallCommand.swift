internal import ArgumentParser
internal import CallAgent

/// The command `callagent call`.
struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "call", abstract: "Places a call.")

    @Argument(help: "The user to call.")
    var peer: String

    @OptionGroup var agent: AgentOptions
    @OptionGroup var expectations: ExpectOptions

    @Option(help: ArgumentHelp("How long to stay connected.", valueName: "2s|500ms"))
    var duration = DurationArgument(.seconds(10))

    @Flag(help: "Call without pictures.")
    var audioOnly = false

    @Option(
        name: .customLong("repeat"), help: ArgumentHelp("How many calls to place, one after the other.", valueName: "N")
    )
    var count = 1

    @Option(help: ArgumentHelp("The id of the call; default: a random one.", valueName: "id"))
    var callId: String?

    @Option(help: ArgumentHelp("The room of the call; default: a random one.", valueName: "room"))
    var room: String?

    @OptionGroup var start: StartOptions
    @OptionGroup var script: ScriptOptions

    func validate() throws {
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
        if let late = script.at.first(where: { $0.time.duration >= duration.duration }) {
            throw ValidationError(
                "--at \(late.time.defaultValueDescription)=\(late.text) comes after the call's end; raise --duration")
        }
    }

    private var media: CallMedia { audioOnly ? .audioOnly : .audioVideo }

    func run() async throws {
        let command = self
        try await Interruption.handled { try await command.placeAll() }
    }

    private func placeAll() async throws {
        let session = try await Verdict.preparing("call", expectations) {
            try await agent.prepareAgent(ahead: JoinAhead(media: media))
        }
        var verdict = Verdict(command: "call")
        var reports: [CallReport] = []
        for _ in 0..<count where !Task.isCancelled {
            do throws(CallError) {
                let outcome = try await place(with: session.agent)
                reports.append(outcome.report)
                verdict.calls.append((outcome.report, outcome.failure))
            } catch {
                verdict.failure = Failure(error)
                break
            }
        }
        if let failure = await session.close() { verdict.failure = failure }
        let document = CallsDocument(reports)
        if agent.output.json { Output.document(document) }
        try verdict.conclude(document, expectations)
    }

    private func place(with caller: CallAgent) async throws(CallError) -> CallOutcome {
        let call = try await caller.call(
            peer, media: media, id: callId, room: room,
            sends: MediaState(audio: start.audio ?? .on, video: start.video ?? .on), output: !start.startOutputOff)
        return await CallAttendance(agent: agent, script: script).attend(call) { [duration] in
            guard await CallWatch.untilConnected(call) else { return }
            guard (try? await Task.sleep(for: duration.duration)) != nil else { return }
            await call.hangUp()
        }
    }
}
