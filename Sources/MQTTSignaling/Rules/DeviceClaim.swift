/// Which of several programs under one user and device stays signed in: the last one.
///
/// All of them see the same notes, and compare the times in them, so they agree whatever their clocks say.
struct DeviceClaim: Sendable, Equatable {
    /// What to do about a note.
    enum Action: Sendable, Equatable {
        case nothing
        /// Publish the own note again: it is not what the broker has.
        case publish
        /// Another program signed in later.
        case giveUp
    }

    let session: String
    private(set) var sinceUnixMs: Double
    /// Whether the own note has come back from the broker since the first sign-in.
    private(set) var isConfirmed = false

    init(session: String, sinceUnixMs: Double) { (self.session, self.sinceUnixMs) = (session, sinceUnixMs) }

    /// Takes the note of the own device; nil: it was removed, such as by the last will of a former connection.
    mutating func take(_ note: PresenceNote?) -> Action {
        guard let note else { return isConfirmed ? .publish : .nothing }
        guard note.session != session else {
            isConfirmed = isConfirmed || note.sinceUnixMs == sinceUnixMs
            return .nothing
        }
        guard (note.sinceUnixMs, note.session) > (sinceUnixMs, session) else {
            return isConfirmed ? .publish : .nothing
        }
        guard !isConfirmed else { return .giveUp }
        // A program that signs in comes after all that are there, even if its clock is behind theirs.
        sinceUnixMs = note.sinceUnixMs + 1
        return .publish
    }
}
