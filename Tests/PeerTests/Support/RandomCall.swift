import CallProtocol
import Conformance

@testable import CallAgent

/// Random events of a call, in the format of `docs/signaling.md`, "Conformance".
struct RandomCall {
    private var chance: Chance

    init(seed: UInt64) { chance = Chance(state: seed) }

    /// The initial parameters of the call.
    mutating func call() -> JSONValue {
        var call: JSONValue = [
            "role": chance.pick(["caller", "callee"]), "media": media(),
            "earlyMedia": chance.pick(["guarded", "full", "off"]), "device": "mine",
        ]
        if chance.below(3) == 0 { call["sends"] = state() }
        if chance.below(4) == 0 { call["timeouts"] = ["audioGrace": 1_000] }
        return call
    }

    private mutating func media() -> JSONValue {
        chance.pick([
            ["audio": true, "video": true], ["audio": true, "video": true], ["audio": true, "video": false],
            ["audio": true, "video": false], ["audio": false, "video": true],
        ])
    }

    /// The events of a whole call.
    ///
    /// Most calls are connected and change their media, with other events in between.
    mutating func events(_ call: JSONValue) -> [JSONValue] {
        let isCaller = call["role"] == "caller"
        var events: [JSONValue] = []
        for next in (chance.below(8) == 0 ? [] : connecting(isCaller) + changing(isCaller, call["media"] ?? .null)) {
            while chance.below(6) == 0 { events += some() }
            // Some events are missing.
            if chance.below(30) > 0 { events.append(next) }
        }
        for _ in 0..<25 { events += some() }
        return events
    }

    private mutating func connecting(_ isCaller: Bool) -> [JSONValue] {
        let media = [fact("verified"), fact("firstAudioSample"), fact("firstVideoFrame")]
        let (offer, answer) = (fact("offerCreated"), fact("answerCreated"))
        guard isCaller else {
            return [message(invite()), answer, ["type": "accept"], answer] + media
        }
        // The peer calls as well, with its own media.
        if chance.below(4) == 0 { return [["type": "place"], offer, yield(), answer] + media }
        let progress = message(["type": "progress", "sdp": "answer"])
        return [["type": "place"], offer, message(["type": "ringing"])] + (chance.below(2) == 0 ? [progress] : [])
            + [message(["type": "accept", "sdp": "answer"])] + media
    }

    private mutating func changing(_ isCaller: Bool, _ media: JSONValue) -> [JSONValue] {
        let other: JSONValue = ["audio": true, "video": .bool(media["video"] == false)]
        let (offer, answer) = (fact("offerCreated", 1), message(["type": "answer", "sdp": "answer"], 1))
        let mine: JSONValue = ["type": "changeMedia", "media": other]
        let isAskedFor = chance.below(2) == 0
        let begin: [JSONValue] =
            switch (isCaller, isAskedFor) {
            case (true, true): [message(["type": "renegotiate", "media": other]), offer, answer]
            case (true, false): [mine, offer, answer]
            case (false, _):
                (isAskedFor ? [mine] : [])
                    + [message(["type": "offer", "media": other, "sdp": "offer"], 1), fact("answerCreated", 1)]
            }
        let end = [fact("firstAudioSample", 1), fact("firstVideoFrame", 1), message(["type": "commit"], 1)]
        return begin + [fact("verified", 1)] + (chance.below(2) == 0 ? end : end.reversed())
    }

    /// The next events.
    private mutating func some() -> [JSONValue] {
        switch chance.below(10) {
        case 0: [user()]
        case 1...4: [anyMessage()]
        case 5...8: [anyFact()]
        default: chance.below(2) == 0 ? [timer()] : surroundings()
        }
    }

    private mutating func user() -> JSONValue {
        let state = state()
        return chance.pick([
            ["type": "place"], ["type": "accept"], ["type": "accept"], ["type": "hold"], ["type": "unhold"],
            ["type": "setSending", "audio": state["audio"] ?? .null, "video": state["video"] ?? .null],
            ["type": "changeMedia", "media": media()], ["type": "sendInfo", "content": "hello"], ["type": "place"],
            chance.below(4) > 0 ? ["type": "unhold"] : ["type": "hangUp", "text": "bye"],
            chance.below(4) > 0 ? ["type": "accept"] : ["type": "reject", "code": 486, "text": ""],
        ])
    }

    private mutating func anyMessage() -> JSONValue {
        let (state, media) = (state(), media())
        let farewell: JSONValue = [
            "code": chance.pick([200, 408, 480, 481, 486, 487, 488, 603, 9900, 9906, 12]), "text": "",
            "winner": chance.pick([.null, "A", "mine"]),
        ]
        var bodies: [JSONValue] = [
            invite(), invite(), ["type": "ringing"], ["type": "ringing"], ["type": "progress", "sdp": "answer"],
            ["type": "progress", "sdp": "answer", "state": state], ["type": "accept", "sdp": "answer", "state": state],
            ["type": "accept"], ["type": "candidate", "candidate": "candidate:1", "mLine": 0],
            ["type": "offer", "media": media, "sdp": "offer"], ["type": "answer", "sdp": "answer"],
            ["type": "renegotiate", "media": media], ["type": "commit"], ["type": "commit"], ["type": "rollback"],
            ["type": "state", "state": state],
            ["type": "state", "state": ["audio": "on", "video": "on", "hold": false]],
            ["type": "info", "content": "hello"], ["type": "query"], ["type": "status", "callState": "connected"],
            ["type": "skip"],
            [
                "type": "iceRestart", "restart": chance.pick([1, 1, 2, 3, 70]), "fragment": "frag",
                "password": "pppppppppppppppppppppp",
            ],
        ]
        // Events that may end the call are rare, otherwise all calls would be short.
        if chance.below(5) == 0 {
            bodies =
                ["reject", "cancel", "hangup"].map { farewell.merging(["type": .string($0)]) }
                + [
                    ["type": "gone"],
                    [
                        "type": "error", "code": chance.pick([480, 481, 404, 400]), "text": "",
                        "ref": chance.pick([.null, "a1", "a7"]),
                    ],
                ]
        }
        return message(
            chance.pick(bodies), chance.pick([0, 0, 0, 1, 1, 2]), device: chance.pick(["A", "A", "A", "B", .null]))
    }

    private mutating func invite() -> JSONValue {
        [
            "type": "invite", "media": media(), "ringTimeoutMs": 20_000, "sdp": "offer",
            "state": chance.pick([.null, state()]),
        ]
    }

    private mutating func yield() -> JSONValue {
        ["type": "yield", "message": invite().merging(["device": chance.pick(["A", "A", .null])])]
    }

    private func message(_ fields: JSONValue, _ generation: Int = 0, device: JSONValue = "A") -> JSONValue {
        ["type": "received", "message": fields.merging(["generation": .int(generation), "device": device])]
    }

    private mutating func anyFact() -> JSONValue {
        let name = chance.pick([
            "offerCreated", "answerCreated", "verified", "firstVideoFrame", "firstAudioSample", "localCandidate",
            "interrupted", "resumed", "iceConnected", "captureFailed", "networkChanged", "mediaMissing", "pathSilent",
            "iceParameters", "pathChanged", "pathChanged",
        ])
        return fact(name, chance.pick([0, 0, 0, 1, 1, 2]))
    }

    private mutating func fact(_ name: String, _ generation: Int = 0) -> JSONValue {
        let fields: JSONValue =
            switch name {
            case "offerCreated": ["sdp": "offer"]
            case "answerCreated": ["sdp": "answer"]
            case "localCandidate": ["candidate": "candidate:2", "mLine": 1]
            case "captureFailed": ["medium": chance.pick(["audio", "video"]), "text": "busy"]
            case "iceParameters":
                ["restart": chance.pick([1, 2]), "fragment": "frag", "password": "pppppppppppppppppppppp"]
            case "pathChanged": ["restart": chance.pick([1, 1, 2, 3])]
            default: [:]
            }
        return [
            "type": "media", "generation": .int(generation), "fact": fields.merging(["type": .string(name)]),
        ]
    }

    private mutating func timer() -> JSONValue {
        ["type": "timer", "timer": .string("\(chance.pick(CallTimer.allCases.filter { $0 != .ring }))")]
    }

    private mutating func surroundings() -> [JSONValue] {
        switch chance.below(5) {
        case 0: [["type": "signalingLost"]]
        case 1: [["type": "signalingRestored"]]
        case 2 where chance.below(4) == 0: [yield()]
        default: [["type": "audit"]]
        }
    }

    private mutating func state() -> JSONValue {
        [
            "audio": chance.pick(["on", "on", "muted", "off"]), "video": chance.pick(["on", "on", "muted", "off"]),
            "hold": .bool(chance.below(4) == 0),
        ]
    }
}
