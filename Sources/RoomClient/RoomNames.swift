internal import CallAgent

/// The names that the participants of a room have as the peers of calls: each one another name.
struct RoomNames: Sendable {
    /// The name of the room itself, as the callee of what this end publishes.
    let room: String
    private let own: String
    private var names: [String: String] = [:]

    init(room: String, own: String) {
        self.own = own
        self.room = room == own ? "room-of-\(own.prefix(SignalingLimits.nameBytes - 8))" : room
    }

    /// The participant's display name if that is a name that nobody else has; otherwise one with its id.
    mutating func name(of participant: RoomParticipant) -> String {
        if let name = names[participant.id] { return name }
        let taken = Set(names.values).union([room, own])
        func isFree(_ name: String) -> Bool { SignalingLimits.isName(name) && !taken.contains(name) }
        let name =
            [participant.displayName, "participant-\(participant.id)"].first(where: isFree)
            ?? (1...).lazy.map { "participant-\($0)" }.first(where: isFree) ?? "participant"
        names[participant.id] = name
        return name
    }

    /// The id of the participant that calls by this name.
    func id(of name: String) -> String? { names.first { $0.value == name }?.key }

    mutating func remove(_ id: String) { names[id] = nil }

    mutating func removeAll() { names = [:] }
}
