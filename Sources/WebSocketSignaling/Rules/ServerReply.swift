internal import CallAgent
internal import FoundationEssentials

/// The server's answer to a sign-in.
enum ServerReply: Sendable, Equatable {
    case signedIn
    case refused(code: Int, text: String)

    /// Reads an answer; nil for everything that is none.
    init?(decoding text: String) {
        // Beyond 512 levels the decoder of Foundation 6.3 does not only throw: when the text ends there, it traps while it
        // looks for the line of the mistake. No answer has that many brackets.
        guard text.utf8.count(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) <= 64 else { return nil }
        guard let wire = try? JSONDecoder().decode(Wire.self, from: Data(text.utf8)), wire.v == 1 else { return nil }
        switch wire.type {
        case "signedIn": self = .signedIn
        case "refused": self = .refused(code: wire.code ?? 400, text: SignalingLimits.bounded(wire.text ?? ""))
        default: return nil
        }
    }

    /// The message that asks for it.
    ///
    /// `user` is a valid name, which needs no escaping.
    static func request(user: String) -> String { #"{"v":1,"type":"signIn","user":"\#(user)"}"# }

    private struct Wire: Decodable {
        var v: Int
        var type: String
        var code: Int?
        var text: String?
    }
}
