import Glibc
import NIOCore
import NIOPosix
import Testing

/// A WebSocket client that writes raw bytes, so that it can break every rule.
///
/// It shares no code with the package, so both cannot have the same error.
final class RawClient: Sendable {
    struct Frame: Sendable, Equatable {
        var opcode: UInt8
        var payload: [UInt8]
        var text: String { String(decoding: payload, as: UTF8.self) }
        var closeCode: Int? { payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }
    }

    /// The response to the upgrade request: its head, and its body if the server refused.
    var response: String { inbox.response }
    /// The frames after the upgrade.
    var frames: Mailbox<Frame> { inbox.frames }
    private let inbox: RawInbox
    private let channel: any Channel

    private init(channel: any Channel, inbox: RawInbox) {
        self.channel = channel
        self.inbox = inbox
    }

    deinit { channel.close(promise: nil) }

    /// Connects and sends nothing.
    ///
    /// `receiveBuffer` is the number of bytes that the system buffers for a client that does not read; nil: the system's default, which may be large.
    static func open(port: Int, receiveBuffer: SocketOptionValue? = nil) async throws -> RawClient {
        let inbox = RawInbox()
        var bootstrap = ClientBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: receiveBuffer)
        }
        // Set before connecting, since a server may close at once.
        let channel =
            try await bootstrap
            .channelInitializer { $0.pipeline.addHandler(inbox) }
            .connect(host: "127.0.0.1", port: port).get()
        return RawClient(channel: channel, inbox: inbox)
    }

    /// Connects and upgrades.
    ///
    /// The key and the accept value are those of RFC 6455 section 1.3.
    static func connect(port: Int, path: String = "/", fields: String = "") async throws -> RawClient {
        let client = try await open(port: port)
        try await client.upgrade(path: path, fields: fields)
        let head = client.response.lowercased()
        try #require(head.hasPrefix("http/1.1 101 "))
        #expect(head.contains("sec-websocket-accept: s3ppLMBiTxaQ9kYGzzhZRbK+xOo=".lowercased()))
        return client
    }

    /// Requests a WebSocket upgrade and waits for the head of the response.
    ///
    /// `fields` are additional header lines, each with its line end.
    func upgrade(path: String = "/", host: String = "localhost", fields: String = "") async throws {
        try await send(
            bytes: Array(
                ("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\(fields)"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n").utf8))
        try await head()
    }

    /// The whole response to a plain request, such as `GET /healthz`.
    static func answer(
        _ line: String, host: String = "localhost", fields: String = "", port: Int
    ) async throws -> String {
        let client = try await open(port: port)
        try await client.send(bytes: Array("\(line) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n".utf8))
        try await client.end()
        return client.response
    }

    /// Waits for the head of the response.
    func head() async throws {
        try #require(try await inbox.heads.next() != nil, "the server closed the connection")
    }

    /// Connects, upgrades and signs in.
    static func signedIn(
        _ user: String, device: String? = nil, token: String? = nil, port: Int
    ) async throws -> RawClient {
        let client = try await connect(port: port)
        try await client.send(signIn(user, device: device, token: token))
        let answer = try await client.text()
        try #require(
            answer.hasPrefix(#"{"v":1,"type":"signedIn","user":"\#(user)","device":"\#(device ?? "main")","#),
            "\(answer)")
        return client
    }

    /// Signs in and then stops reading.
    static func deaf(_ user: String, port: Int) async throws -> RawClient {
        let client = try await open(port: port, receiveBuffer: 16_384)
        try await client.upgrade()
        try await client.send(signIn(user))
        _ = try await client.text()
        try await client.read(false)
        return client
    }

    static func signIn(
        _ user: String, device: String? = nil, token: String? = nil, resume: String? = nil
    ) -> String {
        func field(_ name: String, _ value: String?) -> String { value.map { #","\#(name)":"\#($0)""# } ?? "" }
        return #"{"v":1,"type":"signIn","user":"\#(user)""# + field("device", device) + field("token", token)
            + field("resume", resume) + "}"
    }

    // MARK: Sending

    func send(_ text: String) async throws { try await send(opcode: 1, Array(text.utf8)) }

    func send(
        opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, isMasked: Bool = true, reserved: UInt8 = 0
    ) async throws {
        try await send(
            bytes: Self.bytes(opcode: opcode, payload, isFinal: isFinal, isMasked: isMasked, reserved: reserved))
    }

    static func bytes(
        opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, isMasked: Bool = true, reserved: UInt8 = 0
    ) -> [UInt8] {
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch payload.count {
        case ...125: bytes.append(mask | UInt8(payload.count))
        case ...65_535: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(mask | 127)
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(payload.count >> shift & 0xFF)) }
        }
        guard isMasked else { return bytes + payload }
        let key: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        bytes += key
        for (index, byte) in payload.enumerated() { bytes.append(byte ^ key[index & 3]) }
        return bytes
    }

    func send(bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get() }

    // MARK: Receiving

    /// The next frame except pings and pongs; nil if the connection was closed.
    func frame() async throws -> Frame? {
        while let frame = try await frames.next() {
            if frame.opcode != 9, frame.opcode != 10 { return frame }
        }
        return nil
    }

    /// The next text message.
    func text() async throws -> String {
        let frame = try #require(try await frame(), "the connection was closed")
        try #require(frame.opcode == 1, "a frame with opcode \(frame.opcode), status \(frame.closeCode ?? 0)")
        return frame.text
    }

    /// The status that the server closes with; texts before it are dropped.
    ///
    /// Sends a close frame too, so that the socket is closed.
    func closeCode() async throws -> Int? {
        while let frame = try await frame() {
            guard frame.opcode == 8 else { continue }
            try? await send(opcode: 8, Array(frame.payload.prefix(2)))
            return frame.closeCode
        }
        return nil
    }

    /// Waits for the end of the connection.
    func end() async throws { while try await frames.next() != nil {} }

    // MARK: Protocol violations

    /// Stops or starts reading from the system's receive buffer.
    func read(_ isReading: Bool) async throws { try await channel.setOption(.autoRead, value: isReading).get() }

    /// Closes with a TCP reset, like a crashed machine or a router.
    func cut() async throws {
        let socket = try #require(channel as? any SocketOptionProvider)
        try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close().get()
    }

    /// Closes the socket without the WebSocket handshake.
    func close() async { try? await channel.close().get() }
}
