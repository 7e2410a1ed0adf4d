import Foundation
import Glibc
import Testing

/// A NAT on 127.0.0.1 between one end and its peer.
///
/// The end behind it sends to ``port`` and believes that the peer is there. The peer sees another port, until ``move()`` replaces that one.
final class AddressTranslator: Sendable {
    let port: UInt16
    private let peer: sockaddr_in
    private let inner: LoopbackSocket
    private let outer: Shared<LoopbackSocket>
    private let isOver = Shared(false)
    private let checkCount = Shared(0)
    private let roundCount = Shared(0)

    init(peer: UInt16) throws {
        (inner, outer) = (try LoopbackSocket(), Shared(try LoopbackSocket()))
        (port, self.peer) = (inner.port, LoopbackSocket.address(peer))
        Thread.detachNewThread { [inner, outer, isOver, checkCount, roundCount, peer = self.peer] in
            Self.translate(inner, outer, peer, checkCount, roundCount) { isOver.value }
        }
    }

    deinit { isOver.set(true) }

    /// The port that the peer sees.
    var outerPort: UInt16 { outer.value.port }

    /// How many checks of a silent path came from the end behind it.
    var checks: Int { checkCount.value }

    /// Waits until everything that was sent to it before has been read.
    func waitUntilRead() async throws {
        let before = roundCount.value
        // The round that runs may have looked before.
        try await eventually("two rounds of the translator") { roundCount.value >= before + 2 }
    }

    /// Gives the end behind it another port; what is sent to the former one is lost.
    func move() throws { outer.set(try LoopbackSocket()) }

    private static func translate(
        _ inner: LoopbackSocket, _ outer: Shared<LoopbackSocket>, _ peer: sockaddr_in, _ checks: Shared<Int>,
        _ rounds: Shared<Int>, until isOver: () -> Bool
    ) {
        var behind: sockaddr_in?
        while !isOver() {
            let outside = outer.value
            var waited = [
                pollfd(fd: inner.handle, events: Int16(POLLIN), revents: 0),
                pollfd(fd: outside.handle, events: Int16(POLLIN), revents: 0),
            ]
            // The limit is for the end, and for another port.
            _ = poll(&waited, 2, 10)
            while let (datagram, sender) = inner.receive() {
                behind = sender
                // libnice's own checks have lower priorities.
                if StunMessage(datagram).map({ $0.isRequest && $0[0x0024]?.first == 125 }) == true {
                    checks.set(checks.value + 1)
                }
                outside.send(datagram, to: peer)
            }
            while let (datagram, _) = outside.receive() { if let behind { inner.send(datagram, to: behind) } }
            rounds.set(rounds.value + 1)
        }
    }
}

/// A UDP socket on 127.0.0.1 that does not block.
final class LoopbackSocket: Sendable {
    let handle: Int32
    let port: UInt16

    init() throws {
        let handle = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | O_NONBLOCK, 0)
        var address = Self.address(0)
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

    /// The next datagram and where it came from; nil if there is none.
    func receive() -> ([UInt8], from: sockaddr_in)? {
        var bytes = [UInt8](repeating: 0, count: 2_000)
        var sender = Self.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &sender) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(handle, &bytes, bytes.count, 0, $0, &length)
            }
        }
        return count >= 0 ? (Array(bytes.prefix(count)), sender) : nil
    }

    func send(_ datagram: [UInt8], to receiver: sockaddr_in) {
        var receiver = receiver
        withUnsafePointer(to: &receiver) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(handle, datagram, datagram.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    static func address(_ port: UInt16) -> sockaddr_in {
        sockaddr_in(
            sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian,
            sin_addr: in_addr(s_addr: inet_addr("127.0.0.1")),
            sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
    }
}
