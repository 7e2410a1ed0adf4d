import CallProtocol

/// A JSON text and its result at a receiver.
package struct MessageVector: Sendable {
    package let name: String
    /// The message as its author wrote it; nil for a text that no encoder writes.
    package let json: JSONValue?
    package let text: String
    /// `message` with all its fields, or `refused` with a code and the id that the error has as `ref`.
    package let outcome: JSONValue

    package static func all() throws -> [MessageVector] {
        let file = try VectorFile.messages.read()
        return try (file["good"]?.array ?? []).map { vector in
            let message = try JSONValue(text: VectorFile.writtenOut((vector["message"] ?? .null).text))
            return MessageVector(vector, outcome: ["message": message])
        }
            + (file["refused"]?.array ?? []).map { vector in
                MessageVector(
                    vector, outcome: ["refused": ["code": vector["code"] ?? .null, "ref": vector["ref"] ?? .null]])
            }
    }

    private init(_ vector: JSONValue, outcome: JSONValue) {
        name = vector["name"]?.string ?? ""
        json = vector["json"]
        text = VectorFile.writtenOut(vector["text"]?.string ?? vector["json"]?.text ?? "")
        self.outcome = outcome
    }

    package init(name: String, text: String, outcome: JSONValue) {
        (self.name, self.text, self.outcome) = (name, text, outcome)
        json = nil
    }

    /// The agent's result for the text.
    package var decoded: JSONValue {
        get throws {
            do {
                return ["message": try SignalingMessage(decoding: text).fields]
            } catch let fault as MalformedMessage {
                return ["refused": ["code": .int(fault.code), "ref": .optional(fault.ref)]]
            }
        }
    }
}
