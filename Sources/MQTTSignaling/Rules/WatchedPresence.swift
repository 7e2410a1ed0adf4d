internal import CallAgent
internal import CallProtocol

/// Whose presence matters to this device: the users that the application watches, and the devices at the other end of its calls.
struct WatchedPresence: Sendable {
    /// Whom the application watches.
    enum Whom: Sendable, Equatable {
        case named([String])
        case everybody

        func contains(_ user: String) -> Bool {
            if case .named(let users) = self { users.contains(user) } else { true }
        }
    }

    /// A consequence of a change.
    enum Report: Sendable, Equatable {
        /// A device at the other end of this call is signed in no more, or as another program than this one; nil: its note was not known.
        case gone(callId: String, Device, session: String?)
        /// For the application.
        case presence(Presence)
    }

    var whom: Whom? { didSet { (isReporting, isChanged) = (false, true) } }
    /// Whether other topics may matter than those of ``filters``.
    private var isChanged = false
    /// Whether changes are reported: not before the application has the state that they change.
    private var isReporting = false
    private var peers = CallPeers()
    private var book = PresenceBook()
    /// The devices at the other end of calls that ended and were not heard of since.
    ///
    /// A broker may say the end of a note twice: once for each of two filters that overlap.
    private var ended: Set<Device> = []
    /// The topics that are subscribed to on this connection.
    private(set) var filters: Set<String> = []

    mutating func sent(_ message: SignalingMessage) { peers.sent(message) }

    /// `device` is the name of this device.
    mutating func received(_ message: SignalingMessage, from sender: Device, as device: String) {
        ended.remove(sender)
        peers.received(message.body, callId: message.callId, from: sender, as: device)
    }

    /// The program that is signed in as a device that is watched; nil if there is none.
    func session(of device: Device) -> String? { book.session(of: device) }

    // MARK: Subscriptions

    /// How long a device that was signed in before an outage counts as signed in after it, in ms: its connection may have been lost, too.
    static let graceMs = 10_000
    /// How long a device may take to sign in again before a call learns that it is gone.
    static let returnTime = Duration.seconds(1)

    /// A new connection, which has no subscriptions yet.
    mutating func begin(at now: Int) {
        book.doubt(until: now + Self.graceMs)
        (isReporting, isChanged) = (false, true)
        filters = []
    }

    /// What to subscribe to from now on, and what no more.
    mutating func changeFilters(_ topics: Topics) -> (added: [String], removed: [String]) {
        guard isChanged || peers.hasChanged else { return ([], []) }
        (isChanged, peers.hasChanged) = (false, false)
        var wanted = Set(peers.devices.map(topics.presence))
        switch whom {
        case .named(let users): wanted.formUnion(users.map(topics.presence(ofUser:)))
        case .everybody: wanted.insert(topics.presence(ofUser: nil))
        case nil: break
        }
        defer { filters = wanted }
        guard wanted != filters else { return ([], []) }
        let peers = peers
        ended.formIntersection(peers.devices)
        book.keep { whom?.contains($0.user) == true || peers.contains($0) }
        return (wanted.subtracting(filters).sorted(), filters.subtracting(wanted).sorted())
    }

    // MARK: Notes

    /// Takes a note, nil for the end of one.
    ///
    /// - Parameters:
    ///   - isRetained: whether it was published before this device subscribed.
    ///   - now: ms of this end's own clock.
    ///   - unixMs: the same moment in ms since 1970.
    mutating func take(
        _ note: PresenceNote?, of device: Device, isRetained: Bool, at now: Int, unixMs: Double
    ) -> [Report] {
        guard whom?.contains(device.user) == true || peers.contains(device) else { return [] }
        let before = book.session(of: device)
        var isKnownEnd = false
        if note != nil {
            ended.remove(device)
        } else if peers.contains(device) {
            isKnownEnd = !ended.insert(device).inserted
        }
        let isNews = book.take(note, of: device, isRetained: isRetained, at: now, unixMs: unixMs)
        // A cluster may not show the note of a device at another node, but its end.
        if before == nil, note == nil {
            guard !isKnownEnd else { return [] }
            return peers.calls(with: device).map { .gone(callId: $0, device, session: nil) }
        }
        return gone(device, since: before) + (isNews ? presence(of: device.user) : [])
    }

    /// Nobody renewed these notes in time.
    mutating func expire(at now: Int) -> [Report] {
        book.expired(at: now).flatMap { device in
            let before = book.session(of: device)
            _ = book.remove(device)
            return gone(device, since: before) + presence(of: device.user)
        }
    }

    /// The presence of all users that the application watches; from now on changes are reported.
    mutating func reportAll() -> [Report] {
        isReporting = true
        return switch whom {
        case .named(let users): users.flatMap { presence(of: $0) }
        case .everybody: book.users.flatMap { presence(of: $0) }
        case nil: []
        }
    }

    /// The calls with a program that was signed in before and is not any more.
    private func gone(_ device: Device, since before: String?) -> [Report] {
        guard let before, before != book.session(of: device) else { return [] }
        return peers.calls(with: device).map { .gone(callId: $0, device, session: before) }
    }

    private func presence(of user: String) -> [Report] {
        guard isReporting, whom?.contains(user) == true else { return [] }
        return [.presence(Presence(user: user, devices: book.devices(of: user)))]
    }
}
