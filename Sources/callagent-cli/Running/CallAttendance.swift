internal import CallAgent
internal import MediaEngine
internal import RoomClient

/// The part of every command that follows a call from beginning to end.
struct CallAttendance: Sendable {
    let output: OutputOptions
    /// Nil: the calls send nothing.
    let source: SourceOptions?
    /// Nil: the calls receive nothing.
    var sink: SinkOptions?
    /// Nil: nothing is done on the calls.
    let script: ScriptOptions?
    /// What the calls send through; nil: no emulated network.
    var network: NetworkEmulator?
    /// How the calls go on in rooms; nil: they do not.
    var transfers: CallTransfers?
    /// The room of the calls; nil: they are in none.
    var stay: Room?
    /// Whether numbered messages are sent in a data channel.
    var sendsMessages = false
    /// Whether a person gets one line about each call instead of its timeline.
    var isBrief = false
    /// Whether a person gets no line about what happens in the call.
    var isQuiet = false

    /// Prints the call's events as the options ask, and runs the script.
    ///
    /// `conduct` does the command's own work. It is cancelled at the end.
    func attend(_ call: Call, conduct: @escaping @Sendable () async -> Void) async -> CallOutcome {
        let watch = CallWatch.follow(call, output, isQuiet: isQuiet)
        let conducting = Task { await conduct() }
        let script = Script(
            steps: script?.at ?? [], output: output, source: source, network: network, transfers: transfers,
            stay: stay)
        let acting = Task { await script.run(on: call) }
        let messages = sendsMessages ? TestMessages() : nil
        let messaging = Task { await messages?.run(on: call) }
        let following = Task { [transfers] in await transfers?.follow(call) }
        _ = await call.waitUntilEnded()
        conducting.cancel()
        acting.cancel()
        following.cancel()
        messaging.cancel()
        await watch.value
        let report = await call.report()
        let ended = EndedCall(report: report, messages: messages?.figures)
        if output.events {
            Output.event(EventDocument(ended))
        } else if !output.json, !isBrief {
            for line in Waterfall(report: report).lines + MediaLines.lines(report, ended.messages) { Output.line(line) }
        }
        if report.isSilent, sink?.requireMedia == false, let text = report.missingText {
            Output.error("warning: \(text); is it off there? --require-media makes this a failure")
        }
        return CallOutcome(
            ended: ended, complaints: await acting.value,
            missing: report.captureFaults.first { source?.allowsStandIn($0) == false },
            requiresMedia: sink?.requireMedia == true)
    }
}
