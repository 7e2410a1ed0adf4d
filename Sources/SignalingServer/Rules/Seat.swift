internal import CallProtocol

/// Who is signed in on a connection, and what that sign-in allows.
struct Seat: Sendable {
    let party: Party
    /// What a later sign-in presents to take this one's place.
    let resume: String
    /// When the token ends; nil on a server without tokens.
    var expiresUnixMs: Int?
    /// What a deny list knows the token by.
    var tokenID: String?
    /// Set for a user without an account.
    var anonymous: Anonymous?

    struct Anonymous: Sendable {
        var mayCall: Set<String>
        /// The calls that it invited to since it signed in, ended ones too: what is still on its way belongs to them.
        var calls: Set<Call> = []
    }

    struct Call: Sendable, Hashable {
        var callId: String
        var other: String
    }

    /// Whether a message about `callId` between this seat and `other` may pass, as far as anonymity goes.
    func allows(_ callId: String, with other: String) -> Bool {
        anonymous?.calls.contains(Call(callId: callId, other: other)) ?? true
    }
}
