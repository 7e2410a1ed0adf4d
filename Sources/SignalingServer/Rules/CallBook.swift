/// Which calls are under way between whom.
///
/// A call belongs to the user who invited: with that user's connection it leaves the book. So the book never holds more
/// than the bound of a connection times the number of connections, whatever clients do.
struct CallBook: Sendable {
    /// One call, as it is written down.
    struct Entry: Sendable, Hashable {
        var callId: String
        var inviter: String
        var invitee: String
    }

    private var byInviter: [String: Set<Entry>] = [:]
    private var byInvitee: [String: Set<Entry>] = [:]

    /// How many calls `user` has invited to that have not ended.
    func count(invitedBy user: String) -> Int { byInviter[user]?.count ?? 0 }

    func contains(_ entry: Entry) -> Bool { byInviter[entry.inviter]?.contains(entry) ?? false }

    mutating func insert(_ entry: Entry) {
        byInviter[entry.inviter, default: []].insert(entry)
        byInvitee[entry.invitee, default: []].insert(entry)
    }

    mutating func remove(_ entry: Entry) {
        Self.remove(entry, from: &byInviter, of: entry.inviter)
        Self.remove(entry, from: &byInvitee, of: entry.invitee)
    }

    /// The calls of `user` at either end; those that `user` invited to leave the book.
    ///
    /// Sorted by call, so that the same facts always lead to the same actions.
    mutating func left(_ user: String) -> [Entry] {
        let invited = byInviter[user] ?? []
        for entry in invited { remove(entry) }
        return invited.union(byInvitee[user] ?? []).sorted { ($0.callId, $0.inviter) < ($1.callId, $1.inviter) }
    }

    private static func remove(_ entry: Entry, from book: inout [String: Set<Entry>], of user: String) {
        book[user]?.remove(entry)
        if book[user]?.isEmpty == true { book[user] = nil }
    }
}
