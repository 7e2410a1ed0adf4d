internal import CallProtocol
internal import Logging
internal import MediaEngine
internal import Synchronization

/// The media of one generation of a call.
///
/// Commands are carried out one after the other, in the order of the rules. Their results go back to the call as facts. Of waiting
/// gate commands, only the last one counts. At most ``maximumCandidates`` candidates wait, so that a peer cannot fill the memory.
final class GenerationMedia: Sendable {
    /// A command to the media.
    enum Command: Sendable, Equatable {
        case createOffer
        case createAnswer(to: String)
        case setAnswer(String)
        case addCandidate(SignalingMessage.Candidate)
        case restartIce(Int)
        case setIceParameters(SignalingMessage.IceParameters)
        case setGates(MediaGates)
    }

    typealias Report = @Sendable (GenerationMedia, MediaFact, ContinuousClock.Instant) async -> Void

    private let commands: Mailbox<Command>
    /// How many candidates of the peer wait while the media is busy; further ones are dropped.
    static let maximumCandidates = 256
    private let isClosed = Mutex(false)
    private let missing = Mutex<MediaSessionError?>(nil)
    private let session: Task<any MediaSession, any Error>
    private let logger: Logger

    /// Makes the session once `earlier` is over; not at all if it is closed before.
    init(
        after earlier: Task<Void, Never>?, logger: Logger,
        _ make: @escaping @Sendable () async throws -> any MediaSession
    ) {
        session = Task {
            if let earlier {
                await earlier.value
                try Task.checkCancellation()
            }
            // Nobody would close what is cancelled half-way.
            return try await Task { try await make() }.value
        }
        self.logger = logger
        commands = Mailbox { [logger] in Self.admit($1, to: &$0, logger) }
    }

    /// What this machine lacks and the media needed: a device, a plugin; nil after any other failure or none.
    var missingPrerequisite: MediaSessionError? { missing.withLock { $0 } }

    /// Queues a command.
    func perform(_ command: Command) { commands.put(command) }

    /// How many commands wait.
    var waitingCommands: Int { commands.count }

    private static func admit(_ command: Command, to waiting: inout [Command], _ logger: Logger) {
        if case .setGates = command, case .setGates = waiting.last { waiting.removeLast() }
        // A newer restart replaces those that wait, with their parameters.
        if case .restartIce = command {
            waiting.removeAll { waiting in
                switch waiting {
                case .restartIce, .setIceParameters: true
                default: false
                }
            }
        }
        if case .addCandidate = command, waiting.count >= maximumCandidates {
            return logger.warning("a candidate of the peer was dropped: \(waiting.count) commands wait already")
        }
        waiting.append(command)
    }

    /// Sends another source, outside the command queue: a device that opens slowly delays no mute.
    func setSource(_ source: MediaSource) async throws(MediaSessionError) { try await made().setSource(source) }

    /// Uses STUN and TURN servers that signaling provides; the present path keeps its own.
    func use(_ servers: [IceServer]) async {
        do throws(MediaSessionError) { try await made().use(servers) } catch {
            guard !isClosed.withLock({ $0 }) else { return }
            logger.warning("STUN and TURN servers of the signaling server cannot be used: \(error)")
        }
    }

    /// Rotates the sent video.
    func turnVideo(_ orientation: VideoOrientation) async throws(MediaSessionError) {
        try await made().turnVideo(orientation)
    }

    /// Turns the output of arriving audio on or off.
    func setOutput(_ isOn: Bool) async { await (try? session.value)?.setOutput(isOn) }

    /// Opens a data channel.
    func openDataChannel(
        _ label: String, options: DataChannelOptions
    ) async throws(MediaSessionError) -> DataChannel {
        try await made().openDataChannel(label, options: options)
    }

    /// Sends DTMF digits; false when the peer accepts none.
    func sendDTMF(_ digits: String) async throws(MediaSessionError) -> Bool { try await made().sendDTMF(digits) }

    /// The engine's connection, once it is made.
    var peerConnection: PeerConnection? {
        get async { (try? await session.value)?.peerConnection }
    }

    private func made() async throws(MediaSessionError) -> any MediaSession {
        do {
            return try await session.value
        } catch {
            let text = "\(error)"
            throw error as? MediaSessionError ?? MediaSessionError(fault: .other(text: text), description: text)
        }
    }

    /// What was sent and received so far.
    func report() async -> MediaReport { await (try? session.value)?.report() ?? MediaReport() }

    /// The same with W3C's names.
    func statistics() async -> StatisticsReport { await (try? session.value)?.statistics() ?? StatisticsReport() }

    /// Changes the Opus encoder.
    func setOpus(_ parameters: OpusParameters) async throws(MediaSessionError) { try await made().setOpus(parameters) }

    /// Frees everything; waiting commands are dropped.
    func close() async {
        isClosed.withLock { $0 = true }
        commands.finish()
        session.cancel()
        await (try? session.value)?.close()
    }

    /// Carries out commands until it is closed, and reports what happens.
    func run(_ report: @escaping Report) async {
        let session: any MediaSession
        do {
            session = try await self.session.value
        } catch {
            let fault = (error as? MediaSessionError)?.fault ?? .other(text: "\(error)")
            return await report(self, .failed(fault), .now)
        }
        async let facts: Void = {
            for await event in session.events { await report(self, event.fact, event.at) }
        }()
        while let command = await commands.next() {
            // Commands that still wait when the call ends must not reach media that is being closed.
            guard !isClosed.withLock({ $0 }) else { break }
            do throws(MediaSessionError) {
                if let fact = try await carryOut(command, session) { await report(self, fact, .now) }
            } catch {
                // A command that runs when the call ends is expected to fail.
                guard !isClosed.withLock({ $0 }) else { break }
                // What this machine lacks is thrown to whoever asked for the call.
                logger.log(level: error.isMissingPrerequisite ? .info : .error, "\(error)")
                if error.isMissingPrerequisite { missing.withLock { $0 = error } }
                await report(self, .failed(error.fault), .now)
            }
        }
        await facts
    }

    private func carryOut(
        _ command: Command, _ session: any MediaSession
    ) async throws(MediaSessionError) -> MediaFact? {
        switch command {
        case .createOffer: return .offerCreated(sdp: try await session.createOffer())
        case .createAnswer(let offer): return .answerCreated(sdp: try await session.createAnswer(to: offer))
        case .setAnswer(let sdp): try await session.setAnswer(sdp)
        case .restartIce, .setIceParameters:
            do throws(MediaSessionError) {
                if case .restartIce(let number) = command { try await session.restartIce(number) }
                if case .setIceParameters(let parameters) = command { try await session.setIceParameters(parameters) }
            } catch {
                // The present path may still work; the rules try again.
                logger.warning("another network path was not tried: \(error)")
            }
        case .setGates(let gates): await session.setGates(gates)
        case .addCandidate(let candidate):
            do throws(MediaSessionError) {
                try await session.addCandidate(candidate)
            } catch {
                // One bad candidate does not end a call: others may work.
                logger.warning("a candidate of the peer was dropped: \(error)")
            }
        }
        return nil
    }
}
