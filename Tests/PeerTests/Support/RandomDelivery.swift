import Conformance

/// Random steps of one end's delivery on a bad network, in the format of `docs/signaling.md`, "Conformance".
struct RandomDelivery {
    private var chance: Chance
    private var now = 0
    private var sent = 0
    /// The epoch of the peers' messages: their devices start again now and then.
    private var peerEpoch = 20

    /// The epoch of this end's messages.
    static let epoch = 7

    init(seed: UInt64) { chance = Chance(state: seed) }

    /// The next step, with its time; `next` is the time of the next wake.
    mutating func step(next: Int?) -> JSONValue {
        now += chance.pick([0, 1, 20, 300, 500, 1_000, 4_000])
        switch chance.below(12) {
        case 0...3: return at(["send": outgoing()])
        case 4...7: return at(["receive": incoming()])
        case 8: return at(["receive": refused()])
        case 9:
            // In time, or too late.
            now = max(now, next ?? now)
            return at(["wake": true])
        case 10: return at(["connection": chance.pick(["lost", "restored", "restored"])])
        default:
            guard chance.below(3) == 0 else { return at(["receive": incoming()]) }
            return at(["forget": ["peer": chance.pick(["bob", "carol"]), "callId": chance.pick(["c1", "c2"])]])
        }
    }

    /// More messages than may wait for an acknowledgement.
    func flood() -> [JSONValue] {
        (1...1_100).map { number in
            at([
                "send": [
                    "v": 1, "type": "candidate", "id": .string("a\(number)"), "callId": "c1", "from": "me", "to": "bob",
                    "device": "mine", "generation": 0, "sentUnixMs": 1, "candidate": "", "mLine": 0,
                ]
            ])
        }
    }

    /// Streams of more peers than are remembered, some of them in a call with this end, and then all of them again.
    ///
    /// Messages of forgotten streams are delivered again.
    mutating func strangers() -> [JSONValue] {
        var steps: [JSONValue] = []
        let peers = (0..<1_100).map { "p\($0)" }
        for round in 0..<2 {
            for peer in peers {
                now += 1
                if round == 0, chance.below(8) == 0 { steps.append(at(["send": outgoing(to: .string(peer))])) }
                steps.append(
                    at([
                        "receive": envelope(from: .string(peer), "b1").merging([
                            "type": "ringing", "seq": 1, "toDevice": "mine", "callId": "c1",
                        ])
                    ]))
            }
        }
        return steps
    }

    private func at(_ step: JSONValue) -> JSONValue { step.merging(["at": .int(now)]) }

    private mutating func outgoing(to peer: JSONValue? = nil) -> JSONValue {
        sent += 1
        let farewell: JSONValue = ["code": 200, "text": "", "winner": chance.pick([.null, "A"])]
        let candidate: JSONValue = ["type": "candidate", "candidate": "", "mLine": 0]
        let body: JSONValue = chance.pick([
            ["type": "invite", "media": ["audio": true, "video": true], "ringTimeoutMs": 20_000, "sdp": "offer"],
            candidate, candidate, candidate,
            ["type": "state", "state": ["audio": "on", "video": "on", "hold": false]],
            ["type": "query"], farewell.merging(["type": "hangup"]), farewell.merging(["type": "cancel"]),
            // Longer than a peer accepts.
            ["type": "info", "content": .string(String(repeating: "x", count: chance.pick([10, 4_096, 4_097])))],
        ])
        return body.merging([
            "v": 1, "id": .string("a\(sent)"), "callId": chance.pick(["c1", "c2"]), "from": "me",
            "to": peer ?? chance.pick(["bob", "bob", "carol"]), "device": "mine",
            "toDevice": chance.pick([.null, .null, "A"]),
            "generation": 0, "sentUnixMs": 1,
        ])
    }

    private mutating func incoming() -> JSONValue {
        let reference = JSONValue.string("a\(chance.below(sent + 1) + 1)")
        let fault: JSONValue = [
            "code": chance.pick([400, 404, 413, 426, 429, 480, 481]), "text": "", "ref": reference,
        ]
        var body: JSONValue = chance.pick([
            ["type": "ack", "ref": reference], ["type": "ack", "ref": reference], ["type": "ringing"],
            ["type": "candidate", "candidate": "", "mLine": 0], ["type": "candidate", "candidate": "", "mLine": 0],
            ["type": "state", "state": ["audio": "on", "video": "on", "hold": false]],
            ["type": "hangup", "code": 9_900, "text": ""], ["type": "status", "callState": "connected"],
            ["type": "gone"], ["type": "skip"], fault.merging(["type": "error"]), fault.merging(["type": "error"]),
        ])
        // Messages of the server itself have no sender.
        let sender: JSONValue =
            body["type"] == "error" ? chance.pick([.null, "bob", "carol"]) : chance.pick(["bob", "bob", "carol"])
        if !["ack", "gone", "error"].contains(body["type"]?.string) {
            body["seq"] = .int(chance.pick([1, 2, 3, 4, 5, 6, 200]))
            if chance.below(20) == 0 { peerEpoch += 1 }
            body["epoch"] = .int(peerEpoch - chance.pick([0, 0, 0, 0, 0, 1]))
        } else if body["type"] == "ack" {
            body["epoch"] = .int(Self.epoch - chance.pick([0, 0, 0, 1]))
        }
        return envelope(from: sender, "b\(chance.below(1_000))").merging(body)
    }

    private mutating func envelope(from sender: JSONValue, _ id: String) -> JSONValue {
        [
            "v": 1, "id": .string(id), "callId": chance.pick(["c1", "c2"]), "from": sender, "to": "me",
            "device": chance.pick(["A", "A", "B", .null]), "toDevice": chance.pick([.null, "mine"]), "generation": 0,
            "sentUnixMs": 1,
        ]
    }

    /// A message with an error for which every receiver refuses it.
    private mutating func refused() -> JSONValue {
        let fault: JSONValue = chance.pick([
            ["type": "applause"], ["v": 2], ["v": "1"], ["type": "info", "content": 5],
            ["type": "candidate", "candidate": "", "mLine": 16], ["type": "invite"], ["sentUnixMs": -1],
            ["type": "skip", "generation": 10_001], ["device": "no name"], ["toDevice": 7], ["seq": 0],
            ["seq": .number(1.5)], ["epoch": -1], ["epoch": "7"],
            ["id": ""], ["callId": ""], ["from": ""], ["type": "ack"], ["type": "error", "code": "none"],
            ["extension": ["key": 1]],
        ])
        return incoming().merging(["seq": .int(chance.pick([1, 2, 3, 4, 5, 6, 200]))]).merging(fault)
    }
}
