import Foundation

/// A JSON value.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// A field of an object; nil if it is absent or null, or if this is not an object.
    package subscript(_ key: String) -> JSONValue? {
        get {
            guard case .object(let fields) = self, let value = fields[key], value != .null else { return nil }
            return value
        }
        set {
            guard case .object(var fields) = self else { return }
            fields[key] = newValue
            self = .object(fields)
        }
    }

    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var int: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }
    package var double: Double? { if case .number(let number) = self { number } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    package var object: [String: JSONValue]? { if case .object(let fields) = self { fields } else { nil } }

    /// The same object with the fields of another one added; a null removes a field.
    package func merging(_ other: JSONValue) -> JSONValue {
        let fields = (object ?? [:]).merging(other.object ?? [:]) { $1 }
        return .object(fields.filter { $0.value != .null })
    }

    /// Whether all fields of `wanted` have the same values here; null means an absent field.
    package func has(_ wanted: JSONValue) -> Bool {
        guard case .object(let fields) = wanted else { return self == wanted }
        return fields.allSatisfy { name, value in
            value == .null ? self[name] == nil : self[name]?.has(value) == true
        }
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .bool(flag)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let values = try? value.decode([JSONValue].self) {
            self = .array(values)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let flag): try value.encode(flag)
        case .number(let number): try Int(exactly: number).map { try value.encode($0) } ?? value.encode(number)
        case .string(let text): try value.encode(text)
        case .array(let values): try value.encode(values)
        case .object(let fields): try value.encode(fields)
        }
    }

    /// Reads a JSON text.
    package init(text: String) throws { self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }

    /// Encodes a value of the package.
    package init(_ value: some Encodable) throws {
        try self.init(text: String(decoding: JSONEncoder().encode(value), as: UTF8.self))
    }

    /// Decodes a value of the package.
    package func value<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    /// One line of JSON, its keys in alphabetical order.
    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .string(text) }
    package init(integerLiteral number: Int) { self = .number(Double(number)) }
    package init(booleanLiteral flag: Bool) { self = .bool(flag) }
    package init(arrayLiteral values: JSONValue...) { self = .array(values) }
    package init(dictionaryLiteral fields: (String, JSONValue)...) {
        self = .object(Dictionary(fields) { $1 }.filter { $0.value != .null })
    }

    /// A string, or null.
    package static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    package static func int(_ number: Int) -> JSONValue { .number(Double(number)) }
}
