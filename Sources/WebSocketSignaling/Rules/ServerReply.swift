internal import CallAgent
internal import FoundationEssentials

/// The server's answer to a sign-in.
enum ServerReply: Sendable, Equatable {
    case signedIn
    case refused(code: Int, text: String)

    /// Reads an answer; nil for everything that is none.
    init?(decoding text: String) {
        guard SignalingLimits.isShallow(text), let wire = try? JSONDecoder().decode(Wire.self, from: Data(text.utf8)),
            wire.v == 1
        else { return nil }
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
