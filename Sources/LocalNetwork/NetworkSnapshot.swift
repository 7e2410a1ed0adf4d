internal import Foundation

/// What of this machine's network decides on the path to another machine.
package struct NetworkSnapshot: Sendable, Equatable {
    /// The addresses of all interfaces, except loopback and link-local ones.
    package var addresses: [String]
    /// The addresses that packets to the Internet leave from, by IPv4 and IPv6; nil without a route.
    package var sources: [String?]

    /// The network at this moment.
    package static var now: NetworkSnapshot { now(of: []) }

    /// What these interfaces have of the network at this moment, their loopback addresses included; of all interfaces if there are none.
    package static func now(of interfaces: [String]) -> NetworkSnapshot {
        let addresses = interfaces.isEmpty ? LocalAddresses.global() : LocalAddresses.of(interfaces)
        return NetworkSnapshot(
            addresses: addresses.sorted(),
            // Addresses for documentation (RFC 5737, RFC 3849): nothing is sent there.
            sources: ["192.0.2.1", "2001:db8::1"].map { source(toward: $0, through: interfaces) })
    }

    /// The address that packets to `address` leave from; nil without a route.
    ///
    /// With interfaces it is one of theirs: where the kernel would choose another interface, that of the first of them.
    package static func source(toward address: String, through interfaces: [String] = []) -> String? {
        let usual = source(toward: address, interface: nil)
        guard !interfaces.isEmpty else { return usual }
        let own = LocalAddresses.of(interfaces)
        if let usual, own.contains(usual) { return usual }
        // Bound to an interface, a socket needs no route: the kernel takes the destination for a neighbour.
        return interfaces.lazy.compactMap { source(toward: address, interface: $0) }.first(where: own.contains)
    }

    private static func source(toward address: String, interface: String?) -> String? {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, "9", &hints, &found) == 0, let found else { return nil }
        defer { freeaddrinfo(found) }
        let handle = socket(found.pointee.ai_family, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        guard handle >= 0 else { return nil }
        defer { close(handle) }
        if let interface {
            // It may have other names, too.
            var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
            guard if_indextoname(if_nametoindex(interface), &name) != nil,
                setsockopt(handle, SOL_SOCKET, SO_BINDTODEVICE, name, socklen_t(strlen(name))) == 0
            else { return nil }
        }
        // The connection of a datagram socket sends nothing: it only chooses the route.
        guard connect(handle, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else { return nil }
        var own = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(handle, $0, &length) == 0 }
        }
        guard isKnown else { return nil }
        return withUnsafePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { LocalAddresses.text(of: $0, length) }
        }
    }
}
