internal import CallProtocol

/// The open calls and their devices.
///
/// A call belongs to the device that invited. It leaves the book when the connection of that device closes. So the book never
/// holds more than the limit of a connection times the number of connections.
struct CallBook: Sendable {
    /// The key of a call between two users.
    struct Entry: Sendable, Hashable {
        var callId: String
        var inviter: String
        var invitee: String
    }

    /// A device that gets `gone` because the other side of a call is gone.
    struct Witness: Sendable, Hashable {
        var callId: String
        var party: Party
    }

    /// The call of one inviting device.
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

    /// The most devices of an invitee that one call remembers, so that changing device names cannot fill the memory.
    private static let devicesPerCall = 64

    /// The number of calls.
    private(set) var count = 0

    /// The number of open calls to which the device invited.
    func count(invitedBy party: Party) -> Int { byInviter[party]?.count ?? 0 }

    /// The number of open calls to which all devices of `user` invited.
    func count(invitedBy user: String) -> Int { perUser[user] ?? 0 }

    func contains(_ entry: Entry, inviterDevice: String) -> Bool { legs[entry]?[inviterDevice] != nil }

    /// Whether any device of the inviter has that call.
    func contains(_ entry: Entry) -> Bool { legs[entry] != nil }

    /// The calls that ended since the last call of this method, in order.
    mutating func takeEnded() -> [CallRecord] {
        // The usual case, at every message.
        guard !over.isEmpty else { return [] }
        defer { over = [] }
        return over
    }

    /// Records that `inviterDevice` reached these devices of the invitee.
    ///
    /// `isResumed`: the call began before this server knew of it.
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

    /// Records that one more device of the invitee takes part, for all inviting devices.
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

    /// The inviting device ends the call with one device of the invitee, or with all if `inviteeDevice` is nil.
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

    /// One device of the invitee accepted or refused the call; the others leave it.
    mutating func keep(_ entry: Entry, inviterDevice: String, onlyInviteeDevice winner: String, at now: Moment) {
        for device in (legs[entry]?[inviterDevice]?.devices ?? []).subtracting([winner]).sorted() {
            end(entry, inviterDevice: inviterDevice, inviteeDevice: device, .resolved, at: now)
        }
    }

    /// A device of the invitee leaves the call, for all inviting devices; `rejection` is the code of its `reject`.
    mutating func end(
        _ entry: Entry, inviteeDevice: String, _ ending: CallEnding, rejection: Int? = nil, at now: Moment
    ) {
        for (inviterDevice, leg) in legs[entry] ?? [:] where leg.devices.contains(inviteeDevice) {
            if ending == .reject { legs[entry]?[inviterDevice]?.record.reject(rejection) }
            end(entry, inviterDevice: inviterDevice, inviteeDevice: inviteeDevice, ending, at: now)
        }
    }

    /// Removes a device that is gone, with the calls to which it invited; returns the other sides of all its calls.
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

    /// Removes a device of the invitee from the index, unless another inviting device has it in the same call.
    private mutating func forget(_ entry: Entry, inviteeDevice: String) {
        guard legs[entry]?.values.contains(where: { $0.devices.contains(inviteeDevice) }) != true else { return }
        Self.remove(entry, from: &byInvitee, of: Party(user: entry.invitee, device: inviteeDevice))
    }

    private static func remove(_ entry: Entry, from book: inout [Party: Set<Entry>], of party: Party) {
        book[party]?.remove(entry)
        if book[party]?.isEmpty == true { book[party] = nil }
    }
}
