internal import FoundationEssentials

/// The code of a message that ends a call, for log and metrics; routing has no use for it.
enum EndCode {
    private struct Fields: Decodable { var code: Int? }

    /// Nil for a message of another type, and for one without a code.
    ///
    /// `text` has been read as an ``Envelope``.
    static func read(_ text: some Collection<UInt8>, type: String?) -> Int? {
        guard type == "reject" || type == "cancel" || type == "hangup" else { return nil }
        return (try? JSONDecoder().decode(Fields.self, from: Data(text)))?.code
    }
}
