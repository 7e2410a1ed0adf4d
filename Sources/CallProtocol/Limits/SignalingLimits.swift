/// The bounds of every signaling message, the same in both directions.
///
/// They are part of the protocol (`docs/signaling.md`): a message beyond them is refused, never shortened.
public enum SignalingLimits {
    /// The longest message, in bytes of UTF-8.
    public static let messageBytes = 65_536
    /// The longest SDP, in bytes of UTF-8.
    public static let sdpBytes = 32_768
    /// The longest candidate, in bytes of UTF-8.
    public static let candidateBytes = 512
    /// The longest display text, in bytes of UTF-8.
    ///
    /// A sender shortens its texts to this length.
    public static let textBytes = 256
    /// The longest content of an `info`, in bytes of UTF-8.
    public static let infoBytes = 4_096
    /// The most entries of application data.
    public static let extensionEntries = 32
    /// The most bytes of UTF-8 that they have together, keys included.
    public static let extensionBytes = 4_096
    /// The valid sequence numbers.
    public static let sequences = 1...1_000_000
    /// The valid epochs: the integers that every JSON parser reads exactly (RFC 8259 section 6).
    public static let epochs = 0...9_007_199_254_740_991
    /// The valid codes.
    public static let codes = 0...99_999
    /// The longest user name, message id or call id, in bytes.
    public static let nameBytes = 64
    /// The highest m-line index.
    public static let mLine = 15
    /// The valid generations.
    public static let generations = 0...10_000
    /// The valid numbers of ICE restarts within one generation.
    public static let restarts = 1...10_000
    /// The longest ICE username fragment or password, in bytes (RFC 8839 section 5.4).
    public static let iceTextBytes = 256
    /// The longest ring timeout that an invite may ask for, in ms.
    public static let ringTimeoutMs = 600_000

    /// The deepest nesting of arrays and objects in a message; brackets within strings do not count.
    public static let nesting = 64

    /// Whether a JSON decoder may read a text: it is nested at most ``nesting`` deep, and has no NUL.
    ///
    /// The decoder of Foundation 6.3 traps on a text that ends where level 513 opens. It takes a text with NULs for UTF-16, in which other bytes are
    /// brackets. JSON in UTF-8 has a NUL only as an escape (RFC 8259 section 7).
    public static func isDecodable(_ text: String) -> Bool {
        !text.utf8.contains(0) && JSONShape(text.utf8).depth <= nesting
    }

    /// Whether `name` is valid as a user, a call id or a message id.
    ///
    /// ASCII letters, digits and `. _ - @ + :`, 1 to ``nameBytes`` of them, so that a name needs no quoting in a URL
    /// path, a log line or a file name.
    public static func isName(_ name: String) -> Bool {
        (1...nameBytes).contains(name.utf8.count) && name.utf8.allSatisfy(isNameByte)
    }

    /// Whether `text` is an ICE username fragment (at least 4 characters) or password (at least 22): letters, digits, `+` and `/`.
    public static func isIceText(_ text: String, atLeast shortest: Int) -> Bool {
        (shortest...iceTextBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { isNameByte($0) && !".-_@:".utf8.contains($0) || $0 == UInt8(ascii: "/") }
    }

    /// Whether `text` is short enough for a display text.
    public static func isText(_ text: String) -> Bool { text.utf8.count <= textBytes }

    /// Whether `data` is valid as application data of a message.
    public static func isExtension(_ data: [String: String]) -> Bool {
        data.count <= extensionEntries && data.keys.allSatisfy(isName)
            && data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } <= extensionBytes
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "+"),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// The longest prefix of `text` that is within ``textBytes`` and ends between two characters.
    public static func bounded(_ text: String) -> String {
        guard text.utf8.count > textBytes else { return text }
        var result = text.prefix(textBytes)
        while result.utf8.count > textBytes { result.removeLast() }
        return String(result)
    }
}
