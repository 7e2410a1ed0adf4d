internal import NIOCore
internal import NIOPosix

/// The abilities of this machine's loopback interface.
package enum Loopback {
    /// Whether a UDP socket can be bound to `::1`: containers often have no IPv6.
    package static var hasIPv6: Bool {
        get async {
            let binding = DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "::1", port: 0)
            guard let channel = try? await binding.get() else { return false }
            try? await channel.close()
            return true
        }
    }
}
