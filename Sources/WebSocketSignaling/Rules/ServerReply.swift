internal import CallAgent
internal import FoundationEssentials

/// The server's answer to a sign-in.
enum ServerReply: Sendable, Equatable {
    /// Servers that know no clock or no resuming leave those out.
    case signedIn(SignedIn)
    case refused(code: Int, text: String)

    struct SignedIn: Sendable, Equatable {
        var unixMs: Double?
        var resume: String?
    }

    /// Reads an answer; nil for everything that is none.
    init?(decoding text: String) {
        guard SignalingLimits.isShallow(text), let wire = try? JSONDecoder().decode(Wire.self, from: Data(text.utf8)),
            wire.v == 1
        else { return nil }
        switch wire.type {
        case "signedIn":
            let unixMs = wire.unixMs.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
            // What could not stand in a sign-in again is of no use.
            let resume = wire.resume.flatMap { SignInRequest.isPlain($0, longest: 256) ? $0 : nil }
            self = .signedIn(SignedIn(unixMs: unixMs, resume: resume))
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
    }
}
