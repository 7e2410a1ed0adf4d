/// The characters in the grammars of descriptions, candidates and URLs; all of them ASCII.
extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isHexDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(self)
    }

    var isAlphanumeric: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }

    /// `token-char` of RFC 8866 section 9.
    var isToken: Bool { isAlphanumeric || "!#$%&'*+-.^_`{|}~".utf8.contains(self) }

    /// `ice-char` of RFC 8839 section 5.4.
    var isIceCharacter: Bool { isAlphanumeric || self == UInt8(ascii: "+") || self == UInt8(ascii: "/") }

    /// A character of a host name (RFC 1123).
    var isHostName: Bool { isAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") }

    /// Neither a control character nor a space.
    var isVisible: Bool { (0x21...0x7E).contains(self) }

    var isPrintable: Bool { (0x20...0x7E).contains(self) }
}
