/// A host with or without a port, as in a URL and in the field `Host`.
struct Authority: Sendable, Equatable {
    /// In lower case, without the brackets of an IPv6 address and without the final dot of a name.
    let host: String

    /// Reads `name`, `192.0.2.1`, `[2001:db8::1]`, each with `:port` or without; nil for everything else.
    init?(_ text: some StringProtocol) {
        let end: Substring.Index
        var text = Substring(text)
        if text.hasPrefix("[") {
            text = text.dropFirst()
            guard let bracket = text.firstIndex(of: "]"), text[..<bracket].contains(":"),
                IPAddress(text[..<bracket]) != nil
            else { return nil }
            end = bracket
        } else {
            end = text.firstIndex(of: ":") ?? text.endIndex
            guard Self.isName(text[..<end]) else { return nil }
        }
        var port = text[end...]
        if port.first == "]" { port = port.dropFirst() }
        guard port.isEmpty || Self.isPort(port) else { return nil }
        let host = text[..<end].lowercased()
        self.host = host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    private static func isName(_ text: Substring) -> Bool {
        (1...254).contains(text.utf8.count) && text != "."
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.first == ":" && text.utf8.count <= 6 && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }
}
