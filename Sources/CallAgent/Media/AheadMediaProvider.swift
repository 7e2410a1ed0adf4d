internal import MediaEngine
internal import Synchronization

/// Builds the own end of the next call before anybody calls: pipeline, offer and candidates are there when it is placed.
///
/// Costs an open capture, an encoder and sockets for as long as nobody calls; one that is older than ``lifetime`` is built anew,
/// since addresses change.
actor AheadMediaProvider: MediaProvider {
    private let provider: any MediaProvider
    private let media: CallMedia
    private let lifetime: Duration
    private var ready: (session: OfferedSession, since: ContinuousClock.Instant)?
    private var isPrepared = false

    init(_ provider: any MediaProvider, media: CallMedia, lifetime: Duration = .seconds(60)) {
        self.provider = provider
        self.media = media
        self.lifetime = lifetime
    }

    func prepare() async throws(MediaSessionError) {
        try await provider.prepare()
        isPrepared = true
        await build()
    }

    func use(_ servers: [IceServer]) async {
        await provider.use(servers)
        // What was built knows the old servers.
        await drop()
        await build()
    }

    func makeSession(
        label: String, media: CallMedia, role: CallRole
    ) async throws(MediaSessionError) -> any MediaSession {
        guard role == .caller, media == self.media, let ready = ready.take() else {
            return try await provider.makeSession(label: label, media: media, role: role)
        }
        // The next one is built while this one is used.
        Task { await self.build() }
        if ContinuousClock.now - ready.since < lifetime { return ready.session }
        await ready.session.close()
        return try await provider.makeSession(label: label, media: media, role: role)
    }

    func release() async {
        isPrepared = false
        await drop()
        await provider.release()
    }

    private func drop() async { await ready.take()?.session.close() }

    /// A session that cannot be built is not missed: the call will say why.
    private func build() async {
        guard isPrepared, ready == nil,
            let session = try? await provider.makeSession(label: "ahead", media: media, role: .caller)
        else { return }
        let offered = OfferedSession(session)
        do throws(MediaSessionError) {
            _ = try await offered.createOffer()
        } catch {
            return await offered.close()
        }
        guard isPrepared, ready == nil else { return await offered.close() }
        ready = (offered, .now)
    }
}

/// A session that makes its offer once and says it as often as it is asked.
private final class OfferedSession: MediaSession {
    let events: AsyncStream<MediaSessionEvent>
    private let session: any MediaSession
    private let offer = Mutex<String?>(nil)

    init(_ session: any MediaSession) {
        self.session = session
        events = session.events
    }

    func createOffer() async throws(MediaSessionError) -> String {
        if let offer = offer.withLock({ $0 }) { return offer }
        let made = try await session.createOffer()
        offer.withLock { $0 = made }
        return made
    }

    func createAnswer(to offer: String) async throws(MediaSessionError) -> String {
        try await session.createAnswer(to: offer)
    }

    func setAnswer(_ sdp: String) async throws(MediaSessionError) { try await session.setAnswer(sdp) }

    func addCandidate(_ candidate: SignalingMessage.Candidate) async throws(MediaSessionError) {
        try await session.addCandidate(candidate)
    }

    func setGates(_ gates: MediaGates) async { await session.setGates(gates) }

    func setSource(_ source: MediaSource) async throws(MediaSessionError) { try await session.setSource(source) }

    func turnVideo(_ orientation: VideoOrientation) async throws(MediaSessionError) {
        try await session.turnVideo(orientation)
    }

    func setOutput(_ isOn: Bool) async { await session.setOutput(isOn) }

    func sendDTMF(_ keys: String) async throws(MediaSessionError) -> Bool { try await session.sendDTMF(keys) }

    var peerConnection: PeerConnection? { session.peerConnection }

    func report() async -> MediaReport { await session.report() }

    func close() async { await session.close() }
}
