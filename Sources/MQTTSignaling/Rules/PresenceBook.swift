/// Which devices are signed in, as far as the watched presence topics say.
///
/// A note counts for as long as it says: a broker that dies does not publish the last wills of its clients.
struct PresenceBook: Sendable {
    /// How much the clocks of two machines may differ for a retained note that is as old as it may be, in ms.
    private static let toleranceMs = 10_000.0
    /// The most users that are remembered; notes of further ones are ignored.
    private let maximumUsers: Int
    /// The most devices of a user; further ones are ignored, since a user may publish as many notes as it likes.
    private let maximumDevices: Int

    private struct Entry {
        /// When the note ends, in ms of this end's own clock.
        var end: Int
        /// The program that is signed in.
        var session: String
        /// Whether it takes calls of its pool; nil for a device that is no member of one.
        var isFree: Bool?
    }

    init(maximumUsers: Int = 65_536, maximumDevices: Int = 16) {
        (self.maximumUsers, self.maximumDevices) = (maximumUsers, maximumDevices)
    }

    /// The entry of each device of each user.
    private var entries: [String: [String: Entry]] = [:]

    /// The sorted devices of a user.
    func devices(of user: String) -> [String] { entries[user]?.keys.sorted() ?? [] }

    /// The sorted names of all users with a device.
    var users: [String] { entries.keys.sorted() }

    /// The program that is signed in as a device; nil if there is none.
    func session(of device: Device) -> String? { entries[device.user]?[device.device]?.session }

    /// The devices of a user, and whether they take calls of their pool; nil for a device that is no member of one.
    func availability(of user: String) -> [(device: String, isFree: Bool?)] {
        (entries[user] ?? [:]).map { ($0.key, $0.value.isFree) }
    }

    /// Takes a note, nil for the end of one; returns whether it changed who is signed in.
    ///
    /// - Parameters:
    ///   - isRetained: whether it was sent before this end watched it.
    ///   - now: ms of this end's own clock.
    ///   - unixMs: the same moment in ms since 1970.
    mutating func take(_ note: PresenceNote?, of device: Device, isRetained: Bool, at now: Int, unixMs: Double) -> Bool
    {
        guard let note, !Self.isOld(note, isRetained, unixMs) else { return remove(device) }
        let known = entries[device.user]
        guard known?[device.device] != nil || known?.count ?? 0 < maximumDevices,
            known != nil || entries.count < maximumUsers
        else { return false }
        let entry = Entry(end: now + note.validForMs, session: note.session, isFree: note.free)
        return entries[device.user, default: [:]].updateValue(entry, forKey: device.device) == nil
    }

    /// Only a retained note can be old; the clock of its sender counts for nothing else.
    private static func isOld(_ note: PresenceNote, _ isRetained: Bool, _ unixMs: Double) -> Bool {
        isRetained && note.sentUnixMs + Double(note.validForMs) + toleranceMs < unixMs
    }

    /// Returns whether the device was there.
    mutating func remove(_ device: Device) -> Bool {
        guard entries[device.user]?.removeValue(forKey: device.device) != nil else { return false }
        if entries[device.user]?.isEmpty == true { entries[device.user] = nil }
        return true
    }

    /// The devices whose notes have ended, sorted.
    func expired(at now: Int) -> [Device] {
        entries.flatMap { user, devices in
            devices.filter { $0.value.end <= now }.map { Device(user: user, device: $0.key) }
        }.sorted()
    }

    /// Forgets all that is not watched any more.
    mutating func keep(_ isWatched: (Device) -> Bool) {
        for (user, devices) in entries {
            for device in devices.keys where !isWatched(Device(user: user, device: device)) {
                _ = remove(Device(user: user, device: device))
            }
        }
    }

    /// All notes end at `end` at the latest, unless they are renewed.
    mutating func doubt(until end: Int) {
        entries = entries.mapValues { devices in
            devices.mapValues { entry in
                var entry = entry
                entry.end = min(entry.end, end)
                return entry
            }
        }
    }
}
