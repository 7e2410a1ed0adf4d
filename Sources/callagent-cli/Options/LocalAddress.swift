internal import Glibc

/// An address on the command line.
enum LocalAddress {
    /// Whether this machine has the address; the system says so when a socket is bound to it.
    static func isHere(_ text: String) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        if unsafe inet_pton(AF_INET, text, &address.sin_addr) == 1 { return unsafe binds(AF_INET, &address) }
        var longAddress = sockaddr_in6()
        longAddress.sin6_family = sa_family_t(AF_INET6)
        guard unsafe inet_pton(AF_INET6, text, &longAddress.sin6_addr) == 1 else { return false }
        return unsafe binds(AF_INET6, &longAddress)
    }

    private static func binds<Address>(_ family: Int32, _ address: UnsafePointer<Address>) -> Bool {
        let file = socket(family, Int32(SOCK_DGRAM.rawValue), 0)
        // Without a socket it cannot be checked, so the address is not refused.
        guard file >= 0 else { return true }
        defer { close(file) }
        let status = unsafe UnsafeRawPointer(address).withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            unsafe bind(file, address, socklen_t(MemoryLayout<Address>.size))
        }
        return status == 0 || errno != EADDRNOTAVAIL
    }
}
