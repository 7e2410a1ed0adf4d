package import CallProtocol

/// A JSON value that does not stand for any value of the package.
package struct NotInVocabulary: Error, CustomStringConvertible {
    package let description: String

    package init(_ value: JSONValue?) { description = "no such word: \(value?.text ?? "nothing")" }
}

extension SignalingMessage {
    /// Every field that the message has, defaults included.
    package var fields: JSONValue {
        get throws { try (["extension": [:]] as JSONValue).merging(JSONValue(text: encoded())) }
    }
}

extension SignalingMessage.Body {
    private static let head: JSONValue = [
        "v": 1, "id": "m", "callId": "c", "from": "x", "to": "y", "sentUnixMs": 0, "generation": 0,
    ]

    /// Reads a type and its own fields.
    package init(_ fields: JSONValue) throws {
        self = try SignalingMessage(decoding: Self.head.merging(fields).merging(["generation": 0]).text).body
    }

    /// The type and its own fields.
    package var fields: JSONValue {
        get throws {
            let message = SignalingMessage(id: "m", callId: "c", from: "x", to: "y", sentUnixMs: 0, body: self)
            let written = try JSONValue(text: message.encoded())
            return .object((written.object ?? [:]).filter { Self.head[$0.key] == nil })
        }
    }
}
