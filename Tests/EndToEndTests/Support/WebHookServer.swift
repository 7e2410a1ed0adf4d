import Foundation
import Synchronization
import Testing

/// Receives webhooks on loopback, on its own thread, and keeps them.
final class WebHookServer: Sendable {
    let port: UInt16
    private let socketNumber: Int32
    private let bodies = Mutex<[String]>([])

    /// The JSON objects that were posted so far.
    var events: [[String: Any]] {
        bodies.withLock { $0 }.compactMap { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any] }
    }

    /// - Parameter status: the status of every response; nil sends no response.
    init(status: Int? = 204) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(listener, generic, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, generic, &length) == 0
            }
        }
        try #require(isListening)
        (port, socketNumber) = (UInt16(bigEndian: address.sin_port), listener)
        Thread { [weak self] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                let body = Self.read(connection)
                self?.bodies.withLock { $0.append(body) }
                guard let status else { continue }
                let answer = "HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n"
                _ = answer.withCString { send(connection, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
                close(connection)
            }
        }
        .start()
    }

    deinit {
        // Wakes the thread, which then ends.
        shutdown(socketNumber, Int32(SHUT_RDWR))
        close(socketNumber)
    }

    /// The body of one request.
    private static func read(_ connection: Int32) -> String {
        var text = ""
        // Like a real server, it answers a TLS handshake at once.
        func isHTTP() -> Bool { text.first.map { ("A"..."Z").contains($0) } ?? true }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return text }
            text += String(decoding: buffer[..<count], as: UTF8.self)
            guard isHTTP() else { return "" }
            let parts = text.components(separatedBy: "\r\n\r\n")
            let head = parts[0].lowercased().components(separatedBy: "content-length: ")
            guard parts.count == 2, head.count == 2, let length = Int(head[1].prefix { $0.isNumber }) else { continue }
            if parts[1].utf8.count >= length { return parts[1] }
        }
    }
}
