internal import ArgumentParser

/// An address and a port to listen on.
struct ListenAddress: Equatable {
    var host: String
    var port: Int

    /// Splits `HOST:PORT`, with an IPv6 address in brackets.
    init(_ text: String) throws(ValidationError) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port), colon != text.startIndex, !text.contains("/")
        else { throw ValidationError("'\(text)' is no HOST:PORT, such as 127.0.0.1:8080") }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        (self.host, self.port) = (String(host), port)
    }
}
