public import CallProtocol
public import MediaEngine

/// Makes the media of calls, and opens and closes what the calls share.
public protocol MediaProvider: Sendable {
    /// Warms up and opens what stays open between calls. Allowed whenever no call runs.
    func prepare() async throws(MediaSessionError)
    /// Builds ahead what the next call needs, with the servers that are known by then.
    func buildAhead() async
    /// Makes the media for a new peer connection; this end makes the offer when it is the caller.
    ///
    /// `peer` is the other user, for the names of recordings; nil: there is no call yet. `outputs` are those of the call's former connection, and nil for
    /// its first one.
    func makeSession(
        label: String, peer: String?, media: CallMedia, role: CallRole, outputs: MediaOutputs?
    ) async throws(MediaSessionError) -> any MediaSession
    /// Uses STUN and TURN servers that signaling provided, for sessions that are made from now on.
    func use(_ servers: [IceServer]) async
    /// One element for each change of this machine's network.
    var networkChanges: AsyncStream<Void> { get }
    /// Closes what ``prepare()`` opened.
    func release() async
}

extension MediaProvider {
    /// Does nothing.
    public func buildAhead() async {}

    /// Has no element.
    public var networkChanges: AsyncStream<Void> { AsyncStream { $0.finish() } }

    /// Does nothing.
    public func use(_ servers: [IceServer]) async {}
}

/// An operation on the media failed.
public struct MediaSessionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The fault as the rules see it.
    public let fault: MediaFault
    /// One line: what, why and what to do.
    public let description: String
    /// Whether this machine lacks something (a plugin, a device); otherwise something went wrong.
    public let isMissingPrerequisite: Bool

    /// Makes an error.
    public init(fault: MediaFault, description: String, isMissingPrerequisite: Bool = false) {
        self.fault = fault
        self.description = description
        self.isMissingPrerequisite = isMissingPrerequisite
    }
}

/// An event of the media, with the time at which it happened, not at which it was noticed.
public struct MediaSessionEvent: Sendable, Equatable {
    /// The time.
    public let at: ContinuousClock.Instant
    /// The fact, for the rules.
    public let fact: MediaFact

    /// Makes an event.
    public init(_ fact: MediaFact, at: ContinuousClock.Instant = .now) {
        self.fact = fact
        self.at = at
    }
}
