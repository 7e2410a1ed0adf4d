internal import ArgumentParser
internal import CallAgent
internal import Logging
internal import RoomClient

/// The media server on which calls may go on in a room.
struct TransferOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The Janus server of rooms that calls may go on in: by --at TIME=room:ROOM, and when the peer invites to a room of the same server.",
            valueName: "url"))
    var roomServer: String?

    @Option(help: ArgumentHelp("A file with the token for that server.", valueName: "file"), completion: .file())
    var roomTokenFile: String?

    @Option(
        help: ArgumentHelp("A file with the PIN of the room, which the peer gets, too.", valueName: "file"),
        completion: .file())
    var roomPinFile: String?

    func validate() throws {
        guard let roomServer else {
            guard roomTokenFile == nil, roomPinFile == nil else {
                throw ValidationError("--room-token-file and --room-pin-file need --room-server")
            }
            return
        }
        do { _ = try SignalingURL(roomServer, .webSocket) } catch {
            throw ValidationError("--room-server: \(error.description)")
        }
    }

    /// Refuses the action `room:ROOM` without a server, and those that calls do not have.
    func check(_ script: ScriptOptions) throws {
        try script.check(in: "a call", isCall: true)
        guard roomServer == nil else { return }
        for step in script.at {
            if case .room = step.action { throw ValidationError("--at …=\(step.text) needs --room-server") }
        }
    }

    /// The transfers of the calls of a command with these options.
    func transfers(
        _ tokens: TokenOptions, _ source: SourceOptions, _ sink: SinkOptions, _ output: OutputOptions, _ log: LogOptions
    ) -> CallTransfers {
        CallTransfers(
            self, trustRootsFile: tokens.trustRoots, source: source, sink: sink, output: output,
            logger: log.logger("room"))
    }

    /// The server; nil without one.
    func engine(trustRootsFile: String?, logger: Logger) throws(RoomError) -> JanusEngine? {
        guard let roomServer else { return nil }
        let token = roomTokenFile.map { file in { @Sendable () async throws -> String in try TokenFile.read(file) } }
        return try JanusEngine(url: roomServer, token: token, trustRootsFile: trustRootsFile, logger: logger)
    }
}
