internal import CallProtocol

/// Which calls are under way between which devices.
///
/// A call belongs to the device that invited: with that device's connection it leaves the book. So the book never holds more
/// than the bound of a connection times the number of connections, whatever clients do.
struct CallBook: Sendable {
    /// One call between two users, as it is written down.
    struct Entry: Sendable, Hashable {
        var callId: String
        var inviter: String
        var invitee: String
    }

    /// Somebody who is told that the other side of a call is gone.
    struct Witness: Sendable, Hashable {
        var callId: String
        var party: Party
    }

    /// For each device that invited, the devices that the invite was forwarded to.
    private var legs: [Entry: [String: Set<String>]] = [:]
    private var byInviter: [Party: Set<Entry>] = [:]
    private var byInvitee: [Party: Set<Entry>] = [:]
    private var perUser: [String: Int] = [:]

    /// The most devices of an invitee that one call remembers: names that come and go must not add up.
    private static let devicesPerCall = 64

    /// How many calls there are.
    private(set) var count = 0

    /// How many calls the device has invited to that have not ended.
    func count(invitedBy party: Party) -> Int { byInviter[party]?.count ?? 0 }

    /// How many calls all devices of `user` have invited to.
    func count(invitedBy user: String) -> Int { perUser[user] ?? 0 }

    func contains(_ entry: Entry, inviterDevice: String) -> Bool { legs[entry]?[inviterDevice] != nil }

    /// Whether any device of the inviter has that call.
    func contains(_ entry: Entry) -> Bool { legs[entry] != nil }

    /// Writes down that `inviterDevice` reached these devices of the invitee.
    mutating func insert(_ entry: Entry, inviterDevice: String, inviteeDevices: [String]) {
        if legs[entry]?[inviterDevice] == nil {
            legs[entry, default: [:]][inviterDevice] = []
            byInviter[Party(user: entry.inviter, device: inviterDevice), default: []].insert(entry)
            perUser[entry.inviter, default: 0] += 1
            count += 1
        }
        for device in inviteeDevices { join(entry, inviterDevice: inviterDevice, device) }
    }

    /// Writes down that one more device of the invitee takes part, at all devices that invited.
    mutating func join(_ entry: Entry, inviteeDevice: String) {
        for inviterDevice in legs[entry]?.keys.sorted() ?? [] {
            join(entry, inviterDevice: inviterDevice, inviteeDevice)
        }
    }

    /// The device that invited ends the call, with one device of the invitee or, without one, with all.
    mutating func end(_ entry: Entry, inviterDevice: String, inviteeDevice: String? = nil) {
        guard let devices = legs[entry]?[inviterDevice] else { return }
        let ended = inviteeDevice.map { devices.intersection([$0]) } ?? devices
        legs[entry]?[inviterDevice] = devices.subtracting(ended)
        if ended.count == devices.count {
            legs[entry]?[inviterDevice] = nil
            Self.remove(entry, from: &byInviter, of: Party(user: entry.inviter, device: inviterDevice))
            perUser[entry.inviter, default: 0] -= 1
            if perUser[entry.inviter] == 0 { perUser[entry.inviter] = nil }
            count -= 1
        }
        for device in ended { forget(entry, inviteeDevice: device) }
        if legs[entry]?.isEmpty == true { legs[entry] = nil }
    }

    /// One device of the invitee took the call of the device that invited; the others are out of it.
    mutating func keep(_ entry: Entry, inviterDevice: String, onlyInviteeDevice winner: String) {
        for device in (legs[entry]?[inviterDevice] ?? []).subtracting([winner]).sorted() {
            end(entry, inviterDevice: inviterDevice, inviteeDevice: device)
        }
    }

    /// A device of the invitee leaves the call, whichever device invited.
    mutating func end(_ entry: Entry, inviteeDevice: String) {
        for (inviterDevice, devices) in legs[entry] ?? [:] where devices.contains(inviteeDevice) {
            end(entry, inviterDevice: inviterDevice, inviteeDevice: inviteeDevice)
        }
    }

    /// The other side of each call of a device that is gone; the calls that it invited to leave the book.
    ///
    /// Sorted, so that the same facts always lead to the same actions.
    mutating func left(_ party: Party) -> [Witness] {
        var witnesses: Set<Witness> = []
        for entry in byInvitee[party] ?? [] {
            for (device, devices) in legs[entry] ?? [:] where devices.contains(party.device) {
                witnesses.insert(
                    Witness(callId: entry.callId, party: Party(user: entry.inviter, device: device)))
            }
        }
        for entry in byInviter[party] ?? [] {
            for device in legs[entry]?[party.device] ?? [] {
                witnesses.insert(
                    Witness(callId: entry.callId, party: Party(user: entry.invitee, device: device)))
            }
            end(entry, inviterDevice: party.device)
        }
        return witnesses.sorted {
            ($0.callId, $0.party.user, $0.party.device) < ($1.callId, $1.party.user, $1.party.device)
        }
    }

    private mutating func join(_ entry: Entry, inviterDevice: String, _ device: String) {
        guard (legs[entry]?[inviterDevice]?.count ?? 0) < Self.devicesPerCall else { return }
        legs[entry]?[inviterDevice]?.insert(device)
        byInvitee[Party(user: entry.invitee, device: device), default: []].insert(entry)
    }

    /// Takes a device of the invitee out of the index unless another device of the inviter has it in the same call.
    private mutating func forget(_ entry: Entry, inviteeDevice: String) {
        guard legs[entry]?.values.contains(where: { $0.contains(inviteeDevice) }) != true else { return }
        Self.remove(entry, from: &byInvitee, of: Party(user: entry.invitee, device: inviteeDevice))
    }

    private static func remove(_ entry: Entry, from book: inout [Party: Set<Entry>], of party: Party) {
        book[party]?.remove(entry)
        if book[party]?.isEmpty == true { book[party] = nil }
    }
}
