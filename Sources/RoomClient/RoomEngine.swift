/// A media server with rooms (an SFU): it takes what each participant publishes and forwards it to those who subscribe.
///
/// ``JanusEngine`` is one; an application may implement it for another server. ``Room`` uses it.
public protocol RoomEngine: Sendable {
    /// Connects to the server and joins a room, without any media yet.
    ///
    /// Returns within a bounded time.
    ///
    /// - Throws: ``RoomError`` when the server cannot be reached or refuses.
    func join(_ entry: RoomEntry) async throws(RoomError) -> any RoomMembership
}

/// Who joins which room.
public struct RoomEntry: Sendable, Equatable {
    /// The name or number of the room.
    public var room: String
    /// The name that the other participants see.
    public var displayName: String
    /// The PIN of the room; nil where it has none.
    public var pin: String?
    /// The secret of the room's moderators; nil: this participant moderates nothing.
    public var moderatorSecret: String?

    /// Names a room and a participant.
    public init(room: String, displayName: String, pin: String? = nil, moderatorSecret: String? = nil) {
        (self.room, self.displayName) = (room, displayName)
        (self.pin, self.moderatorSecret) = (pin, moderatorSecret)
    }
}

/// One participant's place in a room, from joining until it leaves or the connection is lost.
///
/// All methods may be called from any task, and return within a bounded time. Session descriptions are complete SDP texts; candidates of the
/// server are in its descriptions.
public protocol RoomMembership: Sendable {
    /// This participant's id.
    var id: String { get }
    /// Who was there before, and what they publish.
    var participants: [RoomParticipant] { get }
    /// What happens in the room from now on; for one consumer.
    ///
    /// Ends with ``RoomMembershipEvent/lost(text:)``, after ``leave()``, or when too many events wait.
    var events: AsyncStream<RoomMembershipEvent> { get }

    /// Publishes media, or changes the network path of what is published when the offer has other ICE credentials.
    ///
    /// - Returns: The server's answer.
    func publish(_ offer: String) async throws(RoomError) -> String
    /// Ends what ``publish(_:)`` began; the participant stays in the room.
    func unpublish() async

    /// Asks for what a participant publishes, in addition to all other subscriptions; of video with several layers for this one.
    ///
    /// - Returns: The server's offer. ``answer(_:to:)`` has to follow, or ``unsubscribe(_:)``.
    func subscribe(
        to participant: RoomParticipant, layer: SimulcastLayer
    ) async throws(RoomError) -> RoomSubscription
    /// Asks for another layer of a subscription's video; has no effect on video with one layer.
    func setLayer(_ layer: SimulcastLayer, of subscription: String) async throws(RoomError)
    /// Asks for another network path of a subscription.
    ///
    /// - Returns: The server's offer with other ICE credentials. ``answer(_:to:)`` has to follow.
    func restart(_ subscription: String) async throws(RoomError) -> String
    /// Answers the offer of a subscription.
    func answer(_ description: String, to subscription: String) async throws(RoomError)
    /// Ends a subscription.
    func unsubscribe(_ subscription: String) async

    /// Hands on a candidate of this end; empty text is the end of candidates.
    func add(_ candidate: String, mLine: Int, to media: RoomMedia) async

    /// Mutes or unmutes a stream of a participant for everybody; needs ``RoomEntry/moderatorSecret``.
    func setMuted(_ isMuted: Bool, mid: String, of id: String) async throws(RoomError)
    /// Removes a participant from the room; needs ``RoomEntry/moderatorSecret``.
    func kick(_ id: String) async throws(RoomError)

    /// Finds out soon whether the connection still works; reports ``RoomMembershipEvent/lost(text:)`` if not.
    func check() async
    /// Leaves the room and closes the connection.
    func leave() async
}

/// What a participant has asked to receive of another one.
public struct RoomSubscription: Sendable, Equatable {
    /// Identifies it among those of this end; each one has another id, also those to the same participant.
    public let id: String
    /// The server's offer.
    public let offer: String

    /// Describes a subscription.
    public init(id: String, offer: String) { (self.id, self.offer) = (id, offer) }
}

/// One of the connections of a participant that carry media.
public enum RoomMedia: Sendable, Hashable {
    /// What this participant publishes.
    case publication
    /// The subscription with this id.
    case subscription(String)
}

/// What a ``RoomMembership`` reports.
public enum RoomMembershipEvent: Sendable, Equatable {
    /// A participant came, or publishes something else than before.
    case present(RoomParticipant)
    /// The participant publishes nothing any more.
    case unpublished(id: String)
    /// The participant left.
    case left(id: String, wasKicked: Bool)
    /// The participant begins or ceases to speak.
    case speaking(id: String, Bool)
    /// A moderator muted or unmuted a stream; the id may be this participant's own.
    case muted(id: String, mid: String, Bool)
    /// The server ended a connection that carries media.
    case mediaEnded(RoomMedia, text: String)
    /// The server removed this participant: a moderator did, or the room exists no more.
    case removed(text: String)
    /// The connection to the server is gone, and with it this membership.
    case lost(text: String)
}
