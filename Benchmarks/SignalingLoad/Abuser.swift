import Glibc
import NIOCore
import NIOPosix

/// A client that misbehaves for a time.
///
/// Runs on its own event loop, so that it disturbs the measurement only through the server.
final class Abuser {
    enum Kind: String, CaseIterable, Sendable {
        /// Sends as fast as the socket accepts it, and reconnects when the server disconnects it.
        case flood
        /// Does not read the messages to it.
        case stall
        /// Sends random bytes, before and after the upgrade.
        case garbage
    }

    private let kind: Kind
    private let port: Int
    private let loop: any EventLoop
    private let tokens: Tokens
    private var isOver = false
    private var connections = 0

    init(_ kind: Kind, port: Int, tokens: Tokens, loop: any EventLoop) {
        self.kind = kind
        self.port = port
        self.tokens = tokens
        self.loop = loop
    }

    func start() {
        // It represents a client on another machine: its cost here must not count against the server. On Linux, process 0
        // means the calling thread.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        switch kind {
        case .flood: flood()
        case .stall: stall()
        case .garbage: garbage()
        }
    }

    /// Stops; returns how often it had to connect.
    func stop() -> Int {
        isOver = true
        return connections
    }

    private func connect(_ user: String, _ body: @escaping (LoadClient) -> Void) {
        connections += 1
        LoadClient.connect(user: user, token: tokens.token(user), port: port, loop: loop)
            .assumeIsolated().whenComplete { [self] result in
                if case .success(let client) = result {
                    body(client.value)
                } else {
                    again { $0.connect(user, body) }
                }
            }
    }

    private func again(_ body: @escaping (Abuser) -> Void) {
        guard !isOver else { return }
        loop.assumeIsolated().scheduleTask(in: .milliseconds(5)) { [self] in body(self) }
    }

    private func flood() {
        connect("flooder") { [self] client in
            var isOpen = true
            client.ended = { [self] in
                isOpen = false
                again { $0.flood() }
            }
            func burst() {
                guard isOpen, !isOver else { return client.close() }
                for _ in 0..<200 {
                    client.send(#"{"v":1,"type":"candidate","id":"m","callId":"c","from":"flooder","to":"nobody"}"#)
                }
                loop.assumeIsolated().execute { burst() }
            }
            burst()
        }
    }

    /// One client that reads nothing gets as much as another may send: 200 messages of 60,000 bytes a second.
    private func stall() {
        let filler = String(repeating: "x", count: 60_000)
        connect("staller") { [self] staller in
            staller.read(false)
            connect("feeder") { [self] feeder in
                func feed() {
                    guard !isOver else {
                        staller.close()
                        return feeder.close()
                    }
                    feeder.send(
                        #"{"v":1,"type":"x","id":"m","callId":"c","from":"feeder","to":"staller","x":"\#(filler)"}"#)
                    loop.assumeIsolated().scheduleTask(in: .milliseconds(6)) { feed() }
                }
                feed()
            }
        }
    }

    private func garbage() {
        guard !isOver else { return }
        connections += 1
        let upgrade =
            "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        var bytes = ByteBuffer()
        if connections % 2 == 0 { bytes.writeString(upgrade) }
        for _ in 0..<512 { bytes.writeInteger(UInt64.random(in: 0...UInt64.max)) }
        ClientBootstrap(group: loop).connect(host: "127.0.0.1", port: port).assumeIsolated().whenComplete {
            [self] result in
            guard case .success(let channel) = result else { return again { $0.garbage() } }
            channel.writeAndFlush(bytes, promise: nil)
            channel.closeFuture.assumeIsolated().whenComplete { [self] _ in again { $0.garbage() } }
        }
    }
}
