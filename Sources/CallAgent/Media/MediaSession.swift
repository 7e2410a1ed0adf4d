public import CallProtocol
public import MediaEngine

/// The media of one peer connection of a call, as the call's shell sees it.
///
/// The one implementation for real calls is on `MediaEngine`; tests of the rules bring their own. All gates begin closed.
/// Methods are called in the order that the rules give and one at a time, ``close()`` excepted.
public protocol MediaSession: Sendable {
    /// What happens, in order; for one consumer. Ends after ``close()``.
    var events: AsyncStream<MediaSessionEvent> { get }

    /// Builds the offering end; candidates follow in ``events``.
    func createOffer() async throws(MediaSessionError) -> String
    /// Builds what the answering end needs before there is an offer; done ahead of a call, or never.
    func prepareAnswer() async throws(MediaSessionError)
    /// Builds the answering end; candidates follow in ``events``.
    func createAnswer(to offer: String) async throws(MediaSessionError) -> String
    /// Takes the answer to ``createOffer()``.
    func setAnswer(_ sdp: String) async throws(MediaSessionError)
    /// Takes a candidate of the peer's, before or after its description.
    func addCandidate(_ candidate: SignalingMessage.Candidate) async throws(MediaSessionError)

    /// Lets through what the gates say: out as soon as the peer is verified, the latest picture first both ways.
    func setGates(_ gates: MediaGates) async

    /// Sends another source of the same kind from now on, without a negotiation; before the negotiation it is noted.
    ///
    /// The one method that is called whenever the user wants, also while another one runs.
    func setSource(_ source: MediaSource) async throws(MediaSessionError)

    /// Turns the pictures that are sent, in all calls that share their source; called like ``setSource(_:)``.
    func turnVideo(_ orientation: VideoOrientation) async throws(MediaSessionError)

    /// Plays the sound that arrives, when the gates let it, or does not; called like ``setSource(_:)``, also before the negotiation.
    func setOutput(_ isOn: Bool) async

    /// Presses keys (RFC 4733), after those that were pressed before; called like ``setSource(_:)``.
    ///
    /// - Returns: Whether the peer takes them.
    func sendDTMF(_ keys: String) async throws(MediaSessionError) -> Bool

    /// The engine's connection, for what the application takes of it; nil when the media is not the engine's.
    var peerConnection: PeerConnection? { get }

    /// What was sent and received so far; the last figures remain after ``close()``.
    func report() async -> MediaReport

    /// The same under W3C's names; the last report remains after ``close()``.
    func statistics() async -> StatisticsReport

    /// Changes what the Opus encoder does, without a negotiation; called like ``setSource(_:)``.
    func setOpus(_ parameters: OpusParameters) async throws(MediaSessionError)

    /// Frees everything. Idempotent; returns within a bounded time.
    func close() async
}

extension MediaSession {
    /// Does nothing.
    public func prepareAnswer() {}

    /// None.
    public var peerConnection: PeerConnection? { nil }

    /// Knows nothing.
    public func statistics() async -> StatisticsReport { StatisticsReport() }

    /// Refuses.
    public func setOpus(_ parameters: OpusParameters) async throws(MediaSessionError) {
        let text = "this media session has no Opus encoder"
        throw MediaSessionError(fault: .other(text: text), description: text)
    }

    /// Refuses.
    public func setSource(_ source: MediaSource) async throws(MediaSessionError) {
        let text = "this media session cannot change its sources"
        throw MediaSessionError(fault: .other(text: text), description: text)
    }

    /// Refuses.
    public func turnVideo(_ orientation: VideoOrientation) async throws(MediaSessionError) {
        let text = "this media session cannot turn pictures"
        throw MediaSessionError(fault: .other(text: text), description: text)
    }

    /// Does nothing.
    public func setOutput(_ isOn: Bool) async {}

    /// Says that the peer takes none.
    public func sendDTMF(_ keys: String) async throws(MediaSessionError) -> Bool { false }
}
