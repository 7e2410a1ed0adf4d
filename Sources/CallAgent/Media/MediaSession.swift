public import CallProtocol
public import MediaEngine

/// The media of one peer connection of a call, as the call's shell sees it.
///
/// The implementation for real calls uses `Engine`; tests of the rules bring their own. All gates begin closed. Methods are
/// called in the order that the rules give and one at a time, except ``close()``.
public protocol MediaSession: Sendable {
    /// The events, in order; for one consumer. Ends after ``close()``.
    var events: AsyncStream<MediaSessionEvent> { get }

    /// Builds the offering end; candidates follow in ``events``.
    func createOffer() async throws(MediaSessionError) -> String
    /// Builds what the answering end needs before there is an offer; called in advance of a call, or never.
    func prepareAnswer() async throws(MediaSessionError)
    /// Builds the answering end; candidates follow in ``events``.
    func createAnswer(to offer: String) async throws(MediaSessionError) -> String
    /// Takes the answer to ``createOffer()``.
    func setAnswer(_ sdp: String) async throws(MediaSessionError)
    /// Adds a candidate of the peer, before or after its description.
    func addCandidate(_ candidate: SignalingMessage.Candidate) async throws(MediaSessionError)

    /// Makes another path to the peer with this number; its parameters and candidates follow in ``events``.
    func restartIce(_ number: Int) async throws(MediaSessionError)
    /// Uses the peer's parameters for the path that ``restartIce(_:)`` made with the same number.
    func setIceParameters(_ parameters: SignalingMessage.IceParameters) async throws(MediaSessionError)

    /// Uses the STUN and TURN servers that signaling provides from now on; called at any time.
    func use(_ servers: [IceServer]) async throws(MediaSessionError)

    /// Sets the gates: sending begins as soon as the peer is verified, with the latest frame first both ways.
    func setGates(_ gates: MediaGates) async

    /// Sends another source of the same medium from now on, without a negotiation; before the negotiation it is stored.
    ///
    /// Unlike other methods it may be called at any time, also while another one runs.
    func setSource(_ source: MediaSource) async throws(MediaSessionError)

    /// Rotates the sent video, in all calls that share its source; called like ``setSource(_:)``.
    func turnVideo(_ orientation: VideoOrientation) async throws(MediaSessionError)

    /// Turns the output of arriving audio on or off, as far as the gates allow; called like ``setSource(_:)``, also before the negotiation.
    func setOutput(_ isOn: Bool) async

    /// Sends DTMF digits (RFC 4733), after earlier ones; called like ``setSource(_:)``.
    ///
    /// - Returns: Whether the peer accepts them.
    func sendDTMF(_ digits: String) async throws(MediaSessionError) -> Bool

    /// The engine's connection, for the application's use; nil when the media is not the engine's.
    var peerConnection: PeerConnection? { get }

    /// The data channels that the peer opens, for one consumer; ends after ``close()``.
    var dataChannels: AsyncStream<DataChannel> { get }

    /// Opens a data channel on a session whose media has data; called at any time.
    func openDataChannel(_ label: String, options: DataChannelOptions) async throws(MediaSessionError) -> DataChannel

    /// Where the received media goes; `MediaOutputs()` when the media is not the engine's.
    ///
    /// They stay open when the session closes, for the next session of the call. The call closes them at its end.
    var outputs: MediaOutputs { get }

    /// What was sent and received so far; the last values remain after ``close()``.
    func report() async -> MediaReport

    /// The same with W3C's names; the last report remains after ``close()``.
    func statistics() async -> StatisticsReport

    /// Changes the settings of the Opus encoder, without a negotiation; called like ``setSource(_:)``.
    func setOpus(_ parameters: OpusParameters) async throws(MediaSessionError)

    /// Frees everything. Idempotent; returns within a bounded time.
    func close() async
}

extension MediaSession {
    /// Does nothing.
    public func prepareAnswer() {}

    /// Does nothing.
    public func use(_ servers: [IceServer]) async {}

    /// None.
    public var dataChannels: AsyncStream<DataChannel> { AsyncStream { $0.finish() } }

    /// Refuses.
    public func openDataChannel(
        _ label: String, options: DataChannelOptions
    ) async throws(MediaSessionError) -> DataChannel {
        let text = "this media session has no data channels"
        throw MediaSessionError(fault: .other(text: text), description: text)
    }

    /// None.
    public var peerConnection: PeerConnection? { nil }

    /// Returns an empty report.
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
        let text = "this media session cannot turn video"
        throw MediaSessionError(fault: .other(text: text), description: text)
    }

    /// Does nothing.
    public func setOutput(_ isOn: Bool) async {}

    /// Reports that the peer accepts none.
    public func sendDTMF(_ digits: String) async throws(MediaSessionError) -> Bool { false }
}
