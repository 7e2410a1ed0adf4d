internal import CallAgent

/// What every command does with a call from its beginning to its end.
struct CallAttendance: Sendable {
    let agent: AgentOptions
    let script: ScriptOptions

    /// Tells what happens, as the options want it, and carries out the script; `conduct` does what the command is for and is cancelled at the
    /// end.
    func attend(_ call: Call, conduct: @escaping @Sendable () async -> Void) async -> CallOutcome {
        let watch = CallWatch.follow(call, agent.output)
        let conducting = Task { await conduct() }
        let acting = Task { await Script(steps: script.at, output: agent.output, media: agent.media).run(on: call) }
        _ = await call.waitUntilEnded()
        conducting.cancel()
        acting.cancel()
        await watch.value
        let report = await call.report()
        if agent.output.events {
            Output.event(EventDocument(report))
        } else if !agent.output.json {
            for line in Waterfall(report: report).lines + MediaLines.lines(report) { Output.line(line) }
        }
        return CallOutcome(report: report, complaints: await acting.value)
    }
}
