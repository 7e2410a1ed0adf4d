package import CallAgent
import CallProtocol

/// The routing rules as in `docs/signaling.md`, "Conformance".
extension CallRouting {
    /// Runs one step and returns its result.
    package mutating func step(_ step: JSONValue) throws -> JSONValue {
        if let call = step["add"] {
            guard let role = call["role"]?.string.flatMap(CallRole.init(rawValue:)) else { throw NotInVocabulary(step) }
            return .bool(add(try CallKey(call), Active(role: role, state: try CallState(call["state"]))))
        } else if let call = step["note"] {
            note(try CallState(call["state"]), of: try CallKey(call))
        } else if let call = step["end"] {
            end(try CallKey(call))
        } else if let call = step["adopt"] {
            adopt(call["newId"]?.string ?? "", insteadOf: try CallKey(call))
        } else if let message = step["message"] {
            return Self.json(route(try SignalingMessage(decoding: message.text), unixMs: step["at"]?.double ?? 0))
        } else {
            throw NotInVocabulary(step)
        }
        return .null
    }

    private static func json(_ route: Route) -> JSONValue {
        switch route {
        case .call(let key): ["to": "call", "peer": .string(key.peer), "callId": .string(key.callId)]
        case .yield(let key): ["to": "yield", "peer": .string(key.peer), "callId": .string(key.callId)]
        case .ring: ["to": "ring"]
        case .busy: ["to": "busy"]
        case .expired: ["to": "expired"]
        case .unknownCall: ["to": "unknown"]
        case .stray: ["to": "stray"]
        }
    }
}

extension CallKey {
    package init(_ call: JSONValue) throws {
        guard let peer = call["peer"]?.string, let id = call["callId"]?.string else { throw NotInVocabulary(call) }
        self.init(peer: peer, callId: id)
    }
}

extension CallState {
    fileprivate init(_ name: JSONValue?) throws {
        guard let state = name?.string.flatMap(CallState.init(rawValue:)) else { throw NotInVocabulary(name) }
        self = state
    }
}
