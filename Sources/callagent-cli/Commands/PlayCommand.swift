internal import ArgumentParser
internal import CallAgent
internal import WHIPSignaling

/// The command `callagent play`.
struct PlayCommand: MediaServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Receives media from a media server (WHEP).",
        discussion: "Without --sink-video, --sink-audio and --record it only checks what arrives.")

    static let commonOptions = [
        "token-file", "sink-video", "sink-audio", "record", "require-media", "reconnect", "duration", "expect", "json",
    ]
    static let role = WHIPRole.player

    @Argument(help: ArgumentHelp("The URL of the server's WHEP endpoint.", valueName: "url"))
    var url: String

    @Flag(help: "Ask for audio only.")
    var audioOnly = false

    @OptionGroup(title: "Session") var session: SessionOptions
    @OptionGroup(title: "Session") var tokens: TokenOptions
    @OptionGroup(title: "Session") var script: ScriptOptions
    @OptionGroup(title: "Media") var sink: SinkOptions
    @OptionGroup(title: "Media") var codecs: CodecOptions
    @OptionGroup(title: "Network") var ice: IceOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Output") var hooks: HookOptions
    @OptionGroup(title: "Output") var log: LogOptions
    @OptionGroup(title: "Checks") var expectations: ExpectOptions
    @OptionGroup var config: ConfigOptions

    var sources: SourceOptions? { nil }
    var sinks: SinkOptions? { sink }
    var media: CallMedia { audioOnly ? .audioOnly : .audioVideo }
}
