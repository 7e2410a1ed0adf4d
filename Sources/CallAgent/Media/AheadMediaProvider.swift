internal import CallProtocol

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
