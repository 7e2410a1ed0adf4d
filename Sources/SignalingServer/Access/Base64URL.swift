internal import FoundationEssentials

/// Base64 with the URL's alphabet and without padding, as RFC 7515 uses it.
enum Base64URL {
    static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap {
                switch $0 {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: $0
                }
            })
    }

    /// Decodes `text`; nil if it is not exactly this encoding.
    static func decode(_ text: some StringProtocol) -> Data? {
        guard text.utf8.allSatisfy(isAllowed), text.utf8.count % 4 != 1 else { return nil }
        var base64 = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        // Unused bits of the last character must be 0: otherwise the same bytes would have several encodings.
        return Data(base64Encoded: base64).flatMap { encode($0) == text ? $0 : nil }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
