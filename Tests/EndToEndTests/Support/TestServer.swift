import Foundation
import Logging
import SignalingServer

/// A signaling server in this process, and tokens for it if it requires them.
final class TestServer: Sendable {
    let server: Server
    let key: TokenKey?
    var url: String { "ws://127.0.0.1:\(server.port)" }

    /// Makes a server without tokens.
    init() async throws {
        server = try await Server.start(configuration: ServerConfiguration(port: 0), logger: .quiet)
        key = nil
    }

    /// Makes a server that requires tokens.
    init(tokenWarning: Duration) async throws {
        let file = NSTemporaryDirectory() + "callagent-key-\(UUID().uuidString)"
        try Data("a secret of more than thirty-two bytes, for tests\n".utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        var configuration = ServerConfiguration(port: 0)
        configuration.tokenKeyFiles = [file]
        configuration.tokenWarning = tokenWarning
        server = try await Server.start(configuration: configuration, logger: .quiet)
        key = try await TokenKey.read(file: file)
    }

    deinit {
        let server = server
        Task { await server.shutdown() }
    }

    /// A token that is valid for `lifetime`; an expired one if that is negative.
    func token(_ user: String, lifetime: Duration = .seconds(600), mayCall: [String]? = nil) throws -> String {
        guard let key else { return "" }
        let rights = mayCall.map { AccessToken.Anonymous(account: "shop", mayCall: $0) }
        var token = AccessToken(user: user, lifetime: max(lifetime, .seconds(1)), anonymous: rights)
        if lifetime < .zero {
            token.issuedUnixSeconds -= 100
            token.expiresUnixSeconds = token.issuedUnixSeconds + 50
        }
        return try token.signed(with: key)
    }
}
