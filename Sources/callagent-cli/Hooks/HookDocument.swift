internal import CallAgent

/// The data that a hook gets, as JSON or as environment variables.
struct HookDocument: Encodable, Sendable {
    /// The event that runs the hook.
    enum Event: String, Encodable, Sendable {
        case ring
        case connect
        case end
    }

    let event: Event
    let callId: String
    let role: CallRole
    let user: String
    let peer: String
    let displayName: String?
    let address: String?
    let room: String?
    let media: CallMedia
    let startedUnixMs: Double
    let reason: String?
    let code: Int?
    let text: String?
    let by: String?
    let connectedMs: Double?

    init(_ event: Event, _ facts: CallFacts) {
        self.event = event
        (callId, role, user, peer) = (facts.callId, facts.role, facts.user, facts.peer)
        (displayName, address, room) = (facts.callerDisplayName, facts.callerAddress, facts.room)
        media = facts.media
        startedUnixMs = facts.startedUnixMs.rounded(toPlaces: 1)
        (reason, code, text) = (facts.end?.reason.rawValue, facts.end?.code, facts.end?.text)
        by = facts.end.map { $0.by == .local ? facts.user : facts.peer }
        connectedMs = facts.connectedMs?.rounded(toPlaces: 2)
    }

    /// The data as environment variables; unknown values are left out.
    ///
    /// Control characters are escaped, so a peer's text cannot end a line or a variable.
    var environment: [String: String] {
        let facts: [String: String?] = [
            "EVENT": event.rawValue, "CALL_ID": callId, "ROLE": role.rawValue, "USER": user, "PEER": peer,
            "DISPLAY_NAME": displayName, "ADDRESS": address, "ROOM": room, "AUDIO": "\(media.audio)",
            "VIDEO": "\(media.video)", "STARTED_UNIX_MS": "\(Int(startedUnixMs))", "REASON": reason,
            "CODE": code.map(String.init), "TEXT": text, "BY": by, "CONNECTED_MS": connectedMs.map { "\(Int($0))" },
        ]
        return Dictionary(
            uniqueKeysWithValues: facts.compactMap { fact in
                fact.value.map { ("CALLAGENT_" + fact.key, $0.printable) }
            })
    }
}
