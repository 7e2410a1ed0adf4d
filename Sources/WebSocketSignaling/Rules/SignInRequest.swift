internal import CallAgent

/// The first message of a client.
struct SignInRequest: Sendable, Equatable {
    /// The longest token, in bytes.
    static let longestToken = 4_096

    /// Names, which need no escaping.
    var user: String
    var device: String?
    /// Plain text; see ``isPlain(_:longest:)``.
    var token: String?
    var resume: String?

    var json: String {
        #"{"v":1,"type":"signIn","user":"\#(user)""# + Self.field("device", device) + Self.field("token", token)
            + Self.field("resume", resume) + "}"
    }

    /// The message that asks the server to accept a new token.
    static func renewal(token: String) -> String { #"{"v":1,"type":"renew","token":"\#(token)"}"# }

    /// Whether `text` is visible ASCII that needs no escaping in JSON, as tokens are.
    static func isPlain(_ text: String, longest: Int) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }

    private static func field(_ name: String, _ value: String?) -> String {
        value.map { #","\#(name)":"\#($0)""# } ?? ""
    }
}
