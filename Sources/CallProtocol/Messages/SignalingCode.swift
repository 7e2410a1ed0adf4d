/// The codes of errors and farewells that the protocol itself acts upon; SIP's where SIP has one (RFC 3261 section 21).
///
/// A message may carry any code of ``SignalingLimits/codes``; what is not here goes to the user unchanged.
public enum SignalingCode {
    /// Another device took the call.
    public static let ok = 200
    /// The message is not what the protocol says.
    public static let malformed = 400
    /// The sender may not do that.
    public static let forbidden = 403
    /// The server knows no such user.
    public static let unknownUser = 404
    /// The message is too long.
    public static let tooLarge = 413
    /// The receiver does not speak that version of the protocol, or does not know that type of message.
    public static let unknownVersionOrType = 426
    /// Too many messages or calls.
    public static let tooMany = 429
    /// The user is not signed in at present.
    public static let offline = 480
    /// The receiver has no such call.
    public static let unknownCall = 481
    /// A farewell without a code: the other end ended the call, and nothing was wrong.
    public static let ended = 9900
}
