internal import CallProtocol

/// A user's device, as topics name it.
struct Device: Sendable, Hashable, Comparable {
    var user: String
    var device: String

    static func < (one: Self, other: Self) -> Bool { (one.user, one.device) < (other.user, other.device) }
}

/// The topics of the signaling below one prefix (`docs/signaling-mqtt.md`).
struct Topics: Sendable, Equatable {
    /// Which topics of a user a message was published to.
    enum Inbox: Sendable, Equatable {
        case allDevices
        case device(String)
        /// Invites for all devices, or for one member of the user's pool.
        case invites
    }

    /// What the topic of a received message says.
    enum Meaning: Sendable, Equatable {
        case message(from: Device, to: String, via: Inbox)
        /// The presence of a device.
        case presence(Device)
    }

    /// Levels without a slash at the end.
    let prefix: String

    func message(from sender: Device, to user: String, device: String?) -> String {
        let receiver = [user, device].compactMap { $0 }.map(Self.level).joined(separator: "/")
        return "\(prefix)/to/\(receiver)/from/\(Self.level(sender.user))/\(Self.level(sender.device))"
    }

    /// Where invites for all devices of a user go: a topic of their own, so that the members of a pool can share it.
    func invite(from sender: Device, to user: String) -> String {
        "\(prefix)/invite/\(Self.level(user))/from/\(Self.level(sender.user))/\(Self.level(sender.device))"
    }

    func presence(of device: Device) -> String {
        "\(prefix)/presence/\(Self.level(device.user))/\(Self.level(device.device))"
    }

    /// What a device subscribes to for the messages of others.
    func inbox(of device: Device) -> [String] {
        let user = Self.level(device.user)
        return ["\(prefix)/to/\(user)/from/+/+", "\(prefix)/to/\(user)/\(Self.level(device.device))/from/+/+"]
    }

    /// What a device subscribes to for the invites to its user; as a member of a pool that the broker distributes, together with the other members.
    func invites(to user: String, isShared: Bool = false) -> String {
        "\(isShared ? "$share/callagent/" : "")\(prefix)/invite/\(Self.level(user))/from/+/+"
    }

    /// The presence of all devices of a user, or of all users.
    func presence(ofUser user: String?) -> String { "\(prefix)/presence/\(user.map(Self.level) ?? "+")/+" }

    /// Nil for a topic that this protocol does not have.
    func meaning(of topic: String) -> Meaning? {
        guard topic.hasPrefix(prefix + "/") else { return nil }
        let levels = topic.dropFirst(prefix.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        func name(_ index: Int) -> String? { Self.name(levels[index]) }
        switch (levels.count, levels[0]) {
        case (3, "presence"):
            guard let user = name(1), let device = name(2) else { return nil }
            return .presence(Device(user: user, device: device))
        case (5, "to") where levels[2] == "from", (5, "invite") where levels[2] == "from":
            guard let to = name(1), let user = name(3), let device = name(4) else { return nil }
            let sender = Device(user: user, device: device)
            return .message(from: sender, to: to, via: levels[0] == "to" ? .allDevices : .invites)
        case (6, "to") where levels[3] == "from":
            guard let to = name(1), let own = name(2), let user = name(4), let device = name(5) else { return nil }
            return .message(from: Device(user: user, device: device), to: to, via: .device(own))
        default: return nil
        }
    }

    /// A name as one level: `+` would be a wildcard, so it is written `%2B`; no name has a `%`.
    static func level(_ name: String) -> String {
        name.split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%2B")
    }

    private static func name(_ level: Substring) -> String? {
        var name = ""
        var rest = level
        while let mark = rest.firstIndex(of: "%") {
            guard rest[mark...].hasPrefix("%2B") else { return nil }
            name += rest[..<mark] + "+"
            rest = rest[mark...].dropFirst(3)
        }
        name += rest
        return SignalingLimits.isName(name) ? name : nil
    }
}
