internal import CallAgent

/// The parts of a `ws://host[:port][/path]` or `wss://…`.
struct SignalingURL: Sendable, Equatable {
    /// As the user wrote it.
    let text: String
    /// Whether the scheme is `wss`.
    let isSecure: Bool
    /// Without the brackets of an IPv6 address.
    let host: String
    let port: Int
    /// Path and query, for the request line.
    let target: String

    /// The value of the HTTP field `Host`.
    var hostField: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Reads a URL.
    ///
    /// - Throws: ``SignalingError/invalidURL(_:text:)`` with the reason.
    init(_ text: String) throws(SignalingError) {
        func invalid(_ reason: String) -> SignalingError { .invalidURL(text, text: reason) }
        // A control character or a space would break the request line.
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw invalid("it has a character that is no visible ASCII")
        }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard text.dropFirst(scheme.count).hasPrefix("://") else {
            throw invalid("it does not begin with ws:// or wss://")
        }
        guard scheme == "ws" || scheme == "wss" else {
            throw invalid("it begins with \(scheme)://; a signaling URL begins with ws:// or wss://")
        }
        isSecure = scheme == "wss"
        let rest = text.dropFirst(scheme.count + "://".count)
        guard !rest.contains("#") else { throw invalid("a WebSocket URL has no fragment (#)") }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw invalid("a user or password in it is not supported") }
        let path = rest.dropFirst(authority.count)

        let name: Substring
        let portText: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw invalid("the ] of its host is missing") }
            name = authority[authority.index(after: authority.startIndex)..<end]
            portText = authority[authority.index(after: end)...]
        } else {
            name = authority.prefix { $0 != ":" }
            portText = authority.dropFirst(name.count)
        }
        guard !name.isEmpty else { throw invalid("it names no host") }
        guard name.utf8.allSatisfy(Self.isHostByte) else { throw invalid("its host has a character that no host has") }
        guard let port = Self.port(portText, default: isSecure ? 443 : 80) else {
            throw invalid("its port is not in 1...65535")
        }
        self.text = text
        self.host = String(name)
        self.port = port
        self.target = path.hasPrefix("/") ? String(path) : "/" + path
    }

    private static func port(_ text: Substring, default: Int) -> Int? {
        guard !text.isEmpty else { return `default` }
        let digits = text.dropFirst()
        guard text.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(digits).flatMap { (1...65_535).contains($0) ? $0 : nil }
    }

    /// Whether the host is an IP address, which certificates name differently.
    var isAddress: Bool { host.contains(":") || host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E } }

    /// Whether the host is certainly this machine, so that nobody in between can listen.
    var isLoopback: Bool {
        if host.lowercased() == "localhost" || host == "::1" { return true }
        // A host name may begin like an address.
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}
