import Foundation

/// A TCP connection to 127.0.0.1.
///
/// Its blocking calls need their own thread.
final class BlockingSocket: Sendable {
    private let descriptor: Int32
    /// The name of the other end, for error texts.
    private let name: String

    init(port: Int, _ name: String) throws {
        self.name = name
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // A missing answer fails the test instead of blocking the test run.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let descriptor = descriptor
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw BrowserError(description: "cannot connect to \(name): errno \(errno)") }
    }

    deinit { close(descriptor) }

    func write(_ data: Data) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard written > 0 else { throw BrowserError(description: "\(name) does not listen: errno \(errno)") }
            rest = rest.dropFirst(written)
        }
    }

    /// Reads `count` bytes.
    func read(_ count: Int) throws -> Data {
        var data = Data()
        while data.count < count {
            let more = try readSome(atMost: count - data.count)
            guard !more.isEmpty else { throw BrowserError(description: "\(name) went away") }
            data += more
        }
        return data
    }

    /// Reads up to and without `end`.
    func read(until end: String) throws -> Data {
        let end = Data(end.utf8)
        var data = Data()
        while !data.suffix(end.count).elementsEqual(end) { data += try read(1) }
        return data.dropLast(end.count)
    }

    private func readSome(atMost count: Int) throws -> Data {
        var buffer = [UInt8](repeating: 0, count: min(count, 65_536))
        let read = recv(descriptor, &buffer, buffer.count, 0)
        guard read >= 0 else { throw BrowserError(description: "\(name) says nothing: errno \(errno)") }
        return Data(buffer.prefix(read))
    }
}

extension DispatchQueue {
    /// Runs blocking work.
    func run(_ work: @escaping @Sendable () throws -> Data) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            async { continuation.resume(with: Result { try work() }) }
        }
    }
}
