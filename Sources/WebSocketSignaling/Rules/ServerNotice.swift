internal import CallAgent
internal import FoundationEssentials

/// A message of the server about the sign-in itself, not about a call.
enum ServerNotice: Sendable, Equatable {
    case tokenWillExpire(milliseconds: Int)
    case renewed
    case renewalRefused(code: Int, text: String)
    case iceServers(OfferedIceServers)
    case watching
    case watchRefused(code: Int, text: String)
    case presence(Presence)

    /// Whitespace of JSON (RFC 8259 section 2).
    private static let whitespace: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

    /// Nil for every message of a call, and for malformed messages.
    init?(decoding text: String) {
        // All messages of calls have a callId, and most messages are of calls: only the few others are decoded here.
        guard text.utf8.first(where: { !Self.whitespace.contains($0) }) == UInt8(ascii: "{"),
            !text.utf8.contains(#""callId""#.utf8), SignalingLimits.isDecodable(text),
            let wire = try? JSONDecoder().decode(Wire.self, from: Data(text.utf8)), wire.v == 1
        else { return nil }
        let refusal = (code: wire.code ?? 400, text: SignalingLimits.bounded(wire.text ?? ""))
        switch wire.type {
        case "tokenWillExpire": self = .tokenWillExpire(milliseconds: max(wire.inMs ?? 0, 0))
        case "renewed": self = .renewed
        case "renewalRefused": self = .renewalRefused(code: refusal.code, text: refusal.text)
        case "watching": self = .watching
        case "watchRefused": self = .watchRefused(code: refusal.code, text: refusal.text)
        case "iceServers":
            guard let offer = OfferedIceServers(.init(servers: wire.servers, validForMs: wire.validForMs)) else {
                return nil
            }
            self = .iceServers(offer)
        case "presence":
            guard let user = wire.user, SignalingLimits.isName(user), let devices = wire.devices,
                devices.allSatisfy(SignalingLimits.isName)
            else { return nil }
            self = .presence(Presence(user: user, devices: devices))
        default: return nil
        }
    }

    private struct Wire: Decodable {
        var v: Int
        var type: String
        var code: Int?
        var text: String?
        var inMs: Int?
        var servers: [IceServer]?
        var validForMs: Int?
        var user: String?
        var devices: [String]?
    }
}

extension Sequence<UInt8> {
    /// Whether the bytes of `other` appear in sequence; `other` may contain its first byte only at its start and end.
    fileprivate func contains(_ other: String.UTF8View) -> Bool {
        var rest = other[...]
        for byte in self {
            if byte != rest.first { rest = other[...] }
            if byte == rest.first { rest = rest.dropFirst() }
            if rest.isEmpty { return true }
        }
        return false
    }
}
