internal import ArgumentParser
internal import CallAgent

/// The actions that a command performs on its calls.
struct ScriptOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Perform an action at a time after the call is connected (repeatable). Actions: hold, unhold, mute-audio, unmute-audio, "
                + "stop-audio, start-audio, add-audio, mute-video, unmute-video, stop-video, start-video, add-video, output-off, output-on, restart-ice, network:CONDITIONS, room:ROOM, layer:low|medium|high, info:TEXT, dtmf:DIGITS, video=SOURCE, "
                + "video-size=WIDTHxHEIGHT[@FPS], orientation=TURN, audio=SOURCE, audio-processing=MODE, "
                + "snapshot:FILE.png|.jpg, hangup.",
            valueName: "time=action"),
        transform: ScriptStep.init(parsing:))
    var at: [ScriptStep] = []

    /// Refuses the actions that this command does not have: `room:ROOM` is for calls, `layer:LAYER` for stays in rooms.
    func check(in command: String, isStay: Bool = false, isCall: Bool = false) throws {
        for step in at {
            let isKnown =
                switch step.action {
                case .room: isCall
                case .layer: isStay
                default: true
                }
            guard isKnown else { throw ValidationError("--at …=\(step.text): \(command) has no such action") }
        }
    }

    func validate() throws {
        for case .info(let content) in at.map(\.action) where content.utf8.count > SignalingLimits.infoBytes {
            throw ValidationError("--at: an info has at most \(SignalingLimits.infoBytes) bytes")
        }
        for case .snapshot(let path) in at.map(\.action) { try WritableFile.check(path, option: "--at") }
    }
}
