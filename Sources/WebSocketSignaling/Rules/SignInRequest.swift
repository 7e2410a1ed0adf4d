internal import CallAgent

/// What a client says first.
struct SignInRequest: Sendable, Equatable {
    /// The longest token, in bytes.
    static let longestToken = 4_096

    /// Names, which need no escaping.
    var user: String
    var device: String?
    /// Plain, as ``isPlain(_:longest:)`` says.
    var token: String?
    var resume: String?

    var json: String {
        #"{"v":1,"type":"signIn","user":"\#(user)""# + Self.field("device", device) + Self.field("token", token)
            + Self.field("resume", resume) + "}"
    }

    /// The message that asks for a new token to be taken.
    static func renewal(token: String) -> String { #"{"v":1,"type":"renew","token":"\#(token)"}"# }

    /// Whether `text` is visible ASCII that JSON needs not escape, as tokens are.
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
