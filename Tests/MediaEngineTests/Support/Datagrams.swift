import Glibc
import Testing

/// A UDP port on 127.0.0.1 that keeps what it receives and answers nothing.
final class Datagrams: Sendable {
    let port: UInt16
    private let handle: Int32
    private let kept = Shared<[[UInt8]]>([])

    /// The datagrams so far.
    var received: [[UInt8]] {
        var bytes = [UInt8](repeating: 0, count: 2_000)
        while case let count = recv(handle, &bytes, bytes.count, 0), count >= 0 {
            let datagram = Array(bytes.prefix(count))
            kept.update { $0.append(datagram) }
        }
        return kept.value
    }

    init() throws {
        let handle = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | O_NONBLOCK, 0)
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(handle, $0, length) == 0 && getsockname(handle, $0, &length) == 0
            }
        }
        try #require(isBound)
        self.handle = handle
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(handle) }

    func send(_ datagram: [UInt8], to port: UInt16) {
        var address = Self.loopback(port)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(handle, datagram, datagram.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        sockaddr_in(
            sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian,
            sin_addr: in_addr(s_addr: inet_addr("127.0.0.1")),
            sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
    }
}
