import Foundation

/// Firefox's remote protocol: JSON with a length prefix over TCP, one command at a time.
final class Marionette: Sendable {
    private let socket: BlockingSocket
    private let queue = DispatchQueue(label: "marionette")

    init(port: Int) async throws {
        let socket = try BlockingSocket(port: port, "Firefox")
        self.socket = socket
        _ = try await queue.run { try Self.message(socket) }
    }

    /// Sends a command and returns its result.
    @discardableResult
    func command(_ name: String, _ parameters: [String: Any]) async throws -> Data {
        let message = try JSONSerialization.data(withJSONObject: [0, 1, name, parameters] as [Any])
        let socket = socket
        return try await queue.run {
            try socket.write(Data("\(message.count):".utf8) + message)
            let answer = try Self.message(socket)
            guard let parts = try JSONSerialization.jsonObject(with: answer) as? [Any], parts.count == 4 else {
                throw BrowserError(description: "Firefox said: \(String(decoding: answer, as: UTF8.self))")
            }
            if let error = parts[2] as? [String: Any] {
                throw BrowserError(description: "\(name): \(error["message"] ?? error)")
            }
            return try JSONSerialization.data(withJSONObject: parts[3], options: .fragmentsAllowed)
        }
    }

    private static func message(_ socket: BlockingSocket) throws -> Data {
        let digits = String(decoding: try socket.read(until: ":"), as: UTF8.self)
        guard let count = Int(digits), count < 64_000_000 else {
            throw BrowserError(description: "no length: \(digits)")
        }
        return try socket.read(count)
    }
}
