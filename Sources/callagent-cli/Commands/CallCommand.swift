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

    func validate() throws {
        guard (1...100_000).contains(count) else { throw ValidationError("--repeat takes 1 to 100000") }
        guard SignalingLimits.isName(peer) else { throw ValidationError(CallError.invalidUser(peer).description) }
    }

    func run() async throws {
        let command = self
        try await Interruption.handled { try await command.placeAll() }
    }

    private func placeAll() async throws {
        let caller = try await agent.prepareAgent()
        var reports: [CallReport] = []
        var failure: Failure?
        for _ in 0..<count where !Task.isCancelled {
            do throws(CallError) {
                reports.append(try await place(with: caller))
            } catch {
                failure = Failure(error)
                break
            }
        }
        // Not cancelled with this task: the farewells go out also after a signal.
        await Task { await caller.close() }.value
        let document = Document(calls: reports.map { CallDocument($0) }, summary: SummaryDocument(ends: reports))
        tell(reports, document)
        if let failure { throw failure }
        for report in reports { if let end = report.end, let failure = Failure(end) { throw failure } }
        try Output.check(document, expectations.expect)
    }

    private func place(with caller: CallAgent) async throws(CallError) -> CallReport {
        let call = try await caller.call(peer, media: audioOnly ? .audioOnly : .audioVideo)
        let watch = CallWatch.follow(call, agent.output)
        let limit = Task { [duration] in
            guard await CallWatch.untilConnected(call) else { return }
            guard (try? await Task.sleep(for: duration.duration)) != nil else { return }
            await call.hangUp()
        }
        _ = await call.waitUntilEnded()
        limit.cancel()
        await watch.value
        let report = await call.report()
        if agent.output.events { Output.event(EventDocument(report)) }
        return report
    }

    private struct Document: Encodable {
        let calls: [CallDocument]
        let summary: SummaryDocument
    }

    private func tell(_ reports: [CallReport], _ document: Document) {
        if agent.output.json {
            Output.document(document)
        } else if !agent.output.events {
            for report in reports {
                for line in Waterfall(report: report).lines + MediaLines.lines(report) { Output.line(line) }
            }
        }
    }
}
