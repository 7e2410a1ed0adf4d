/// A UDP port on 127.0.0.1 that keeps what it receives and answers nothing.
final class Datagrams: Sendable {
    private let socket: LoopbackSocket
    private let kept = Shared<[[UInt8]]>([])

    init() throws { socket = try LoopbackSocket() }

    var port: UInt16 { socket.port }

    /// The datagrams so far.
    var received: [[UInt8]] {
        while let (datagram, _) = socket.receive() { kept.update { $0.append(datagram) } }
        return kept.value
    }

    func send(_ datagram: [UInt8], to port: UInt16) { socket.send(datagram, to: LoopbackSocket.address(port)) }
}
