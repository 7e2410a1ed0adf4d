import CallAgent
import MediaEngine
import Synchronization

/// The media of one call: records its commands and sends the events that a test chooses.
final class FakeMediaSession: MediaSession {
    enum Command: Sendable, Equatable {
        case createOffer
        case prepareAnswer
        case createAnswer(String)
        case setAnswer(String)
        case addCandidate(SignalingMessage.Candidate)
        case setGates(MediaGates)
        case restartIce(Int)
        case setIceParameters(SignalingMessage.IceParameters)
        case close
    }

    let events: AsyncStream<MediaSessionEvent>
    let label: String
    let media: CallMedia
    /// The ICE servers that the provider had when it made this session.
    let servers: [IceServer]
    private let laterServers = Mutex<[IceServer]?>(nil)
    /// The servers that it got while it existed; nil before.
    var newServers: [IceServer]? { laterServers.withLock { $0 } }
    private let sink: AsyncStream<MediaSessionEvent>.Continuation
    private let plan: FakeMediaProvider.Plan
    private let log = Mutex<[Command]>([])
    private let statisticsReport = Mutex(StatisticsReport())
    private let mediaReport = Mutex(MediaReport())

    init(label: String, media: CallMedia, servers: [IceServer], plan: FakeMediaProvider.Plan) {
        self.label = label
        self.media = media
        self.servers = servers
        self.plan = plan
        (events, sink) = AsyncStream.makeStream()
    }

    /// The commands that it got, in order.
    var commands: [Command] { log.withLock { $0 } }

    /// Sends an event of the media.
    func emit(_ facts: MediaFact...) { for fact in facts { sink.yield(MediaSessionEvent(fact)) } }

    private func note(_ command: Command) { log.withLock { $0.append(command) } }

    func createOffer() async throws(MediaSessionError) -> String {
        note(.createOffer)
        await plan.offerLatch?.wait()
        return try plan.offer.get()
    }

    func prepareAnswer() { note(.prepareAnswer) }

    func createAnswer(to offer: String) async throws(MediaSessionError) -> String {
        note(.createAnswer(offer))
        return try plan.answer.get()
    }

    func setAnswer(_ sdp: String) async throws(MediaSessionError) {
        note(.setAnswer(sdp))
        try plan.setAnswer.get()
    }

    func addCandidate(_ candidate: SignalingMessage.Candidate) async throws(MediaSessionError) {
        note(.addCandidate(candidate))
        try plan.addCandidate.get()
    }

    let outputs = MediaOutputs()
    func use(_ servers: [IceServer]) { laterServers.withLock { $0 = servers } }
    func restartIce(_ number: Int) { note(.restartIce(number)) }
    func setIceParameters(_ parameters: SignalingMessage.IceParameters) { note(.setIceParameters(parameters)) }
    func setGates(_ gates: MediaGates) async { note(.setGates(gates)) }
    func report() async -> MediaReport { mediaReport.withLock { $0 } }
    func statistics() async -> StatisticsReport { statisticsReport.withLock { $0 } }

    /// Sets what it reports from now on as sent and received.
    func set(_ report: MediaReport) { mediaReport.withLock { $0 = report } }

    /// Sets the totals that it reports from now on as sent and received.
    func set(_ report: StatisticsReport) { statisticsReport.withLock { $0 = report } }

    func close() async {
        await plan.closeLatch?.wait()
        note(.close)
        sink.finish()
    }
}

/// Makes ``FakeMediaSession``s that all follow one plan.
final class FakeMediaProvider: MediaProvider {
    /// The faults, and the steps that are delayed.
    struct Plan: Sendable {
        var prepare: Result<Void, MediaSessionError> = .success(())
        var makeSession: Result<Void, MediaSessionError> = .success(())
        var offer: Result<String, MediaSessionError> = .success("offer")
        var answer: Result<String, MediaSessionError> = .success("answer")
        var setAnswer: Result<Void, MediaSessionError> = .success(())
        var addCandidate: Result<Void, MediaSessionError> = .success(())
        var prepareLatch: Latch?
        var sessionLatch: Latch?
        var offerLatch: Latch?
        var closeLatch: Latch?
    }

    private struct State {
        var plan = Plan()
        var sessions: [FakeMediaSession] = []
        var isPrepared = false
        var servers: [IceServer] = []
    }

    private let state = Mutex(State())

    /// All sessions, in the order in which they were made.
    var sessions: [FakeMediaSession] { state.withLock { $0.sessions } }
    /// Whether ``prepare()`` was called and its devices are still open.
    var isPrepared: Bool { state.withLock { $0.isPrepared } }

    var plan: Plan {
        get { state.withLock { $0.plan } }
        set { state.withLock { $0.plan = newValue } }
    }

    func prepare() async throws(MediaSessionError) {
        await plan.prepareLatch?.wait()
        try plan.prepare.get()
        state.withLock { $0.isPrepared = true }
    }

    func makeSession(
        label: String, peer: String?, media: CallMedia, role: CallRole, outputs: MediaOutputs? = nil
    ) async throws(MediaSessionError) -> any MediaSession {
        await plan.sessionLatch?.wait()
        try plan.makeSession.get()
        return state.withLock { state in
            let session = FakeMediaSession(
                label: label, media: media, servers: state.servers, plan: state.plan)
            state.sessions.append(session)
            return session
        }
    }

    func use(_ servers: [IceServer]) async { state.withLock { $0.servers = servers } }

    func release() async { state.withLock { $0.isPrepared = false } }
}

extension MediaSessionError {
    static let broken = MediaSessionError(fault: .other(text: "broken"), description: "broken")
    static let unusable = MediaSessionError(fault: .incompatible(text: "unusable"), description: "unusable")
}

extension FakeMediaSession.Command {
    static let openSendGates = Self.setGates(.init(audio: .live, video: .live))
    static let openReceiveGates = Self.setGates(.init(audio: .live, video: .live, isReceiving: true))
}
