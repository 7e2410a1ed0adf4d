/// The names of the protocol: users, calls and messages.
enum Name {
    private static let longest = 64

    /// Whether `text` is 1 to 64 of the ASCII letters, digits and `. _ - @ + :`.
    ///
    /// Such a text needs no escaping in JSON, and no care in a log line.
    static func isValid(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "@"), UInt8(ascii: "+"), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
