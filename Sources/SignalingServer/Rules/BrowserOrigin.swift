/// Decides which web pages may connect.
///
/// A browser lets any page connect, and sends the page's origin with the request (RFC 6455 section 10.2). Without this check, any
/// page that a user of an open server visits could sign in and place calls as that user.
enum BrowserOrigin {
    enum Verdict: Sendable, Equatable {
        case allowed
        /// A page of another server.
        case foreignPage
        /// A page of this server in the browser's view, but by a name that is not this server's.
        case foreignName
    }

    /// Whether a request may become a WebSocket.
    ///
    /// A request without an origin is not from a browser, so its host name does not matter. For a page of this server both fields
    /// have the same host and port, and the host is one of the server's names.
    static func verdict(
        on origin: String?, host: String?, isOwnName: Bool, allowed: [String]
    ) -> Verdict {
        guard let origin = origin?.lowercased() else { return .allowed }
        if allowed.contains(where: { $0 == "*" || $0.lowercased() == origin }) { return .allowed }
        guard let host = host?.lowercased(), !host.isEmpty, origin == "http://\(host)" || origin == "https://\(host)"
        else { return .foreignPage }
        return isOwnName ? .allowed : .foreignName
    }

    /// Whether `text` can be the origin of a page.
    ///
    /// Such as `https://calls.example.org`, without a path; `null` for pages from files; `*` for all.
    static func isWellFormed(_ text: String) -> Bool {
        if text == "*" || text == "null" { return true }
        guard let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            return false
        }
        let authority = text.utf8.dropFirst(scheme.utf8.count)
        return (1...259).contains(authority.count)
            && authority.allSatisfy { (0x21...0x7E).contains($0) && !"/?#@\\*".utf8.contains($0) }
    }
}
