import Foundation
import Testing

/// A UDP port of 127.0.0.1 that is in use.
final class HeldPort: Sendable {
    let number: UInt16
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        (number, self.descriptor) = (UInt16(bigEndian: address.sin_port), descriptor)
        try #require(result == 0)
    }

    deinit { close(descriptor) }
}

extension HeldPort {
    /// The description of an exclusive source that is already open: it needs this port.
    var description: String {
        """
        # An exclusive source: here a UDP port.
        # value caps: format.caps
        udpsrc name=source address=127.0.0.1 reuse=false port=\(number) ! rawvideoparse width=64 height=64 \
        ! videoconvert ! videoscale ! videorate ! capsfilter name=format
        """
    }
}
