/// Which call this is, and between whom.
struct CallIdentity: Sendable, Equatable {
    var callId: String
    var role: CallRole
    var room: String?
    /// What the caller told of itself, for people.
    var displayName: String?
    var address: String?
    /// What the caller's application sent with the invite.
    var inviteExtension: [String: String] = [:]
}
