import Foundation
import Logging
import MediaEngine
import Testing

@testable import CallAgent

/// Two agents in this process with real media on loopback.
///
/// A test can observe their signaling and media.
struct AgentPair {
    let caller: Agent
    let callee: Agent
    let media: WatchedMedia

    /// Signs both in; `board` carries their signaling.
    init(
        signaling: (any SignalingTransport, any SignalingTransport)? = nil,
        earlyMedia: EarlyMediaPolicy = .guarded, capturePolicy: MediaConfiguration.CapturePolicy = .automatic,
        whenMade: @escaping @Sendable (PeerMediaSession, String) async -> Void = { _, _ in }
    ) async throws {
        let board = InMemorySignaling()
        let transports = signaling ?? (board.transport(), board.transport())
        let engine = try await Engine.start()
        var alice = AgentConfiguration(
            video: .test(.ball, format: VideoFormat(width: 320, height: 180)), audio: .tone(hertz: 440))
        alice.media.tuning = .loopback
        alice.media.measurements = Set(MediaMeasurement.allCases)
        alice.media.capturePolicy = capturePolicy
        var bob = AgentConfiguration(
            video: .test(.smpte, format: VideoFormat(width: 240, height: 136)), audio: .tone(hertz: 554))
        bob.media.tuning = .loopback
        bob.media.measurements = Set(MediaMeasurement.allCases)
        bob.earlyMedia = earlyMedia
        let media = WatchedMedia(engine: engine, configuration: bob.media, whenMade: whenMade)
        self.media = media
        caller = Agent(
            user: "alice", provider: WatchedMedia(engine: engine, configuration: alice.media, whenMade: whenMade),
            signaling: transports.0, configuration: alice)
        callee = Agent(user: "bob", provider: media, signaling: transports.1, configuration: bob)
        try await callee.prepare()
        try await caller.prepare()
    }

    /// A ringing call from alice to bob.
    func ring() async throws -> (caller: Call, callee: Call) {
        let mine = try await caller.call("bob")
        var incoming = callee.incomingCalls.makeAsyncIterator()
        return (mine, try #require(await incoming.next()))
    }

    func close() async {
        await caller.close()
        await callee.close()
    }
}

/// The engine's media, with a callback for each new session.
struct WatchedMedia: MediaProvider {
    private let provider: EngineMediaProvider
    private let whenMade: @Sendable (PeerMediaSession, String) async -> Void

    init(
        engine: Engine, configuration: MediaConfiguration,
        whenMade: @escaping @Sendable (PeerMediaSession, String) async -> Void
    ) {
        provider = EngineMediaProvider(engine: engine, configuration: configuration)
        self.whenMade = whenMade
    }

    func prepare() async throws(MediaSessionError) { try await provider.prepare() }
    func release() async { await provider.release() }

    func makeSession(
        label: String, peer: String?, media: CallMedia, role: CallRole, outputs: MediaOutputs?
    ) async throws(MediaSessionError) -> any MediaSession {
        let session = try await provider.makeSession(
            label: label, peer: peer, media: media, role: role, outputs: outputs)
        if let session = session as? PeerMediaSession { await whenMade(session, label) }
        return session
    }
}

/// Signaling that changes its messages.
final class TamperedSignaling: SignalingTransport {
    private let transport: any SignalingTransport
    private let change: @Sendable (String) -> String

    init(_ transport: any SignalingTransport, change: @escaping @Sendable (String) -> String) {
        self.transport = transport
        self.change = change
    }

    var events: AsyncStream<SignalingTransportEvent> { transport.events }
    @discardableResult
    func connect(as user: String) async throws(SignalingError) -> [IceServer] { try await transport.connect(as: user) }
    func send(_ text: String, to user: String) async throws(SignalingError) {
        try await transport.send(change(text), to: user)
    }
    func close() async { await transport.close() }
}
