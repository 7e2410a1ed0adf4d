internal import ArgumentParser
internal import CallAgent

/// The actions that a command performs on its calls.
struct ScriptOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Perform an action at a time after the call is connected (repeatable). Actions: hold, unhold, mute-audio, unmute-audio, "
                + "mute-video, unmute-video, stop-video, start-video, add-video, output-off, output-on, restart-ice, network:CONDITIONS, room:ROOM, info:TEXT, dtmf:DIGITS, video=SOURCE, "
                + "video-size=WIDTHxHEIGHT[@FPS], orientation=TURN, audio=SOURCE, audio-processing=MODE, "
                + "snapshot:FILE.png|.jpg, hangup.",
            valueName: "time=action"),
        transform: ScriptStep.init(parsing:))
    var at: [ScriptStep] = []

    /// Refuses the action `room:ROOM`, which this command does not have.
    func refuseRooms(in command: String) throws {
        for step in at {
            if case .room = step.action { throw ValidationError("--at …=\(step.text): \(command) has no such action") }
        }
    }

    func validate() throws {
        for case .info(let content) in at.map(\.action) where content.utf8.count > SignalingLimits.infoBytes {
            throw ValidationError("--at: an info has at most \(SignalingLimits.infoBytes) bytes")
        }
    }
}
