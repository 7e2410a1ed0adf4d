/// Which devices are signed in, as far as the watched presence topics say.
///
/// A note counts for as long as it says: a broker that dies does not publish the last wills of its clients.
struct PresenceBook: Sendable {
    /// How much the clocks of two machines may differ for a retained note that is as old as it may be, in ms.
    private static let toleranceMs = 10_000.0
    /// The most users that are remembered; notes of further ones are ignored.
    static let maximumUsers = 65_536
    /// The most devices of a user; further ones are ignored, since a user may publish as many notes as it likes.
    static let maximumDevices = 16

    /// When the note of each device of each user ends, in ms of this end's own clock.
    private var ends: [String: [String: Int]] = [:]

    /// The sorted devices of a user.
    func devices(of user: String) -> [String] { ends[user]?.keys.sorted() ?? [] }

    /// The sorted names of all users with a device.
    var users: [String] { ends.keys.sorted() }

    func isPresent(_ device: Device) -> Bool { ends[device.user]?[device.device] != nil }

    /// Takes a note, nil for the end of one; returns whether it changed who is signed in.
    ///
    /// - Parameters:
    ///   - isRetained: whether it was sent before this end watched it.
    ///   - now: ms of this end's own clock.
    ///   - unixMs: the same moment in ms since 1970.
    mutating func take(_ note: PresenceNote?, of device: Device, isRetained: Bool, at now: Int, unixMs: Double) -> Bool
    {
        guard let note, !Self.isOld(note, isRetained, unixMs) else { return remove(device) }
        let known = ends[device.user]
        guard known?[device.device] != nil || known?.count ?? 0 < Self.maximumDevices,
            known != nil || ends.count < Self.maximumUsers
        else { return false }
        return ends[device.user, default: [:]].updateValue(now + note.validForMs, forKey: device.device) == nil
    }

    /// Only a retained note can be old; the clock of its sender counts for nothing else.
    private static func isOld(_ note: PresenceNote, _ isRetained: Bool, _ unixMs: Double) -> Bool {
        isRetained && note.sentUnixMs + Double(note.validForMs) + toleranceMs < unixMs
    }

    private mutating func remove(_ device: Device) -> Bool {
        guard ends[device.user]?.removeValue(forKey: device.device) != nil else { return false }
        if ends[device.user]?.isEmpty == true { ends[device.user] = nil }
        return true
    }

    /// Removes the devices whose notes have ended, and returns them sorted.
    mutating func expire(at now: Int) -> [Device] {
        let old = ends.flatMap { user, devices in
            devices.filter { $0.value <= now }.map { Device(user: user, device: $0.key) }
        }
        for device in old { _ = remove(device) }
        return old.sorted()
    }

    /// Forgets all that is not watched any more.
    mutating func keep(_ isWatched: (Device) -> Bool) {
        for (user, devices) in ends {
            for device in devices.keys where !isWatched(Device(user: user, device: device)) {
                _ = remove(Device(user: user, device: device))
            }
        }
    }

    /// All notes end at `end` at the latest, unless they are renewed.
    mutating func doubt(until end: Int) { ends = ends.mapValues { $0.mapValues { min($0, end) } } }
}
