internal import CallProtocol
internal import Logging
internal import MediaEngine

/// Where the received media of a call goes; for the files that do not know the engine.
typealias CallOutputs = MediaOutputs

/// The peer connections of a call, and what was counted on those that were replaced.
struct CallGenerations: Sendable {
    /// Makes the media of a further generation.
    typealias Make =
        @Sendable (
            _ label: String, _ media: CallMedia, _ role: CallRole, _ outputs: CallOutputs
        ) async throws(MediaSessionError) -> any MediaSession

    /// The media of the first generation, made by the agent in advance.
    private var first: (any MediaSession)?
    private var open: [Int: GenerationMedia] = [:]
    /// The media that reports describe: the one that was shown last.
    private(set) var reported: GenerationMedia?
    /// The media that was shown before and is being closed.
    private var retired: [GenerationMedia] = []
    private var former = MediaReport()
    private var closing: [Task<Void, Never>] = []

    init(_ first: any MediaSession) { self.first = first }

    subscript(number: Int) -> GenerationMedia? { open[number] }

    /// Those that are not closed.
    var all: some Collection<GenerationMedia> { open.values }

    /// The number of a generation; nil when it was replaced.
    func number(of media: GenerationMedia) -> Int? { open.first { $0.value === media }?.key }

    mutating func takeFirst() -> (any MediaSession)? { first.take() }

    mutating func add(_ media: GenerationMedia, _ number: Int) {
        open[number] = media
        reported = reported ?? media
    }

    /// Another connection is shown from now on.
    mutating func show(_ number: Int) {
        guard let next = open[number], next !== reported else { return }
        if let reported { retired.append(reported) }
        // After a rollback the connection before is shown again.
        retired.removeAll { $0 === next }
        reported = next
    }

    mutating func remove(_ number: Int) -> GenerationMedia? { open.removeValue(forKey: number) }

    mutating func note(closing task: Task<Void, Never>) { closing.append(task) }

    /// How many connections may be closing while another one is made.
    static let maximumClosing = 4

    /// What has to end before another connection is made: a peer that offers one after the other must not fill the machine with those that close.
    var obstacle: Task<Void, Never>? { closing.dropLast(Self.maximumClosing - 1).last }

    mutating func takeAll() -> (open: [GenerationMedia], closing: [Task<Void, Never>]) {
        defer { (open, closing) = ([:], []) }
        return (Array(open.values), closing)
    }

    /// Keeps what was counted on a connection that was closed.
    mutating func keep(_ report: MediaReport, of media: GenerationMedia) {
        guard let index = retired.firstIndex(where: { $0 === media }) else { return }
        retired.remove(at: index)
        former = report.continuing(former)
    }

    /// What was sent and received on all connections of the call.
    func report() async -> MediaReport {
        var total = former
        for media in retired + [reported].compactMap(\.self) { total = await media.report().continuing(total) }
        return total
    }
}

extension Call {
    /// The media of a generation; makes it if it does not exist.
    func open(_ number: Int, _ media: CallMedia) -> GenerationMedia {
        if let present = generations[number] { return present }
        let (first, make, role) = (generations.takeFirst(), surroundings.makeSession, machine.role)
        let label = "\(id.prefix(8))-\(role)\(number > 0 ? "-\(number)" : "")"
        let opened = GenerationMedia(after: generations.obstacle, logger: logger) {
            [sources, isOutputOn, outputs, channels] in
            let session = if let first { first } else { try await make(label, media, role, outputs) }
            do {
                try await sources.apply(to: session, with: media)
            } catch {
                await session.close()
                throw error
            }
            if !isOutputOn { await session.setOutput(false) }
            Task { for await channel in session.dataChannels { channels.add(channel, of: number) } }
            return session
        }
        generations.add(opened, number)
        Task { await opened.run { media, fact, instant in await self.note(fact, of: media, at: instant) } }
        return opened
    }

    /// Uses other STUN and TURN servers when the call looks for another network path.
    func use(_ servers: [IceServer]) async { for media in generations.all { await media.use(servers) } }

    /// Closes a connection that was replaced or given up.
    func close(_ number: Int) {
        guard let media = generations.remove(number) else { return }
        channels.forget(number)
        generations.note(
            closing: Task {
                await media.close()
                generations.keep(await media.report(), of: media)
            })
    }

    /// Closes all media at the end of the call; returns when that is done.
    func closeMedia() async {
        let (open, closing) = generations.takeAll()
        async let areOver = outputs.close()
        await withTaskGroup(of: Void.self) { group in
            for media in open { group.addTask { await media.close() } }
            for closing in closing { group.addTask { await closing.value } }
        }
        if await !areOver { logger.error("a file or a device of the call did not end in time") }
        // The call may have ended before its media was needed.
        await generations.takeFirst()?.close()
    }
}
