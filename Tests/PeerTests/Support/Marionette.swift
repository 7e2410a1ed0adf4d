import Foundation

/// Firefox's remote protocol: JSON with its length before it, over TCP; one command at a time.
final class Marionette: Sendable {
    private let socket: Int32
    private let queue = DispatchQueue(label: "marionette")

    init(port: Int) async throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.socket = socket
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw BrowserError(description: "cannot connect to Firefox: errno \(errno)") }
        // A command that is never answered fails rather than holds up the test run.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        _ = try await onQueue { try Self.read(socket) }
    }

    deinit { Glibc.close(socket) }

    /// Sends a command and returns its result.
    @discardableResult
    func command(_ name: String, _ parameters: [String: Any]) async throws -> Data {
        let message = try JSONSerialization.data(withJSONObject: [0, 1, name, parameters] as [Any])
        let socket = socket
        return try await onQueue {
            try Self.write(Data("\(message.count):".utf8) + message, socket)
            let answer = try Self.read(socket)
            guard let parts = try JSONSerialization.jsonObject(with: answer) as? [Any], parts.count == 4 else {
                throw BrowserError(description: "Firefox said: \(String(decoding: answer, as: UTF8.self))")
            }
            if parts[2] is [String: Any] { throw BrowserError(description: "\(name): \(parts[2])") }
            return try JSONSerialization.data(withJSONObject: parts[3], options: .fragmentsAllowed)
        }
    }

    /// Blocking calls have a thread of their own.
    private func onQueue(_ work: @escaping @Sendable () throws -> Data) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }

    private static func write(_ data: Data, _ socket: Int32) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard written > 0 else { throw BrowserError(description: "Firefox does not listen: errno \(errno)") }
            rest = rest.dropFirst(written)
        }
    }

    private static func read(_ socket: Int32) throws -> Data {
        var digits = ""
        while true {
            let byte = try bytes(1, socket)[0]
            if byte == UInt8(ascii: ":") { break }
            digits.append(Character(Unicode.Scalar(byte)))
        }
        guard let count = Int(digits), count < 64_000_000 else {
            throw BrowserError(description: "no length: \(digits)")
        }
        return Data(try bytes(count, socket))
    }

    private static func bytes(_ count: Int, _ socket: Int32) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress! + filled, count - filled, 0) }
            guard read > 0 else { throw BrowserError(description: "Firefox went away: errno \(errno)") }
            filled += read
        }
        return buffer
    }
}
