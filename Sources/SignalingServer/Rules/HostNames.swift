/// The names of this server: a browser sends the name that it used with each request.
///
/// An attacker can let a name resolve to this machine (DNS rebinding). A browser then treats the attacker's pages and this server
/// as one origin. So the server refuses requests by names that are not its own.
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
    ///   - host: the host in the configuration that the server listens on.
    ///   - allowed: further names and addresses.
    ///   - hasTLS: whether browsers compare the name with a certificate; then the server need not check it.
    init(listening host: String, allowed: [String], hasTLS: Bool) {
        own = Set(([host] + allowed).compactMap(Host.init)).subtracting(Self.everywhere)
        self.hasTLS = hasTLS
    }

    /// The addresses that mean "listen on all addresses"; they also lead to this machine, but are no names of the server.
    private static let everywhere = Set(["0.0.0.0", "::"].compactMap(Host.init))

    /// Whether `field`, the `Host` of a request, names this server.
    ///
    /// It does if it is a name for loopback, the address that the client reached, the host that the server listens on, or an
    /// allowed name.
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
