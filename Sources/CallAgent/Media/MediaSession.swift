/// The media of one peer connection of a call, as the call's shell sees it.
///
/// The one implementation for real calls is on `MediaEngine`; tests of the rules bring their own. All gates begin closed.
/// Methods are called in the order that the rules give and one at a time, ``close()`` excepted.
public protocol MediaSession: Sendable {
    /// What happens, in order; for one consumer. Ends after ``close()``.
    var events: AsyncStream<MediaSessionEvent> { get }

    /// Builds the offering end; candidates follow in ``events``.
    func createOffer() async throws(MediaSessionError) -> String
    /// Builds the answering end; candidates follow in ``events``.
    func createAnswer(to offer: String) async throws(MediaSessionError) -> String
    /// Takes the answer to ``createOffer()``.
    func setAnswer(_ sdp: String) async throws(MediaSessionError)
    /// Takes a candidate of the peer's, before or after its description.
    func addCandidate(_ candidate: SignalingMessage.Candidate) async throws(MediaSessionError)

    /// Lets this end's media out as soon as the peer is verified, the latest picture first.
    func openSendGates() async
    /// Shows and plays what arrives, the latest picture first.
    func openReceiveGates() async

    /// What was sent and received so far; the last figures remain after ``close()``.
    func report() async -> MediaReport

    /// Frees everything. Idempotent; returns within a bounded time.
    func close() async
}

/// Makes the media of calls, and opens and closes what they share.
public protocol MediaProvider: Sendable {
    /// Warms up and opens what is to be open between calls. Legal whenever no call runs.
    func prepare() async throws(MediaSessionError)
    /// The media for a new peer connection.
    func makeSession(label: String, media: CallMedia) async throws(MediaSessionError) -> any MediaSession
    /// Closes what ``prepare()`` opened.
    func release() async
}

/// What happened to the media, and when: taken where it happened, not where it was noticed.
public struct MediaSessionEvent: Sendable, Equatable {
    /// When.
    public let at: ContinuousClock.Instant
    /// What, in the words of the rules.
    public let event: CallMachine.Event

    /// Makes an event.
    public init(_ event: CallMachine.Event, at: ContinuousClock.Instant = .now) {
        self.event = event
        self.at = at
    }
}

/// An operation on the media failed.
public struct MediaSessionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What the rules make of it.
    public let fault: CallMachine.MediaFault
    /// One line: what, why and what to do.
    public let description: String
    /// Something that this machine lacks (a plugin, a device), rather than something that went wrong.
    public let isMissingPrerequisite: Bool

    /// Makes an error.
    public init(fault: CallMachine.MediaFault, description: String, isMissingPrerequisite: Bool = false) {
        self.fault = fault
        self.description = description
        self.isMissingPrerequisite = isMissingPrerequisite
    }
}
