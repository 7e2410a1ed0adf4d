/// The codes of errors and farewells that the protocol itself handles; SIP's where SIP has one (RFC 3261 section 21).
///
/// A message may carry any code of ``SignalingLimits/codes``; other codes are passed to the user unchanged.
public enum SignalingCode {
    /// Another device took the call.
    public static let ok = 200
    /// The message does not follow the protocol.
    public static let malformed = 400
    /// The sender is not allowed to do that.
    public static let forbidden = 403
    /// The server does not know the user.
    public static let unknownUser = 404
    /// The message is too long.
    public static let tooLarge = 413
    /// The receiver does not support that version of the protocol or that type of message.
    public static let unknownVersionOrType = 426
    /// Too many messages or calls.
    public static let tooMany = 429
    /// The user is not signed in now.
    public static let offline = 480
    /// The receiver has no such call.
    public static let unknownCall = 481
    /// A farewell without a code: the other end ended the call without an error.
    public static let ended = 9900
}

/// Why a message is refused.
public struct MalformedMessage: Error, Sendable, Equatable {
    /// The code for the sender: ``SignalingCode/malformed``, ``SignalingCode/tooLarge`` or ``SignalingCode/unknownVersionOrType``.
    public let code: Int
    /// A text for display.
    public let text: String
    /// The id of the message; nil when it cannot be read.
    public let ref: String?

    /// Describes a refusal.
    public init(code: Int, text: String, ref: String?) {
        self.code = code
        self.text = text
        self.ref = ref
    }
}

extension MalformedMessage: CustomStringConvertible {
    /// One line: what is wrong, with the code.
    public var description: String { "malformed signaling message (\(code)): \(text)" }
}
