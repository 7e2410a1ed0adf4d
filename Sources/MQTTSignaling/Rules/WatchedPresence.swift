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
        /// A device at the other end of this call is signed in no more.
        case gone(callId: String, Device)
        /// For the application.
        case presence(Presence)
    }

    var whom: Whom?
    private var peers = CallPeers()
    private var book = PresenceBook()
    /// The devices that were present on the former connection.
    private var before: Set<Device> = []
    /// The topics that are subscribed to on this connection.
    private(set) var filters: Set<String> = []

    mutating func sent(_ message: SignalingMessage) { peers.sent(message) }

    mutating func received(_ message: SignalingMessage, from sender: Device) {
        peers.received(message.body, callId: message.callId, from: sender)
    }

    // MARK: Subscriptions

    /// A new connection, which has no subscriptions and knows nobody yet.
    mutating func begin() {
        before = book.clear()
        filters = []
    }

    /// What to subscribe to from now on, and what no more.
    mutating func changeFilters(_ topics: Topics) -> (added: [String], removed: [String]) {
        var wanted = Set(peers.all.map(topics.presence))
        switch whom {
        case .named(let users): wanted.formUnion(users.map(topics.presence(ofUser:)))
        case .everybody: wanted.insert(topics.presence(ofUser: nil))
        case nil: break
        }
        defer { filters = wanted }
        guard wanted != filters else { return ([], []) }
        let peers = peers.all
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
        guard whom?.contains(device.user) == true || peers.all.contains(device),
            book.take(note, of: device, isRetained: isRetained, at: now, unixMs: unixMs)
        else { return [] }
        return book.isPresent(device) ? presence(of: device.user) : departed(device)
    }

    /// The broker has said on the new connection all that it knew.
    mutating func settled() -> [Report] {
        defer { before = [] }
        return before.sorted().filter { !book.isPresent($0) }.flatMap { gone($0) } + all
    }

    /// Nobody renewed these notes in time.
    mutating func expire(at now: Int) -> [Report] { book.expire(at: now).flatMap { departed($0) } }

    /// The presence of all users that the application watches.
    var all: [Report] {
        switch whom {
        case .named(let users): users.flatMap { presence(of: $0) }
        case .everybody: book.users.flatMap { presence(of: $0) }
        case nil: []
        }
    }

    private func departed(_ device: Device) -> [Report] { gone(device) + presence(of: device.user) }

    private func gone(_ device: Device) -> [Report] { peers.calls(with: device).map { .gone(callId: $0, device) } }

    private func presence(of user: String) -> [Report] {
        guard whom?.contains(user) == true else { return [] }
        return [.presence(Presence(user: user, devices: book.devices(of: user)))]
    }
}
