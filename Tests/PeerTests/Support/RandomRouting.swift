import Conformance

/// Random steps of one end's routing, in the format of `docs/signaling.md`, "Conformance".
struct RandomRouting {
    private var chance: Chance
    private var made = 0

    init(seed: UInt64) { chance = Chance(state: seed) }

    mutating func limit() -> Int { 1 + chance.below(4) }

    /// The next steps: the same few ids from several peers, and sometimes many new ids.
    mutating func steps() -> [JSONValue] {
        switch chance.below(20) {
        case 0...3:
            return [
                [
                    "add": call().merging([
                        "role": chance.pick(["caller", "callee"]), "state": chance.pick(["calling", "ringing"]),
                    ])
                ]
            ]
        case 4, 5:
            let state: JSONValue = chance.pick(["calling", "ringing", "connecting", "connected", "reconnecting"])
            return [["note": call().merging(["state": state])]]
        case 6, 7: return [["end": call()]]
        case 8: return [["adopt": call().merging(["newId": id()])]]
        case 9 where chance.below(4) == 0:
            // A peer that invents ids cannot make this end forget the ids of others or fill its memory.
            let type: JSONValue = chance.pick(["cancel", "invite"])
            return (0..<100).map { _ in
                made += 1
                return message(["type": type, "callId": .string("n\(made)")])
            }
        default: return [message([:])]
        }
    }

    private mutating func id() -> JSONValue { chance.pick(["a", "b", "c", "d"]) }
    private mutating func peer() -> JSONValue { chance.pick(["bob", "carol", "dave"]) }
    private mutating func call() -> JSONValue { ["peer": peer(), "callId": id()] }

    private mutating func message(_ fields: JSONValue) -> JSONValue {
        let type: JSONValue =
            fields["type"]
            ?? chance.pick([
                "invite", "invite", "invite", "cancel", "hangup", "reject", "query", "accept", "ringing", "error",
                "gone",
            ])
        var message: JSONValue = [
            "v": 1, "id": "m", "callId": id(), "from": type == "error" ? chance.pick([.null, peer()]) : peer(),
            "to": "alice",
            "sentUnixMs": .int(chance.pick([0, 1_000_000, 1_000_000])), "type": type,
        ]
        if type == "invite" {
            message = message.merging([
                "media": ["audio": true, "video": true], "sdp": "offer", "ringTimeoutMs": 20_000,
            ])
        }
        // In time, just in time, or too late.
        let at = chance.pick([1_000_000, 1_000_000, 1_022_000, 1_022_001])
        return ["message": message.merging(fields), "at": .int(at)]
    }
}
