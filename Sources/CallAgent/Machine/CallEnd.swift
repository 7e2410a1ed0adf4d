/// How a call ended.
public struct CallEnd: Sendable, Equatable {
    /// Why.
    public let reason: EndReason
    /// The reason's own code, or the one that the peer sent.
    public let code: Int
    /// For people: what the peer said, or what failed.
    ///
    /// May be empty.
    public let text: String
    /// Who ended it.
    public let by: CallParty

    /// Makes an end with the reason's own code unless another is given.
    public init(reason: EndReason, code: Int? = nil, text: String = "", by: CallParty) {
        self.reason = reason
        self.code = code ?? reason.code
        self.text = text
        self.by = by
    }
}
