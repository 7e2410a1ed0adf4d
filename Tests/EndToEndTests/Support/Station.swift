import Logging
import MQTTSignaling
import Synchronization
import Testing
import WebSocketSignaling

@testable import CallAgent
@testable import MediaEngine

/// An agent in this process with real media on loopback.
///
/// Its media can be identified, and all its events are kept.
final class Station: Sendable {
    let agent: Agent
    /// Identifies the media that it sends.
    let mark: Mark
    /// The events of the agent.
    let events: Trail<AgentEvent>
    private let sessions = SessionList()
    private let rung = Mutex<[FollowedCall]>([])

    private static let engine = Task { try await Engine.start(logger: .quiet) }

    /// Makes an agent that is not signed in.
    ///
    /// With `width` 0 it has no camera.
    init(
        _ user: String, _ signaling: @autoclosure @escaping @Sendable () -> any SignalingTransport, width: Int = 320,
        hertz: Double = 440, configure: (inout AgentConfiguration) -> Void = { _ in }
    ) async throws {
        let format = VideoFormat(width: width, height: max(width, 16) / 16 * 8)
        var configuration = AgentConfiguration(
            video: width > 0 ? .test(.smpte, format: format) : nil, audio: .tone(hertz: hertz))
        configuration.media.tuning = .loopback
        configuration.media.measurements = Set(MediaMeasurement.allCases)
        configure(&configuration)
        let sessions = sessions
        let media = WatchedMedia(engine: try await Self.engine.value, configuration: configuration.media) { made, _ in
            sessions.value.withLock { $0.append(made) }
        }
        agent = Agent(
            user: user, provider: media, signaling: signaling(), configuration: configuration, logger: .quiet)
        mark = Mark(user: user, width: width, hertz: hertz)
        events = Trail(agent.events)
        let calls = agent.incomingCalls
        Task { [weak self] in
            for await call in calls {
                let followed = FollowedCall(call)
                self?.rung.withLock { $0.append(followed) }
            }
        }
    }

    /// Makes an agent that signs in at a server and reconnects soon after a loss.
    convenience init(
        _ user: String, at url: String, device: String? = nil, token: (@Sendable () async throws -> String)? = nil,
        width: Int = 320, hertz: Double = 440, configure: (inout AgentConfiguration) -> Void = { _ in }
    ) async throws {
        try await self.init(
            user, Self.transport(url, device: device, token: token), width: width, hertz: hertz, configure: configure)
    }

    private static func transport(
        _ url: String, device: String?, token: (@Sendable () async throws -> String)?
    ) -> any SignalingTransport {
        let longestPause = Duration.milliseconds(500)
        guard url.hasPrefix("mqtt") else {
            var timing = WebSocketTransportConfiguration()
            timing.longestRetryDelay = longestPause
            return WebSocketTransport(
                url: url, device: device, token: token, configuration: timing, logger: .quiet)
        }
        var timing = MQTTTransportConfiguration()
        timing.longestRetryDelay = longestPause
        return MQTTTransport(url: url, device: device, token: token, configuration: timing, logger: .quiet)
    }

    var user: String { agent.user }

    /// The incoming calls so far.
    var incoming: [FollowedCall] { rung.withLock { $0 } }

    /// Signs in.
    func prepared() async throws -> Station {
        try await agent.prepare()
        return self
    }

    /// Places a call and follows it.
    func call(_ peer: Station, media: CallMedia = .audioVideo, id: String? = nil) async throws -> FollowedCall {
        FollowedCall(try await agent.call(peer.user, media: media, id: id))
    }

    /// Waits for incoming call number `number`.
    func ring(_ number: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) async throws -> FollowedCall {
        try await eventually("call \(number) rings at \(user)", sourceLocation: sourceLocation) {
            self.incoming.count >= number
        }
        return incoming[number - 1]
    }

    /// Sends this on the latest peer connection, whatever its call reports.
    func force(_ mode: SendMode, of track: TrackID) async {
        let latest = sessions.value.withLock { $0.last }
        await latest?.peer.setSending(mode, of: track)
    }

    /// Encodes the video or audio of the latest peer connection at this rate, whatever its peer allows.
    func force(kbit: Int, of track: TrackID) async {
        let latest = sessions.value.withLock { $0.last }
        let (factory, property) = track == .video ? ("vp8enc", "target-bitrate") : ("opusenc", "bitrate")
        let encoder = await latest?.peer.media?.pipeline.bin.child(madeBy: factory)
        try? encoder?.set(property, String(kbit * 1_000))
    }

    /// Observes the decoded media of a peer connection as soon as it is built; 0 is the first one of this agent.
    func look(
        _ track: TrackID, connection: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Perception {
        var look: Perception?
        try await eventually("\(user) receives \(track)", sourceLocation: sourceLocation) {
            let made = self.sessions.value.withLock { $0 }
            if made.count > connection { look = await Perception(made[connection].peer, track) }
            return look != nil
        }
        return try #require(look)
    }
}

/// Identifies the video and audio of a user.
struct Mark: Sendable {
    let user: String
    /// The width of the frames; 0 without video.
    let width: Int
    /// The pitch, in Hz.
    let hertz: Double
}

/// A list that may outlive its station.
private final class SessionList: Sendable {
    let value = Mutex<[PeerMediaSession]>([])
}

extension Logger {
    /// Logs only errors.
    static var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .error
        return logger
    }
}
