internal import CallProtocol

/// Builds the own end of the next call before anybody calls: pipeline, offer and candidates are there when it is placed.
///
/// Costs an open capture, an encoder and sockets for as long as nobody calls. Addresses change, so every ``renewal`` a new one
/// takes the place of the one that waits.
actor AheadMediaProvider: MediaProvider {
    /// How long one waits before a new one takes its place.
    static let renewal = Duration.seconds(45)
    /// How old the one that a call takes may be: timers do not run while a machine sleeps.
    static let lifetime = Duration.seconds(60)

    private let provider: any MediaProvider
    private let media: CallMedia
    private let sleep: @Sendable (Duration) async throws -> Void
    private var ready: (session: OfferedSession, since: ContinuousClock.Instant)?
    private var isPrepared = false
    private var renewals: Task<Void, Never>?

    init(
        _ provider: any MediaProvider, media: CallMedia, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.provider = provider
        self.media = media
        self.sleep = sleep
    }

    func prepare() async throws(MediaSessionError) {
        try await provider.prepare()
        isPrepared = true
        await renew()
        renewals?.cancel()
        renewals = Task { [sleep, weak self] in
            while (try? await sleep(Self.renewal)) != nil { await self?.renew() }
        }
    }

    func use(_ servers: [IceServer]) async {
        await provider.use(servers)
        // What was built knows the old servers. Signaling does not wait for its successor.
        Task { await self.renew() }
    }

    func makeSession(
        label: String, media: CallMedia, role: CallRole
    ) async throws(MediaSessionError) -> any MediaSession {
        guard role == .caller, media == self.media, let ready = ready.take() else {
            return try await provider.makeSession(label: label, media: media, role: role)
        }
        // The next one is built while this one is used.
        Task { await self.renew() }
        if ContinuousClock.now - ready.since < Self.lifetime { return ready.session }
        await ready.session.close()
        return try await provider.makeSession(label: label, media: media, role: role)
    }

    func release() async {
        isPrepared = false
        renewals?.cancel()
        renewals = nil
        await ready.take()?.session.close()
        await provider.release()
    }

    /// Builds one that takes the place of the one that waits, which a call may take meanwhile.
    ///
    /// One that cannot be built is not missed: the call will say why.
    private func renew() async {
        guard isPrepared, let session = try? await provider.makeSession(label: "ahead", media: media, role: .caller)
        else { return }
        let offered = OfferedSession(session)
        guard (try? await offered.createOffer()) != nil, isPrepared else { return await offered.close() }
        let former = ready
        ready = (offered, .now)
        await former?.session.close()
    }
}
