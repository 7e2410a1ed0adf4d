import Logging
import MediaEngine
import Synchronization
import Testing
import WebSocketSignaling

@testable import CallAgent

/// An agent of this process with real media on loopback: what it sends is unmistakable, and everything that it is told is kept.
final class Station: Sendable {
    let agent: CallAgent
    /// What it sends.
    let mark: Mark
    /// What the agent told.
    let events: Trail<AgentEvent>
    private let sessions = SessionList()
    private let rung = Mutex<[FollowedCall]>([])

    private static let engine = Task { try await MediaEngine.start(logger: .quiet) }

    /// Makes an agent that is not signed in; without a `width` it has no camera.
    init(
        _ user: String, _ signaling: @autoclosure @escaping @Sendable () -> any SignalingTransport, width: Int = 320,
        hertz: Double = 440, configure: (inout CallAgentConfiguration) -> Void = { _ in }
    ) async throws {
        let format = VideoFormat(width: width, height: max(width, 16) / 16 * 8)
        var configuration = CallAgentConfiguration(
            video: width > 0 ? .test(.smpte, format: format) : nil, audio: .tone(hertz: hertz))
        configuration.media.tuning = .loopback
        configuration.media.measurements = Set(MediaMeasurement.allCases)
        configure(&configuration)
        let sessions = sessions
        let media = WatchedMedia(engine: try await Self.engine.value, configuration: configuration.media) { made, _ in
            sessions.value.withLock { $0.append(made) }
        }
        agent = CallAgent(
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

    /// Makes one that signs in at a server, and comes back soon after a loss.
    convenience init(
        _ user: String, at url: String, device: String? = nil, token: (@Sendable () async throws -> String)? = nil,
        width: Int = 320, hertz: Double = 440, configure: (inout CallAgentConfiguration) -> Void = { _ in }
    ) async throws {
        var timing = WebSocketSignalingConfiguration()
        timing.longestRetryDelay = .milliseconds(500)
        let transport = WebSocketSignaling(
            url: url, device: device, token: token, configuration: timing, logger: .quiet)
        try await self.init(user, transport, width: width, hertz: hertz, configure: configure)
    }

    var user: String { agent.user }

    /// The calls that came in so far.
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

    /// Waits for the call that came in as the `number`th.
    func ring(_ number: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) async throws -> FollowedCall {
        try await eventually("call \(number) rings at \(user)", sourceLocation: sourceLocation) {
            self.incoming.count >= number
        }
        return incoming[number - 1]
    }

    /// Looks into what a peer connection decodes, as soon as it is built; 0 is the first that this agent made.
    func look(
        _ kind: MediaKind, connection: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Perception {
        var look: Perception?
        try await eventually("\(user) receives \(kind)", sourceLocation: sourceLocation) {
            let made = self.sessions.value.withLock { $0 }
            if made.count > connection { look = await Perception(made[connection].peer, kind) }
            return look != nil
        }
        return try #require(look)
    }
}

/// Whose pictures and sound these are.
struct Mark: Sendable {
    let user: String
    /// The width of the pictures; 0 when there are none.
    let width: Int
    /// The pitch, in Hz.
    let hertz: Double
}

/// A list that may be kept without its station.
private final class SessionList: Sendable {
    let value = Mutex<[PeerMediaSession]>([])
}

extension Logger {
    /// Says nothing below errors.
    static var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .error
        return logger
    }
}
