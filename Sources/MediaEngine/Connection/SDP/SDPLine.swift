/// One line of an SDP: `type=value` (RFC 8866 section 5).
struct SDPLine: Sendable, Equatable {
    let type: Character
    let value: String
    /// The name of an attribute line, the part before the colon; nil for other lines.
    let attribute: String?
    /// The part of an attribute line after the colon; empty for a flag.
    let attributeValue: String
    /// Its line number in the text, from 1.
    let number: Int

    /// The maximum length of a line, in bytes.
    static let maximumBytes = 2_048
    /// The maximum number of lines.
    static let maximumCount = 1_000

    /// Reads a line without its line end; nil if it is malformed.
    ///
    /// Splits the line once, since its name is read many times.
    private init?(_ bytes: ArraySlice<UInt8>, number: Int) {
        let start = bytes.startIndex
        guard bytes.count >= 2, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[start]),
            bytes[start + 1] == UInt8(ascii: "="), !Self.isAccented(bytes[(start + 1)...])
        else { return nil }
        type = Character(Unicode.Scalar(bytes[start]))
        self.number = number
        value = String(decoding: bytes[(start + 2)...], as: UTF8.self)
        guard type == "a" else {
            attribute = nil
            attributeValue = ""
            return
        }
        var colon = start + 2
        while colon < bytes.endIndex, bytes[colon] != UInt8(ascii: ":") { colon += 1 }
        attribute = colon == bytes.endIndex ? value : String(decoding: bytes[(start + 2)..<colon], as: UTF8.self)
        attributeValue = colon == bytes.endIndex ? "" : String(decoding: bytes[(colon + 1)...], as: UTF8.self)
    }

    /// Whether the next characters belong to the first one, such as an accent.
    private static func isAccented(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count > 1, bytes[bytes.startIndex + 1] >= 0x80 else { return false }
        return String(decoding: bytes, as: UTF8.self).first?.utf8.count != 1
    }

    /// Splits a text into lines.
    ///
    /// - Throws: ``MediaError/invalidSDP(line:text:)`` for a line that is not printable text or is beyond the limits.
    static func lines(of text: String) throws(MediaError) -> [SDPLine] {
        // Bytes, since CRLF is one Character in Swift.
        let bytes = Array(text.utf8)
        var lines: [SDPLine] = []
        var (start, number) = (0, 0)
        while start < bytes.count {
            number += 1
            var (end, isPrintable) = (start, true)
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
                let byte = bytes[end]
                end += 1
                if byte >= 0x20, byte != 0x7F { continue }
                let isLineEnd = byte == UInt8(ascii: "\r") && (end == bytes.count || bytes[end] == UInt8(ascii: "\n"))
                if !isLineEnd { isPrintable = false }
            }
            let next = end + 1
            if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            defer { start = next }
            guard end > start else { continue }
            guard number <= maximumCount, end - start <= maximumBytes else {
                throw .invalidSDP(
                    line: number, text: "more than \(maximumCount) lines, or one of more than \(maximumBytes) bytes")
            }
            guard isPrintable, let line = SDPLine(bytes[start..<end], number: number) else {
                throw .invalidSDP(line: number, text: "not of the form 'x=…' in printable characters")
            }
            lines.append(line)
        }
        return lines
    }
}
