internal import NIOCore
internal import NIOPosix

/// Ports of 127.0.0.1, for servers that cannot choose one themselves.
enum FreePort {
    /// A port that nobody listens on.
    static func find() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port
        try await channel.close()
        return port ?? 0
    }

    /// Whether somebody listens there.
    static func accepts(_ port: Int) async -> Bool {
        let connecting = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port)
        guard let channel = try? await connecting.get() else { return false }
        try? await channel.close()
        return true
    }
}
