internal import CallProtocol

/// Builds the own end of the next call before anybody calls: at the caller pipeline, offer and candidates are there when it is placed, at
/// the callee the pipeline when the offer comes.
///
/// Costs an open capture, an encoder and sockets for as long as nobody calls. Addresses change, so every ``renewal`` a new one
/// takes the place of the one that waits.
actor AheadMediaProvider: MediaProvider {
    /// How long one waits before a new one takes its place.
    static let renewal = Duration.seconds(45)
    /// How old the one that a call takes may be: timers do not run while a machine sleeps.
    static let lifetime = Duration.seconds(60)

    private let provider: any MediaProvider
    private let plan: JoinAhead
    private let sleep: @Sendable (Duration) async throws -> Void
    private var ready: [CallRole: (session: any MediaSession, since: ContinuousClock.Instant)] = [:]
    private var isPrepared = false
    private var renewals: Task<Void, Never>?

    init(
        _ provider: any MediaProvider, _ plan: JoinAhead,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.provider = provider
        self.plan = plan
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
        guard media == plan.media, let ready = ready.removeValue(forKey: role) else {
            return try await provider.makeSession(label: label, media: media, role: role)
        }
        // The next one is built while this one is used.
        Task { await self.renew(role) }
        if ContinuousClock.now - ready.since < Self.lifetime { return ready.session }
        await ready.session.close()
        return try await provider.makeSession(label: label, media: media, role: role)
    }

    func release() async {
        isPrepared = false
        renewals?.cancel()
        renewals = nil
        let unused = ready.values
        ready = [:]
        for (session, _) in unused { await session.close() }
        await provider.release()
    }

    private func renew() async {
        for role in [CallRole.caller, .callee] where plan.roles.contains(role) { await renew(role) }
    }

    /// Builds one that takes the place of the one that waits, which a call may take meanwhile.
    ///
    /// One that cannot be built is not missed: the call will say why.
    private func renew(_ role: CallRole) async {
        guard isPrepared, let session = try? await build(role) else { return }
        guard isPrepared else { return await session.close() }
        let former = ready.updateValue((session, .now), forKey: role)
        await former?.session.close()
    }

    private func build(_ role: CallRole) async throws(MediaSessionError) -> any MediaSession {
        let session = try await provider.makeSession(label: "ahead", media: plan.media, role: role)
        do throws(MediaSessionError) {
            guard role == .caller else {
                try await session.prepareAnswer()
                return session
            }
            let offered = OfferedSession(session)
            _ = try await offered.createOffer()
            return offered
        } catch {
            await session.close()
            throw error
        }
    }
}
