/// Which devices are signed in, as far as the watched presence topics say.
///
/// A note counts for as long as it says: a broker that dies does not publish the last wills of its clients.
struct PresenceBook: Sendable {
    /// How much the clocks of two machines may differ for a retained note that is as old as it may be, in ms.
    private static let toleranceMs = 10_000.0
    /// The most devices that are remembered; notes of further ones are ignored.
    static let maximum = 65_536

    /// When the note of each device ends, in ms of this end's own clock.
    private var ends: [Device: Int] = [:]

    /// The sorted devices of a user.
    func devices(of user: String) -> [String] { ends.keys.filter { $0.user == user }.map(\.device).sorted() }

    /// The sorted names of all users with a device.
    var users: [String] { Set(ends.keys.map(\.user)).sorted() }

    func isPresent(_ device: Device) -> Bool { ends[device] != nil }

    /// Takes a note, nil for the end of one; returns whether it changed who is signed in.
    ///
    /// - Parameters:
    ///   - isRetained: whether it was sent before this end watched it.
    ///   - now: ms of this end's own clock.
    ///   - unixMs: the same moment in ms since 1970.
    mutating func take(_ note: PresenceNote?, of device: Device, isRetained: Bool, at now: Int, unixMs: Double) -> Bool
    {
        guard let note, !Self.isOld(note, isRetained, unixMs) else { return ends.removeValue(forKey: device) != nil }
        guard ends[device] != nil || ends.count < Self.maximum else { return false }
        return ends.updateValue(now + note.validForMs, forKey: device) == nil
    }

    /// Only a retained note can be old; the clock of its sender counts for nothing else.
    private static func isOld(_ note: PresenceNote, _ isRetained: Bool, _ unixMs: Double) -> Bool {
        isRetained && note.sentUnixMs + Double(note.validForMs) + toleranceMs < unixMs
    }

    /// Removes the devices whose notes have ended, and returns them sorted.
    mutating func expire(at now: Int) -> [Device] {
        let old = ends.filter { $0.value <= now }.keys.sorted()
        for device in old { ends[device] = nil }
        return old
    }

    /// Forgets all that is not watched any more.
    mutating func keep(_ isWatched: (Device) -> Bool) { ends = ends.filter { isWatched($0.key) } }

    /// All notes end at `end` at the latest, unless they are renewed.
    mutating func doubt(until end: Int) { ends = ends.mapValues { min($0, end) } }
}
