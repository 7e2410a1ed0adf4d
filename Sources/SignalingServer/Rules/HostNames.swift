/// The names that this server goes by: a browser tells with each request by which one it came.
///
/// Whoever owns a name can let it lead to this machine (DNS rebinding). To a browser the pages of that name and this server are
/// one then, so a name that is not this server's gets nothing.
struct HostNames: Sendable {
    private let own: Set<Host>
    private let hasTLS: Bool

    private enum Host: Hashable {
        case name(String)
        case address(IPAddress)

        init?(_ text: String) {
            guard let host = IPAddress(text) == nil ? Authority(text)?.host : text else { return nil }
            self = IPAddress(host).map(Self.address) ?? .name(host)
        }
    }

    /// - Parameters:
    ///   - host: what the server was told to listen on.
    ///   - allowed: further names and addresses.
    ///   - hasTLS: whether browsers have compared the name with a certificate; then it need not be looked at.
    init(listening host: String, allowed: [String], hasTLS: Bool) {
        own = Set(([host] + allowed).compactMap(Host.init)).subtracting(Self.everywhere)
        self.hasTLS = hasTLS
    }

    /// What is listened on to be reached by every address, and leads to this machine as well: it is nobody's name.
    private static let everywhere = Set(["0.0.0.0", "::"].compactMap(Host.init))

    /// Whether `field`, the `Host` of a request, names this server: as this machine calls itself, by the address that the client
    /// reached, by what the server listens on, or by what was allowed.
    func contains(_ field: String?, local: IPAddress?) -> Bool {
        if hasTLS { return true }
        guard let host = field.flatMap(Host.init) else { return false }
        if own.contains(host) { return true }
        return switch host {
        case .address(let address): address.isLoopback || address == local
        // RFC 6761 section 6.3.
        case .name(let name): name == "localhost" || name.hasSuffix(".localhost")
        }
    }

    /// Whether `text` can be allowed: a name or an address, without a port.
    static func isWellFormed(_ text: String) -> Bool {
        IPAddress(text) != nil
            || Authority(text) != nil && (text.hasPrefix("[") ? text.hasSuffix("]") : !text.contains(":"))
    }
}
