package import CallAgent
import CallProtocol

/// The events and effects of a call as in `docs/signaling.md`, "Conformance".
extension CallMachine.Event {
    /// Reads an event.
    package init(_ event: JSONValue) throws {
        let text = event["text"]?.string ?? ""
        switch event["type"]?.string {
        case "place": self = .place
        case "accept": self = .accept
        case "reject": self = .reject(code: event["code"]?.int ?? 603, text: text)
        case "hangUp": self = .hangUp(text: text)
        case "hold": self = .hold
        case "unhold": self = .unhold
        case "setSending":
            self = .setSending(audio: try event["audio"]?.value(), video: try event["video"]?.value())
        case "changeMedia": self = .changeMedia(try (event["media"] ?? .null).value())
        case "sendInfo": self = .sendInfo(event["content"]?.string ?? "")
        case "received":
            let message = event["message"] ?? .null
            self = .received(
                try SignalingMessage.Body(message), generation: message["generation"]?.int ?? 0,
                device: message["device"]?.string)
        case "yield":
            let message = event["message"] ?? .null
            guard case .invite(let invite) = try SignalingMessage.Body(message) else { throw NotInVocabulary(event) }
            self = .yield(to: invite, device: message["device"]?.string)
        case "inviteFailed": self = .inviteFailed(text: text)
        case "signalingLost": self = .signalingLost
        case "signalingRestored": self = .signalingRestored
        case "audit": self = .audit
        case "timer": self = .timerFired(try CallTimer(event["timer"]))
        case "media":
            self = .media(try MediaFact(event["fact"] ?? .null), generation: event["generation"]?.int ?? 0)
        default: throw NotInVocabulary(event)
        }
    }
}

extension CallTimer {
    fileprivate init(_ name: JSONValue?) throws {
        guard let timer = Self.allCases.first(where: { "\($0)" == name?.string }) else { throw NotInVocabulary(name) }
        self = timer
    }
}

extension MediaFact {
    fileprivate init(_ fact: JSONValue) throws {
        let (sdp, text) = (fact["sdp"]?.string ?? "", fact["text"]?.string ?? "")
        switch fact["type"]?.string {
        case "offerCreated": self = .offerCreated(sdp: sdp)
        case "answerCreated": self = .answerCreated(sdp: sdp)
        case "localCandidate":
            self = .localCandidate(.init(candidate: fact["candidate"]?.string ?? "", mLine: fact["mLine"]?.int ?? 0))
        case "iceConnected": self = .iceConnected
        case "verified": self = .verified
        case "firstVideoFrame": self = .firstVideoFrame
        case "firstAudioSample": self = .firstAudioSample
        case "interrupted": self = .interrupted
        case "resumed": self = .resumed
        case "networkChanged": self = .networkChanged
        case "mediaMissing": self = .mediaMissing
        case "pathSilent": self = .pathSilent
        case "iceParameters":
            self = .iceParameters(
                .init(
                    restart: fact["restart"]?.int ?? 0, fragment: fact["fragment"]?.string ?? "",
                    password: fact["password"]?.string ?? ""))
        case "pathChanged":
            let candidate = NetworkPath.Candidate(type: "host", address: "192.0.2.1", port: 9)
            self = .pathChanged(
                .init(
                    restart: fact["restart"]?.int ?? 0, durationMs: 50, before: nil,
                    after: NetworkPath(local: candidate, remote: candidate)))
        case "captureFailed":
            guard let medium = fact["medium"]?.string.flatMap(CaptureFault.Medium.init(rawValue:)) else {
                throw NotInVocabulary(fact["medium"])
            }
            self = .captureFailed(CaptureFault(medium: medium, cause: .busy, text: text))
        case "failed":
            switch fact["fault"]?.string {
            case "security": self = .failed(.security(text: text))
            case "incompatible": self = .failed(.incompatible(text: text))
            default: self = .failed(.other(text: text))
            }
        default: throw NotInVocabulary(fact)
        }
    }
}

extension CallMachine {
    /// Starts a call with the parameters of a vector.
    package init(_ call: JSONValue) throws {
        guard let role = call["role"]?.string.flatMap(CallRole.init(rawValue:)) else {
            throw NotInVocabulary(call["role"])
        }
        var timeouts = CallTimeouts()
        timeouts.audioGraceMs = call["timeouts"]?["audioGrace"]?.int
        if let ring = call["timeouts"]?["ring"]?.int { timeouts.ringMs = ring }
        self.init(
            role: role, media: try (call["media"] ?? .null).value(),
            earlyMedia: try call["earlyMedia"]?.value() ?? .guarded, timeouts: timeouts,
            device: call["device"]?.string, sends: try call["sends"]?.value() ?? MediaState())
    }

    /// Applies an event and returns the effects and the new state.
    package mutating func step(_ event: JSONValue) throws -> JSONValue {
        let effects = try handle(Event(event)).compactMap { try $0.json }
        var step: JSONValue = ["event": event, "effects": .array(effects), "state": .string(state.rawValue)]
        if hold != .none { step["hold"] = .string(hold.rawValue) }
        if let end {
            step["end"] = [
                "reason": .string(end.reason.rawValue), "code": .int(end.code), "by": .string(end.by.rawValue),
            ]
        }
        return step
    }
}

extension CallMachine.Effect {
    /// The effect as JSON; nil if it is only a line for the log.
    fileprivate var json: JSONValue? {
        get throws {
            switch self {
            case .send(let body, let address):
                [
                    "do": "send", "body": try body.fields, "device": .optional(address.device),
                    "generation": .int(address.generation),
                ]
            case .createOffer(let media, let number):
                ["do": "createOffer", "media": try JSONValue(media), "generation": .int(number)]
            case .createAnswer(let offer, let media, let number):
                [
                    "do": "createAnswer", "offer": .string(offer), "media": try JSONValue(media),
                    "generation": .int(number),
                ]
            case .setAnswer(let sdp, let number): ["do": "setAnswer", "sdp": .string(sdp), "generation": .int(number)]
            case .addCandidate(let one, let number):
                [
                    "do": "addCandidate", "candidate": .string(one.candidate), "mLine": .int(one.mLine),
                    "generation": .int(number),
                ]
            case .setGates(let gates, let number):
                [
                    "do": "setGates", "generation": .int(number),
                    "gates": [
                        "audio": .string(gates.audio.rawValue), "video": .string(gates.video.rawValue),
                        "isReceiving": .bool(gates.isReceiving),
                    ],
                ]
            case .restartIce(let restart, let number):
                ["do": "restartIce", "restart": .int(restart), "generation": .int(number)]
            case .setIceParameters(let parameters, let number):
                [
                    "do": "setIceParameters", "restart": .int(parameters.restart),
                    "fragment": .string(parameters.fragment), "password": .string(parameters.password),
                    "generation": .int(number),
                ]
            case .close(let number): ["do": "close", "generation": .int(number)]
            case .startTimer(let timer, let milliseconds):
                ["do": "startTimer", "timer": .string("\(timer)"), "milliseconds": .int(milliseconds)]
            case .cancelTimer(let timer): ["do": "cancelTimer", "timer": .string("\(timer)")]
            case .stopMedia: ["do": "stopMedia"]
            case .adoptCall: ["do": "adopt"]
            case .report(let change):
                [
                    "do": "report", "state": .string(change.state.rawValue),
                    "reason": .string(Self.name(change.reason)),
                    "by": .string(change.by.rawValue),
                ]
            case .notify(let notice): ["do": "notify", "notice": try Self.json(notice)]
            case .ignored: nil
            }
        }
    }

    private static func name(_ reason: ChangeReason) -> String {
        if case .ended(let end) = reason { end.rawValue } else { "\(reason)" }
    }

    /// Texts for users are left out.
    private static func json(_ notice: CallNotice) throws -> JSONValue {
        let name = JSONValue.string(String("\(notice)".prefix { $0.isLetter }))
        return switch notice {
        case .holdChanged(let hold): ["name": name, "hold": .string(hold.rawValue)]
        case .peerMediaChanged(let state): ["name": name, "state": try JSONValue(state)]
        case .info(let content): ["name": name, "content": .string(content)]
        case .mediaChanged(let media): ["name": name, "media": try JSONValue(media)]
        case .captureFailed(let fault): ["name": name, "medium": .string(fault.medium.rawValue)]
        case .networkChangeStarted(let party): ["name": name, "by": .string(party.rawValue)]
        case .networkChangeEnded(let change): ["name": name, "restart": change.map { .int($0.restart) } ?? .null]
        case .deviceRings(let device): ["name": name, "device": .optional(device)]
        default: ["name": name]
        }
    }
}
