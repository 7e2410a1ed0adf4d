/// Which of several sign-ins under one user and device stays: the last one, also of the same program at two servers.
///
/// All of them see the same notes, and compare the times in them, so they agree whatever their clocks say.
struct DeviceClaim: Sendable, Equatable {
    /// What to do about a note.
    enum Action: Sendable, Equatable {
        case nothing
        /// Publish the own note again: it is not what the broker has.
        case publish
        /// There is a later sign-in.
        case giveUp
    }

    let session: String
    private(set) var sinceUnixMs: Double
    /// Whether the own note has come back from the broker since the first sign-in.
    private(set) var isConfirmed = false

    init(session: String, sinceUnixMs: Double) { (self.session, self.sinceUnixMs) = (session, sinceUnixMs) }

    /// Whether this sign-in published the note.
    func isOwn(_ note: PresenceNote) -> Bool { note.session == session && note.sinceUnixMs == sinceUnixMs }

    /// Takes the note of the own device; nil: it was removed, such as by the last will of a former connection.
    mutating func take(_ note: PresenceNote?) -> Action {
        guard let note else { return isConfirmed ? .publish : .nothing }
        guard !isOwn(note) else {
            isConfirmed = true
            return .nothing
        }
        guard (note.sinceUnixMs, note.session) > (sinceUnixMs, session) else {
            return isConfirmed ? .publish : .nothing
        }
        guard !isConfirmed else { return .giveUp }
        // A sign-in comes after all that are there, even if its clock is behind theirs.
        sinceUnixMs = note.sinceUnixMs + 1
        return .publish
    }
}
