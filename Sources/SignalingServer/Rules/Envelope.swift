internal import FoundationEssentials

/// What the server reads of a message: who, to whom, about which call.
///
/// The rest is not its business.
///
/// A field that is absent or of another type is nil; whether that matters is for the ``Switchboard`` to say.
struct Envelope: Sendable, Equatable {
    var version: Double?
    var type: String?
    var id: String?
    var callId: String?
    var from: String?
    var to: String?
    var generation: Int?
    /// Of `signIn` only.
    var user: String?
}

extension Envelope {
    /// Reads the envelope of a JSON object in UTF-8; nil for everything that is not one.
    init?(decoding text: some Collection<UInt8>) {
        let data = Data(text)
        // JSON has no NUL outside of an escape; the decoder would take it as a sign of UTF-16 and read another text.
        guard !data.contains(0) else { return nil }
        let shape = JSONShape(data)
        // Beyond 512 levels the decoder of Foundation 6.3 does not only throw: when the text ends there, it traps while it
        // looks for the line of the mistake.
        guard shape.depth <= 64, let decoded = try? JSONDecoder().decode(Decoded.self, from: data) else { return nil }
        // Decoders disagree about which of two equal keys counts: a sender could show one `from` to this server and
        // another one to the receiver.
        guard shape.topLevelKeys == decoded.keyCount else { return nil }
        self = decoded.envelope
    }
}

/// The decoder's view of an envelope: it takes any key, so that the keys can be counted.
private struct Decoded: Decodable {
    let envelope: Envelope
    let keyCount: Int

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        keyCount = fields.allKeys.count
        func text(_ key: String) -> String? { try? fields.decode(String.self, forKey: Key(stringValue: key)) }
        envelope = Envelope(
            version: try? fields.decode(Double.self, forKey: Key(stringValue: "v")), type: text("type"), id: text("id"),
            callId: text("callId"), from: text("from"), to: text("to"),
            generation: try? fields.decode(Int.self, forKey: Key(stringValue: "generation")), user: text("user"))
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}
