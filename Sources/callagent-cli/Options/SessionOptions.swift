internal import ArgumentParser
internal import CallAgent

/// How long a session on a media server lasts, and may take to begin.
struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long to stay connected; until Ctrl-C by default.", valueName: "10|500ms|1m30s|forever"))
    var duration = TimeLimit.forever

    @Option(
        help: ArgumentHelp("How long the server may take to answer the offer.", valueName: "2s|500ms"))
    var requestTimeout = DurationArgument(.seconds(10))

    @Option(
        help: ArgumentHelp(
            "How long the session may take after that until it is connected.", valueName: "2s|500ms"))
    var connectTimeout = DurationArgument(.seconds(10))

    @Flag(
        help:
            "Begin another session whenever one fails or the server ends it, after 1 s to 30 s. The exit code is that of the last one."
    )
    var reconnect = false

    func validate() throws {
        guard requestTimeout.milliseconds > 0, connectTimeout.milliseconds > 0 else {
            throw ValidationError("a timeout must be longer than 0")
        }
        guard requestTimeout.milliseconds <= SignalingLimits.ringTimeoutMs else {
            throw ValidationError("--request-timeout may be \(SignalingLimits.ringTimeoutMs / 1_000) s at most")
        }
    }
}
