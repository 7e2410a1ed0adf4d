internal import LocalNetwork

/// A parsed `stun:` or `turn:` URL (RFC 7064, RFC 7065).
struct IceServerURL: Sendable, Hashable {
    enum Scheme: String, Sendable { case stun, stuns, turn, turns }

    let scheme: Scheme
    /// Without the brackets of an IPv6 address.
    private(set) var host: String
    let port: Int
    /// `udp` or `tcp`, for `turn`.
    let transport: String

    /// A TURN server over plain TCP.
    init(tcp host: String, port: Int) { (scheme, self.host, self.port, transport) = (.turn, host, port, "tcp") }

    /// - Throws: ``MediaError/invalidIceServer(url:text:)``.
    init(parsing url: String) throws(MediaError) {
        func fail(_ text: String) -> MediaError { .invalidIceServer(url: String(url.prefix(128)), text: text) }
        guard url.utf8.count <= 512, let colon = url.firstIndex(of: ":"),
            let scheme = Scheme(rawValue: url[..<colon].lowercased())
        else { throw fail("it does not begin with stun:, turn: or turns:") }
        let rest = url[url.index(after: colon)...]
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let authority = parts.first, let (host, port) = Self.hostAndPort(authority) else {
            throw fail("its host or port is malformed")
        }
        let isTLS = scheme == .stuns || scheme == .turns
        self.scheme = scheme
        self.host = host
        self.port = port ?? (isTLS ? 5_349 : 3_478)
        guard parts.count > 1 else {
            transport = isTLS ? "tcp" : "udp"
            return
        }
        guard scheme == .turn || scheme == .turns,
            let transport = ["udp", "tcp"].first(where: { "transport=\($0)" == parts[1] })
        else { throw fail("the only thing that may follow is ?transport=udp or ?transport=tcp, for TURN") }
        self.transport = transport
    }

    /// The same server by another name or address.
    func moved(to host: String) -> IceServerURL {
        var url = self
        url.host = host
        return url
    }

    private static func hostAndPort(_ text: Substring) -> (String, Int?)? {
        var host = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":"), host.contains(":"), LocalAddresses.isNumeric(String(host)) else {
                return nil
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0.isHostName || $0 == UInt8(ascii: ":") }) else { return nil }
        guard let port else { return (String(host), nil) }
        guard port.utf8.allSatisfy(\.isDigit), let number = UInt16(port),
            number > 0
        else { return nil }
        return (String(host), Int(number))
    }

    /// The URL for messages, without credentials.
    var text: String { "\(scheme.rawValue):\(authority)" }

    private var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
