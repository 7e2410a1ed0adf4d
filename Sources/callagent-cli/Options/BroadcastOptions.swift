internal import ArgumentParser
internal import CallAgent
internal import HTTPClient
internal import MediaEngine
internal import RoomClient

/// Whether `callagent listen` shows its camera to many while nobody calls.
struct BroadcastOptions: ParsableArguments {
    /// Where the broadcast goes.
    enum Target: Equatable {
        /// The URL of a WHIP endpoint.
        case mediaServer(String)
        case room(String, server: String)
    }

    @Option(
        help: ArgumentHelp(
            "Publish what calls would get to a media server (a WHIP endpoint, https://…) or a room (the Janus server, wss://…), and pause that during calls.",
            valueName: "url"))
    var broadcast: String?

    @Option(help: ArgumentHelp("The room, if --broadcast names a Janus server.", valueName: "room"))
    var broadcastRoom: String?

    @Option(
        help: ArgumentHelp("A file with the token for that server.", valueName: "file"), completion: .file())
    var broadcastTokenFile: String?

    @Option(help: ArgumentHelp("A file with the PIN of the room.", valueName: "file"), completion: .file())
    var broadcastPinFile: String?

    @Option(
        help: ArgumentHelp(
            "What the viewers see during a call: black, or a video source such as image:pause.png.", valueName: "source"
        ))
    var broadcastPause = "black"

    func validate() throws {
        guard let broadcast else {
            guard broadcastRoom == nil, broadcastTokenFile == nil, broadcastPinFile == nil else {
                throw ValidationError(
                    "--broadcast-room, --broadcast-token-file and --broadcast-pin-file need --broadcast")
            }
            return
        }
        let isRoom = broadcast.lowercased().hasPrefix("ws")
        guard isRoom == (broadcastRoom != nil), isRoom || broadcastPinFile == nil else {
            throw ValidationError(
                isRoom
                    ? "--broadcast to a Janus server needs --broadcast-room"
                    : "--broadcast-room and --broadcast-pin-file are for a Janus server, such as --broadcast ws://127.0.0.1:8188/"
            )
        }
        if isRoom {
            do { _ = try SignalingURL(broadcast, .webSocket) } catch {
                throw ValidationError("--broadcast: \(error.description)")
            }
        } else {
            do { _ = try HTTPURL(broadcast) } catch {
                throw ValidationError(
                    "--broadcast: '\(broadcast)' is neither a WHIP endpoint (http:// or https://) nor a Janus server (ws:// or wss://)"
                )
            }
        }
    }

    var target: Target? {
        guard let broadcast else { return nil }
        return broadcastRoom.map { .room($0, server: broadcast) } ?? .mediaServer(broadcast)
    }

    /// What viewers see during a call; refuses a source that does not exist.
    func pauseVideo(format: VideoFormat, engine: Engine) async throws -> Broadcast.PauseVideo {
        guard broadcastPause != "black" else { return .black }
        do {
            guard let source = try SourceName.videoSource(broadcastPause, format: format) else { return .black }
            try await SourceName.checked(broadcastPause, "--broadcast-pause", SourceName.video) {
                try await engine.check(source)
            }
            return .source(source)
        } catch let error as MediaError {
            throw Failure(error)
        }
    }
}
