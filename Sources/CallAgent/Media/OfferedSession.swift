internal import CallProtocol
internal import MediaEngine
internal import Synchronization

/// A session that makes its offer once and returns the same offer each time.
final class OfferedSession: MediaSession {
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

    func restartIce(_ number: Int) async throws(MediaSessionError) { try await session.restartIce(number) }

    func setIceParameters(_ parameters: SignalingMessage.IceParameters) async throws(MediaSessionError) {
        try await session.setIceParameters(parameters)
    }

    func use(_ servers: [IceServer]) async throws(MediaSessionError) { try await session.use(servers) }

    func setGates(_ gates: MediaGates) async { await session.setGates(gates) }

    func setSource(_ source: MediaSource) async throws(MediaSessionError) { try await session.setSource(source) }

    func turnVideo(_ orientation: VideoOrientation) async throws(MediaSessionError) {
        try await session.turnVideo(orientation)
    }

    func setOutput(_ isOn: Bool) async { await session.setOutput(isOn) }

    func sendDTMF(_ digits: String) async throws(MediaSessionError) -> Bool { try await session.sendDTMF(digits) }

    var peerConnection: PeerConnection? { session.peerConnection }

    var outputs: MediaOutputs { session.outputs }

    var dataChannels: AsyncStream<DataChannel> { session.dataChannels }

    func openDataChannel(
        _ label: String, options: DataChannelOptions
    ) async throws(MediaSessionError) -> DataChannel { try await session.openDataChannel(label, options: options) }

    func statistics() async -> StatisticsReport { await session.statistics() }

    func setOpus(_ parameters: OpusParameters) async throws(MediaSessionError) { try await session.setOpus(parameters) }

    func report() async -> MediaReport { await session.report() }

    func close() async { await session.close() }
}
