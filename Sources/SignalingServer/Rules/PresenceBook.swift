/// Who wants to know of whose comings and goings.
struct PresenceBook: Sendable {
    private var watchers: [String: Set<ConnectionID>] = [:]
    private var watched: [ConnectionID: Set<String>] = [:]
    private var everybody: Set<ConnectionID> = []

    /// Those to tell about `user`, in the order of their arrival.
    func watchers(of user: String) -> [ConnectionID] {
        let named = watchers[user] ?? []
        return (everybody.isEmpty ? named : named.union(everybody)).sorted { $0.number < $1.number }
    }

    /// Replaces whom `connection` watches; none ends it.
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
