/// Why a message is refused.
public struct MalformedMessage: Error, Sendable, Equatable {
    /// What its sender is told: ``SignalingCode/malformed``, ``SignalingCode/tooLarge`` or ``SignalingCode/unknownVersionOrType``.
    public let code: Int
    /// For people.
    public let text: String
    /// The id of the message; nil when it is not legible.
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
