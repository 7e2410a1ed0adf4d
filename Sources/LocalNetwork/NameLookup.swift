internal import Foundation

/// Host names, looked up as this machine is set up to do it.
package enum NameLookup {
    /// The addresses of a host in numeric form, in the order of preference; none if it is unknown.
    ///
    /// It takes as long as the system's resolver takes, which may be many seconds. Multicast DNS (RFC 6762) needs a module of the
    /// resolver, on Debian `libnss-mdns`.
    package static func addresses(of name: String) async -> [String] {
        await withCheckedContinuation { continuation in
            // The call blocks its thread.
            DispatchQueue.global().async { continuation.resume(returning: blockingAddresses(of: name)) }
        }
    }

    private static func blockingAddresses(of name: String) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        return sequence(first: first, next: { $0?.pointee.ai_next }).compactMap { entry in
            guard let entry, let address = entry.pointee.ai_addr else { return nil }
            return LocalAddresses.text(of: address, entry.pointee.ai_addrlen)
        }
    }
}
