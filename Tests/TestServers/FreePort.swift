internal import NIOCore
internal import NIOPosix

/// Ports of 127.0.0.1, for servers that cannot choose one themselves.
enum FreePort {
    /// A port that nobody listens on.
    static func find() async throws -> Int { try await find(1)[0] }

    /// Different ports that nobody listens on.
    static func find(_ count: Int) async throws -> [Int] {
        var channels: [any Channel] = []
        for _ in 0..<count {
            channels.append(
                try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .bind(host: "127.0.0.1", port: 0).get())
        }
        let ports = channels.map { $0.localAddress?.port ?? 0 }
        for channel in channels { try await channel.close() }
        return ports
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
