internal import CallProtocol

/// The user and device that are signed in on a connection, and what that sign-in allows.
struct Seat: Sendable {
    let party: Party
    /// The text that a later sign-in presents to replace this one.
    let resume: String
    /// When the token expires; nil on a server without tokens.
    var expiresUnixMs: Int?
    /// The identifier of the token in a deny list.
    var tokenID: String?
    /// Set for a user without an account.
    var anonymous: Anonymous?

    init(party: Party, resume: String) { (self.party, self.resume) = (party, resume) }

    /// The same with another text for the next sign-in.
    init(_ seat: Seat, resume: String) {
        self.init(party: seat.party, resume: resume)
        (expiresUnixMs, tokenID, anonymous) = (seat.expiresUnixMs, seat.tokenID, seat.anonymous)
    }

    struct Anonymous: Sendable {
        var mayCall: Set<String>
        /// The calls to which it invited since it signed in; also ended ones, since messages about them may still arrive.
        var calls: Set<Call> = []
    }

    struct Call: Sendable, Hashable {
        var callId: String
        var other: String
    }

    /// Whether the rules for anonymous users allow a message about `callId` between this seat and `other`.
    func allows(_ callId: String, with other: String) -> Bool {
        anonymous?.calls.contains(Call(callId: callId, other: other)) ?? true
    }
}
