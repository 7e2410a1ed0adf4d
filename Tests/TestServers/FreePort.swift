internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Ports of 127.0.0.1, for servers that cannot choose one themselves.
///
/// They are below those that the system gives to clients: a port that it chose could be another socket's as soon as it is free again.
enum FreePort {
    private static let range = 12_000..<32_000
    private static let given = Mutex<Set<Int>>([])

    /// There is no port left.
    struct None: Error {}

    /// A port that nobody listens on, and that no other call in this process returned.
    static func find() async throws -> Int {
        for _ in range {
            let port = Int.random(in: range)
            guard given.withLock({ $0.insert(port).inserted }) else { continue }
            let binding = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: "127.0.0.1", port: port)
            guard let channel = try? await binding.get() else { continue }
            try await channel.close()
            return port
        }
        throw None()
    }

    /// Different ports.
    static func find(_ count: Int) async throws -> [Int] {
        var ports: [Int] = []
        for _ in 0..<count { ports.append(try await find()) }
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
