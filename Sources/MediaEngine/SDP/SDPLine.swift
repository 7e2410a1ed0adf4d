/// One line of an SDP: `type=value` (RFC 8866 section 5).
struct SDPLine: Sendable, Equatable {
    let type: Character
    let value: String
    /// Its number in the text, from 1.
    let number: Int

    /// The longest line that is accepted, in bytes.
    static let maximumBytes = 2_048
    /// The most lines that are accepted.
    static let maximumCount = 1_000

    /// The name of an attribute line, the part before the colon.
    var attribute: String? {
        guard type == "a" else { return nil }
        return String(value.prefix { $0 != ":" })
    }

    /// The part of an attribute line after the colon; empty for a flag.
    var attributeValue: String { String(value.drop { $0 != ":" }.dropFirst()) }

    /// Splits a text into lines.
    ///
    /// - Throws: ``MediaError/invalidSDP(line:text:)`` for what is no line of printable text within the bounds.
    static func lines(of text: String) throws(MediaError) -> [SDPLine] {
        var lines: [SDPLine] = []
        // CRLF is one Character in Swift, so the split is on bytes.
        for (index, bytes) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let number = index + 1
            let trimmed = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
            guard !trimmed.isEmpty else { continue }
            guard number <= maximumCount, trimmed.count <= maximumBytes else {
                throw .invalidSDP(
                    line: number, text: "more than \(maximumCount) lines, or one of more than \(maximumBytes) bytes")
            }
            guard trimmed.allSatisfy({ (0x20...0x7E).contains($0) || $0 >= 0x80 }),
                let line = String(Substring(trimmed)).nonEmpty,
                let type = line.first, type.isASCII, type.isLowercase, line.dropFirst().first == "="
            else { throw .invalidSDP(line: number, text: "not of the form 'x=…' in printable characters") }
            lines.append(SDPLine(type: type, value: String(line.dropFirst(2)), number: number))
        }
        return lines
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
