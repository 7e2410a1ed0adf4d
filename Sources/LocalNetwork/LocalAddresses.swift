internal import Foundation

/// The addresses of this machine.
package enum LocalAddresses {
    /// Every address of an interface that is up, except loopback and link-local ones, in numeric form.
    ///
    /// Link-local addresses are left out because browsers do not use them and a call would choose one.
    package static func global() -> [String] {
        all().map(\.address).filter { !isLoopback($0) && !isLinkLocal($0) }
    }

    /// Every address of these interfaces that are up, except link-local ones, in numeric form.
    package static func of(_ interfaces: [String]) -> [String] {
        // An interface may have several names, and each address a label.
        let indices = Set(interfaces.map { if_nametoindex($0) }).subtracting([0])
        let own = all().filter { indices.contains(if_nametoindex($0.interface)) }
        return own.map(\.address).filter { !isLinkLocal($0) }
    }

    /// Whether this machine has the interface, up or down.
    package static func hasInterface(_ name: String) -> Bool { if_nametoindex(name) != 0 }

    /// Whether an interface that is up has the address, of any kind, in numeric form.
    package static func isInUse(_ address: String) -> Bool {
        // A link-local address may name its interface.
        func plain(_ text: String) -> Substring { text.prefix { $0 != "%" } }
        return all().contains { plain($0.address) == plain(address) }
    }

    /// Whether the text is an address of the loopback interface, or `localhost`.
    package static func isLoopback(_ host: String) -> Bool {
        // A host name may start like an address.
        host == "localhost" || host == "::1" || host.hasPrefix("127.") && isNumeric(host)
    }

    /// Whether the text is an IPv4 or IPv6 address.
    package static func isNumeric(_ text: String) -> Bool {
        var storage = in6_addr()
        return inet_pton(AF_INET, text, &storage) == 1 || inet_pton(AF_INET6, text, &storage) == 1
    }

    /// Whether the text is a link-local address (RFC 3927, RFC 4291 section 2.5.6).
    package static func isLinkLocal(_ address: String) -> Bool {
        address.lowercased().hasPrefix("fe80:") || address.hasPrefix("169.254.")
    }

    private static func all() -> [(interface: String, address: String)] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var addresses: [(interface: String, address: String)] = []
        for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let entry, let address = entry.pointee.ifa_addr, entry.pointee.ifa_flags & UInt32(IFF_UP) != 0 else {
                continue
            }
            let length: Int
            switch Int32(address.pointee.sa_family) {
            case AF_INET: length = MemoryLayout<sockaddr_in>.size
            case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
            default: continue
            }
            if let text = text(of: address, socklen_t(length)) {
                addresses.append((String(cString: entry.pointee.ifa_name), text))
            }
        }
        return addresses
    }

    /// The numeric form of a socket address.
    static func text(of address: UnsafePointer<sockaddr>, _ length: socklen_t) -> String? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
