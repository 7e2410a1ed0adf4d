/// The identity of a call: its id, its role and what the caller sent.
struct CallIdentity: Sendable, Equatable {
    var callId: String
    var role: CallRole
    var room: String?
    /// The caller's display name.
    var displayName: String?
    var address: String?
    /// What the caller's application sent with the invite.
    var inviteExtension: [String: String] = [:]
}
