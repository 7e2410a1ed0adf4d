import Foundation
import NIOCore
import NIOPosix

/// mosquitto in its own process, with the access rules of `docs/mosquitto` and a password for each user.
///
/// Nobody here watches all users, so mosquitto's own limits are enough: 1,000 waiting messages for each client, and as many clients as it has
/// files, which it inherits from this process.
final class BrokerProcess {
    let port: Int
    private let process = Process()

    /// Returns when it accepts connections.
    ///
    /// - Parameter folder: where its configuration and passwords are written.
    init(folder: URL, passwords: [String: String]) async throws {
        port = try await Self.freePort()
        let passwordFile = folder.appending(path: "passwords").path
        let lines = passwords.map { "\($0):\($1)\n" }.joined()
        try Data(lines.utf8).write(to: URL(filePath: passwordFile))
        let hashing = try Process.run(URL(filePath: "/usr/bin/mosquitto_passwd"), arguments: ["-U", passwordFile])
        hashing.waitUntilExit()

        let rules = URL(filePath: #filePath).appending(path: "../../../docs/mosquitto/callagent.acl").standardized.path
        let configuration = folder.appending(path: "mosquitto.conf")
        // Root's files are for root; another user is not changed by that line.
        let text = """
            user root
            listener \(port) 127.0.0.1
            allow_anonymous false
            password_file \(passwordFile)
            acl_file \(rules)
            log_type error

            """
        try Data(text.utf8).write(to: configuration)
        process.executableURL = URL(filePath: "/usr/sbin/mosquitto")
        process.arguments = ["-c", configuration.path]
        try process.run()
        try await waitUntilReady()
    }

    var usage: ProcessUsage { ProcessUsage(identifier: process.processIdentifier) }

    func stop() {
        // It inherits a signal mask that may keep SIGTERM from it.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private func waitUntilReady() async throws {
        for _ in 0..<100 where process.isRunning {
            let connection = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: port)
            if let channel = try? await connection.get() { return try await channel.close() }
            try await Task.sleep(for: .milliseconds(50))
        }
        stop()
        throw LoadFailure("mosquitto did not start")
    }

    private static func freePort() async throws -> Int {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        defer { listener.close(promise: nil) }
        guard let port = listener.localAddress?.port else { throw LoadFailure("there is no free port") }
        return port
    }
}
