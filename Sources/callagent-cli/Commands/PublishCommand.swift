internal import ArgumentParser
internal import CallAgent
internal import WHIPSignaling

/// The command `callagent publish`.
struct PublishCommand: MediaServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Sends a camera and a microphone to a media server (WHIP, RFC 9725).",
        discussion: "--video none and --audio none leave one of them out.")

    static let commonOptions = [
        "token-file", "video", "audio", "video-size", "video-rate", "reconnect", "duration", "expect", "json",
    ]
    static let role = WHIPRole.publisher

    @Argument(help: ArgumentHelp("The URL of the server's WHIP endpoint.", valueName: "url"))
    var url: String

    @OptionGroup(title: "Session") var session: SessionOptions
    @OptionGroup(title: "Session") var tokens: TokenOptions
    @OptionGroup(title: "Session") var script: ScriptOptions
    @OptionGroup(title: "Media") var source: SourceOptions
    @OptionGroup(title: "Media") var codecs: CodecOptions
    @OptionGroup(title: "Network") var ice: IceOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Output") var hooks: HookOptions
    @OptionGroup(title: "Output") var log: LogOptions
    @OptionGroup(title: "Checks") var expectations: ExpectOptions
    @OptionGroup var config: ConfigOptions

    var sources: SourceOptions? { source }
    var sinks: SinkOptions? { nil }
    var media: CallMedia { CallMedia(audio: source.audio != "none", video: source.video != "none") }
}
