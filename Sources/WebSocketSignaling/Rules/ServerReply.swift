internal import CallAgent
internal import FoundationEssentials

/// The server's answer to a sign-in.
enum ServerReply: Sendable, Equatable {
    /// Servers without a clock or without resuming omit these fields.
    case signedIn(SignedIn)
    case refused(code: Int, text: String)

    struct SignedIn: Sendable, Equatable {
        var unixMs: Double?
        var resume: String?
        var iceServers: OfferedIceServers?
    }

    /// Reads an answer; nil for anything else.
    init?(decoding text: String) {
        guard SignalingLimits.isDecodable(text), let wire = try? JSONDecoder().decode(Wire.self, from: Data(text.utf8)),
            wire.v == 1
        else { return nil }
        switch wire.type {
        case "signedIn":
            let unixMs = wire.unixMs.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
            // A value that cannot be sent in a sign-in is useless.
            let resume = wire.resume.flatMap { SignInRequest.isPlain($0, longest: 256) ? $0 : nil }
            self = .signedIn(
                SignedIn(
                    unixMs: unixMs, resume: resume, iceServers: wire.iceServers?.value.flatMap(OfferedIceServers.init)))
        case "refused": self = .refused(code: wire.code ?? 400, text: SignalingLimits.bounded(wire.text ?? ""))
        default: return nil
        }
    }

    private struct Wire: Decodable {
        var v: Int
        var type: String
        var code: Int?
        var text: String?
        var unixMs: Double?
        var resume: String?
        var iceServers: Lenient<OfferedIceServers.Wire>?
    }

    /// What cannot be read is missing: the sign-in is good without it.
    private struct Lenient<Value: Decodable>: Decodable {
        let value: Value?

        init(from decoder: any Decoder) { value = try? Value(from: decoder) }
    }
}
