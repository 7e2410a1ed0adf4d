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

    /// What one device invited to.
    private struct Leg: Sendable {
        /// The devices that the invite was forwarded to.
        var devices: Set<String> = []
        var record: CallRecord
    }

    /// By the device that invited.
    private var legs: [Entry: [String: Leg]] = [:]
    private var over: [CallRecord] = []
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

    /// The calls that ended since this was asked last, in order.
    mutating func takeEnded() -> [CallRecord] {
        // Without it being asked in vain at every message.
        guard !over.isEmpty else { return [] }
        defer { over = [] }
        return over
    }

    /// Writes down that `inviterDevice` reached these devices of the invitee.
    ///
    /// `isResumed` says that the call began before it was heard of here.
    mutating func insert(
        _ entry: Entry, inviterDevice: String, inviteeDevices: [String], isResumed: Bool, at now: Moment
    ) {
        if legs[entry]?[inviterDevice] == nil {
            let inviter = Party(user: entry.inviter, device: inviterDevice)
            let record = CallRecord(
                callId: entry.callId, caller: inviter, callee: entry.invitee, started: now, isResumed: isResumed)
            legs[entry, default: [:]][inviterDevice] = Leg(record: record)
            byInviter[inviter, default: []].insert(entry)
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

    /// A device of the invitee accepted.
    mutating func accepted(_ entry: Entry, by inviteeDevice: String, at now: Moment) {
        for (inviterDevice, leg) in legs[entry] ?? [:] where leg.devices.contains(inviteeDevice) {
            legs[entry]?[inviterDevice]?.record.accept(by: inviteeDevice, at: now)
        }
    }

    /// The device that invited ends the call, with one device of the invitee or, without one, with all.
    mutating func end(
        _ entry: Entry, inviterDevice: String, inviteeDevice: String? = nil, _ ending: CallEnding, at now: Moment
    ) {
        guard let leg = legs[entry]?[inviterDevice] else { return }
        let ended = inviteeDevice.map { leg.devices.intersection([$0]) } ?? leg.devices
        legs[entry]?[inviterDevice]?.devices.subtract(ended)
        if ended.count == leg.devices.count {
            over.append(leg.record.over(ending, at: now))
            legs[entry]?[inviterDevice] = nil
            Self.remove(entry, from: &byInviter, of: Party(user: entry.inviter, device: inviterDevice))
            perUser[entry.inviter, default: 0] -= 1
            if perUser[entry.inviter] == 0 { perUser[entry.inviter] = nil }
            count -= 1
        }
        for device in ended { forget(entry, inviteeDevice: device) }
        if legs[entry]?.isEmpty == true { legs[entry] = nil }
    }

    /// One device of the invitee took or refused the call of the device that invited; the others are out of it.
    mutating func keep(_ entry: Entry, inviterDevice: String, onlyInviteeDevice winner: String, at now: Moment) {
        for device in (legs[entry]?[inviterDevice]?.devices ?? []).subtracting([winner]).sorted() {
            end(entry, inviterDevice: inviterDevice, inviteeDevice: device, .settle, at: now)
        }
    }

    /// A device of the invitee leaves the call, whichever device invited; by a `reject` with this `rejection`.
    mutating func end(
        _ entry: Entry, inviteeDevice: String, _ ending: CallEnding, rejection: Int? = nil, at now: Moment
    ) {
        for (inviterDevice, leg) in legs[entry] ?? [:] where leg.devices.contains(inviteeDevice) {
            if ending == .reject { legs[entry]?[inviterDevice]?.record.reject(rejection) }
            end(entry, inviterDevice: inviterDevice, inviteeDevice: inviteeDevice, ending, at: now)
        }
    }

    /// The other side of each call of a device that is gone; the calls that it invited to leave the book.
    ///
    /// Sorted, so that the same facts always lead to the same actions.
    mutating func left(_ party: Party, at now: Moment) -> [Witness] {
        var witnesses: Set<Witness> = []
        for entry in byInvitee[party] ?? [] {
            for (device, leg) in legs[entry] ?? [:] where leg.devices.contains(party.device) {
                witnesses.insert(
                    Witness(callId: entry.callId, party: Party(user: entry.inviter, device: device)))
            }
        }
        for entry in byInviter[party] ?? [] {
            for device in legs[entry]?[party.device]?.devices ?? [] {
                witnesses.insert(
                    Witness(callId: entry.callId, party: Party(user: entry.invitee, device: device)))
            }
            end(entry, inviterDevice: party.device, .gone, at: now)
        }
        return witnesses.sorted {
            ($0.callId, $0.party.user, $0.party.device) < ($1.callId, $1.party.user, $1.party.device)
        }
    }

    private mutating func join(_ entry: Entry, inviterDevice: String, _ device: String) {
        guard (legs[entry]?[inviterDevice]?.devices.count ?? 0) < Self.devicesPerCall else { return }
        legs[entry]?[inviterDevice]?.devices.insert(device)
        byInvitee[Party(user: entry.invitee, device: device), default: []].insert(entry)
    }

    /// Takes a device of the invitee out of the index unless another device of the inviter has it in the same call.
    private mutating func forget(_ entry: Entry, inviteeDevice: String) {
        guard legs[entry]?.values.contains(where: { $0.devices.contains(inviteeDevice) }) != true else { return }
        Self.remove(entry, from: &byInvitee, of: Party(user: entry.invitee, device: inviteeDevice))
    }

    private static func remove(_ entry: Entry, from book: inout [Party: Set<Entry>], of party: Party) {
        book[party]?.remove(entry)
        if book[party]?.isEmpty == true { book[party] = nil }
    }
}
