internal import LocalNetwork

/// The parts of a signaling URL: `ws://host[:port][/path]`, `mqtt://[user@]host[:port][/path]`, and the same with TLS.
package struct SignalingURL: Sendable, Equatable {
    /// The protocols that a transport speaks, each with and without TLS.
    package enum Kind: Sendable {
        case webSocket
        case mqtt

        fileprivate var plain: (scheme: String, port: Int) { self == .webSocket ? ("ws", 80) : ("mqtt", 1_883) }
        fileprivate var secure: (scheme: String, port: Int) { self == .webSocket ? ("wss", 443) : ("mqtts", 8_883) }
    }

    /// As the user wrote it.
    package let text: String
    /// Whether the scheme stands for TLS.
    package let isSecure: Bool
    /// The name before `@`; nil without one.
    package let user: String?
    /// Without the brackets of an IPv6 address.
    package let host: String
    package let port: Int
    /// Path and query, for the request line.
    package let target: String

    /// The value of the HTTP field `Host`.
    package var hostField: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Reads a URL.
    ///
    /// - Throws: ``SignalingError/invalidURL(_:text:)`` with the reason.
    package init(_ text: String, _ kind: Kind) throws(SignalingError) {
        func invalid(_ reason: String) -> SignalingError { .invalidURL(text, text: reason) }
        // A control character or a space would break the request line.
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw invalid("it has a character that is no visible ASCII")
        }
        let (plain, secure) = (kind.plain, kind.secure)
        let schemes = "\(plain.scheme):// or \(secure.scheme)://"
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard text.dropFirst(scheme.count).hasPrefix("://") else { throw invalid("it does not begin with \(schemes)") }
        guard scheme == plain.scheme || scheme == secure.scheme else {
            throw invalid("it begins with \(scheme)://; a signaling URL begins with \(schemes)")
        }
        isSecure = scheme == secure.scheme
        let rest = text.dropFirst(scheme.count + "://".count)
        guard !rest.contains("#") else { throw invalid("a signaling URL has no fragment (#)") }
        var authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest.dropFirst(authority.count)
        if let mark = authority.lastIndex(of: "@") {
            let name = authority[..<mark]
            guard kind == .mqtt, SignalingLimits.isName(String(name)), !name.contains(":") else {
                throw invalid("a \(kind == .mqtt ? "" : "user or ")password in it is not supported")
            }
            user = String(name)
            authority = authority[authority.index(after: mark)...]
        } else {
            user = nil
        }

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
        guard let port = Self.port(portText, default: isSecure ? secure.port : plain.port) else {
            throw invalid("its port is not in 1...65535")
        }
        self.text = text
        self.host = String(name)
        self.port = port
        self.target = path.hasPrefix("/") ? String(path) : "/" + path
    }

    /// One URL for each of the hosts that stand in a URL with commas between them; not checked.
    package static func nodes(of text: String) -> [String] {
        guard let mark = text.firstRange(of: "://") else { return [text] }
        let rest = text[mark.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let user = authority.lastIndex(of: "@").map { authority[...$0] } ?? ""
        let hosts = authority.dropFirst(user.count).split(separator: ",", omittingEmptySubsequences: false)
        return hosts.map { String(text[..<mark.upperBound] + user + $0 + rest.dropFirst(authority.count)) }
    }

    private static func port(_ text: Substring, default: Int) -> Int? {
        guard !text.isEmpty else { return `default` }
        let digits = text.dropFirst()
        guard text.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(digits).flatMap { (1...65_535).contains($0) ? $0 : nil }
    }

    /// Whether the host is an IP address, which certificates name differently.
    package var isAddress: Bool { LocalAddresses.isNumeric(host) }

    /// Whether the host is certainly this machine, so that nobody in between can listen.
    package var isLoopback: Bool { LocalAddresses.isLoopback(host.lowercased()) }

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

extension String {
    /// Without what may be secret in a URL, for a text that is printed: its user, password and query.
    package var withoutSecrets: String {
        replacing(/(:\/\/[^?]*)\?.*/) { "\($0.1)?…" }.replacing(/:\/\/.*@/, with: "://…@")
    }
}
