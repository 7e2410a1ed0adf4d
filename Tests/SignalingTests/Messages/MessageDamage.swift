/// Ways to damage a message.
enum MessageDamage {
    /// One of `samples` with one to four damages.
    static func damaged(_ samples: [String], _ random: inout SeededGenerator) -> String {
        var bytes = Array((samples.randomElement(using: &random) ?? "{}").utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let other = Array((samples.randomElement(using: &random) ?? "{}").utf8)
            damage(&bytes, other, &random)
        }
        // As a transport delivers it: bytes that are not UTF-8 are replaced.
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func damage(_ bytes: inout [UInt8], _ other: [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else {
            bytes = other
            return
        }
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[index] = .random(in: 0...255, using: &random)
        case 2: bytes.removeSubrange(index..<min(index + Int.random(in: 1...8, using: &random), bytes.count))
        case 3 where Int.random(in: 0..<4, using: &random) == 0: bytes.removeSubrange(index...)
        case 4 where !other.isEmpty:
            let cut = Int.random(in: 0..<other.count, using: &random)
            bytes.replaceSubrange(index..., with: other[cut...])
        case 5: addMember(&bytes, key(of: other, &random), &random)
        case 6: replaceNumber(&bytes, from: index, &random)
        case 7:
            let depth = Int.random(in: 1...600, using: &random)
            bytes.insert(
                contentsOf: Array(repeating: UInt8(ascii: Bool.random(using: &random) ? "[" : "{"), count: depth),
                at: index)
        case 8: bytes.insert(contentsOf: Array((odd.randomElement(using: &random) ?? "").utf8), at: index)
        default: addMember(&bytes, "x\(index)", &random)
        }
    }

    /// Adds a member to the outermost object, mostly one that exists already.
    private static func addMember(_ bytes: inout [UInt8], _ key: String, _ random: inout SeededGenerator) {
        guard let end = bytes.lastIndex(of: UInt8(ascii: "}")) else { return }
        bytes.insert(contentsOf: Array(#","\#(key)":\#(values.randomElement(using: &random) ?? "0")"#.utf8), at: end)
    }

    private static func key(of text: [UInt8], _ random: inout SeededGenerator) -> String {
        let parts = String(decoding: text, as: UTF8.self).split(separator: "\"")
        let keys = zip(parts, parts.dropFirst()).filter { $1.hasPrefix(":") }.map { String($0.0) }
        return keys.randomElement(using: &random) ?? "v"
    }

    private static func replaceNumber(_ bytes: inout [UInt8], from index: Int, _ random: inout SeededGenerator) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let start = bytes[index...].firstIndex(where: digits.contains) else { return }
        let end = bytes[start...].firstIndex { !digits.contains($0) } ?? bytes.count
        bytes.replaceSubrange(start..<end, with: Array((numbers.randomElement(using: &random) ?? "0").utf8))
    }

    private static let numbers = [
        "0", "-0", "-1", "1e3", "1e400", "-1e400", "0.1", "9223372036854775807", "9223372036854775808",
        "-9223372036854775809", "18446744073709551616", "1e-400", "0001", "1.", "123456789012345678901234567890",
    ]

    private static let values =
        numbers + [
            "null", "true", "\"\"", "\"x\"", "{}", "[]", "{\"audio\":true,\"video\":false}", "\"connected\"",
            "{\"audio\":\"on\",\"video\":\"off\",\"hold\":true}", "{\"a\":\"b\"}", "\"ringing\"", "\"error\"",
        ]

    private static let odd = [
        "\u{0}", "\\u0000", "\\ud800", "\\udfff\\ud800", "\u{FEFF}", "\u{202E}", "e\u{301}\u{301}\u{301}", "\\", "\"",
        "\\u12",
        "/*", "//", "NaN", "Infinity", "'", ",", ":", "\u{85}", "😀", "\\uD83D\\uDE00", "\r\n",
    ]
}
