public import CallProtocol
internal import MediaEngine

/// Builds this end of the next call in advance: a caller's pipeline, offer and candidates, or a callee's pipeline.
///
/// This keeps a capture, an encoder and sockets open while there is no call. Addresses change, so every ``renewal`` a new session
/// replaces the waiting one.
actor AheadMediaProvider: MediaProvider {
    /// How long a session waits before a new one replaces it.
    static let renewal = Duration.seconds(45)
    /// The maximum age of a session that a call takes: timers do not run while a machine sleeps.
    static let lifetime = Duration.seconds(60)

    /// How long after a call took a session the next one is built: until then the call's own set-up has the machine to itself.
    static let pause = Duration.milliseconds(500)

    private let provider: any MediaProvider
    private let plan: JoinAhead
    private let sleep: @Sendable (Duration) async throws -> Void
    private var ready: [CallRole: (session: any MediaSession, since: ContinuousClock.Instant)] = [:]
    private var isPrepared = false
    /// Grows when sessions that are under way are outdated.
    private var generation = 0
    private var renewals: Task<Void, Never>?
    private var networkWatch: Task<Void, Never>?
    private var refills: [CallRole: Task<Void, Never>] = [:]

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
    }

    func buildAhead() async {
        await renew()
        guard isPrepared else { return }
        renewals?.cancel()
        renewals = Task { [sleep, weak self] in
            while (try? await sleep(Self.renewal)) != nil { await self?.renew() }
        }
        networkWatch?.cancel()
        // The waiting session has candidates of the former network.
        networkWatch = Task { [changes = networkChanges, weak self] in
            for await _ in changes { await self?.renew() }
        }
    }

    nonisolated var networkChanges: AsyncStream<Void> { provider.networkChanges }

    func use(_ servers: [IceServer]) async {
        await provider.use(servers)
        // The waiting sessions know the old servers. Signaling does not wait for the new ones.
        generation += 1
        let outdated = ready.values
        ready = [:]
        let isBuilding = renewals != nil
        Task {
            for (session, _) in outdated { await session.close() }
            if isBuilding { await self.renew() }
        }
    }

    func makeSession(
        label: String, peer: String?, media: CallMedia, role: CallRole, outputs: MediaOutputs?
    ) async throws(MediaSessionError) -> any MediaSession {
        // A waiting session has outputs of its own.
        guard media == plan.media, outputs == nil, let ready = ready.removeValue(forKey: role) else {
            return try await provider.makeSession(label: label, peer: peer, media: media, role: role, outputs: outputs)
        }
        refills[role]?.cancel()
        refills[role] = Task { [sleep, weak self] in
            guard (try? await sleep(Self.pause)) != nil else { return }
            await self?.refill(role)
        }
        if ContinuousClock.now - ready.since < Self.lifetime { return ready.session }
        await ready.session.close()
        return try await provider.makeSession(label: label, peer: peer, media: media, role: role, outputs: nil)
    }

    func release() async {
        isPrepared = false
        renewals?.cancel()
        renewals = nil
        networkWatch?.cancel()
        networkWatch = nil
        for refill in refills.values { refill.cancel() }
        refills = [:]
        let unused = ready.values
        ready = [:]
        for (session, _) in unused { await session.close() }
        await provider.release()
    }

    /// Builds a session, unless one has been built meanwhile.
    private func refill(_ role: CallRole) async {
        guard ready[role] == nil else { return }
        await renew(role)
    }

    private func renew() async {
        for role in [CallRole.caller, .callee] where plan.roles.contains(role) { await renew(role) }
    }

    /// Builds a session that replaces the waiting one, which a call may take meanwhile.
    ///
    /// A failure is ignored: the call will report it.
    private func renew(_ role: CallRole) async {
        let begun = generation
        guard isPrepared, let session = try? await build(role) else { return }
        guard isPrepared, begun == generation else { return await session.close() }
        let former = ready.updateValue((session, .now), forKey: role)
        await former?.session.close()
    }

    private func build(_ role: CallRole) async throws(MediaSessionError) -> any MediaSession {
        let session = try await provider.makeSession(
            label: "ahead", peer: nil, media: plan.media, role: role, outputs: nil)
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

/// This end of the next call, built before there is a call.
public struct JoinAhead: Sendable, Equatable {
    /// The media of the call.
    public var media: CallMedia
    /// Whether to build for an outgoing call, an incoming call, or one of each.
    ///
    /// For an outgoing call, the offer is made and its candidates are gathered. For an incoming call, the pipeline is built.
    public var roles: Set<CallRole>

    /// Sets the media and the roles.
    public init(media: CallMedia = .audioVideo, roles: Set<CallRole> = [.caller]) {
        self.media = media
        self.roles = roles
    }
}
