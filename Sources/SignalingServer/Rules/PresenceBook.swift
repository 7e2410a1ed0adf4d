/// Which connections watch the presence of which users.
struct PresenceBook: Sendable {
    private var watchers: [String: Set<ConnectionID>] = [:]
    private var watched: [ConnectionID: Set<String>] = [:]
    private var everybody: Set<ConnectionID> = []

    /// The connections that watch `user`, in the order of their arrival.
    func watchers(of user: String) -> [ConnectionID] {
        let named = watchers[user] ?? []
        return (everybody.isEmpty ? named : named.union(everybody)).sorted { $0.number < $1.number }
    }

    /// Replaces the users that `connection` watches; an empty set stops watching.
    mutating func watch(_ users: Set<String>, by connection: ConnectionID) {
        forget(connection)
        guard !users.isEmpty else { return }
        watched[connection] = users
        for user in users { watchers[user, default: []].insert(connection) }
    }

    mutating func watchEverybody(by connection: ConnectionID) {
        forget(connection)
        everybody.insert(connection)
    }

    mutating func forget(_ connection: ConnectionID) {
        everybody.remove(connection)
        for user in watched.removeValue(forKey: connection) ?? [] {
            watchers[user]?.remove(connection)
            if watchers[user]?.isEmpty == true { watchers[user] = nil }
        }
    }
}
