import Foundation
import Logging
import SignalingServer

/// A signaling server of this process; the tokens for it, when it wants some.
final class TestServer: Sendable {
    let server: SignalingServer
    let key: TokenKey?
    var url: String { "ws://127.0.0.1:\(server.port)" }

    /// Lets everybody in.
    init() async throws {
        server = try await SignalingServer.start(configuration: SignalingServerConfiguration(port: 0), logger: .quiet)
        key = nil
    }

    /// Wants tokens.
    init(tokenWarning: Duration) async throws {
        let file = NSTemporaryDirectory() + "callagent-key-\(UUID().uuidString)"
        try Data("a secret of more than thirty-two bytes, for tests\n".utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        var configuration = SignalingServerConfiguration(port: 0)
        configuration.tokenKeyFiles = [file]
        configuration.tokenWarning = tokenWarning
        server = try await SignalingServer.start(configuration: configuration, logger: .quiet)
        key = try await TokenKey.read(file: file)
    }

    deinit {
        let server = server
        Task { await server.shutdown() }
    }

    /// A token that is good for `lifetime`; one that ended when it is negative.
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
