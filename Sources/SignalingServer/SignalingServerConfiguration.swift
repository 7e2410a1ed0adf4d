internal import NIOCore

/// Where a ``SignalingServer`` listens, and the bounds that it keeps (`docs/signaling.md`).
public struct SignalingServerConfiguration: Sendable, Equatable {
    /// The address to listen on, an IP address or a name that resolves to one of this machine.
    public var host: String
    /// The port to listen on; 0 lets the system choose a free one.
    public var port: Int
    /// The longest message and the longest frame, in bytes.
    ///
    /// Beyond it a connection is closed with 1009.
    public var messageBytes = 65_536
    /// How long a client may take to upgrade to WebSocket, and then again to sign in.
    public var signInTimeout: Duration = .seconds(5)
    /// How long a connection may be silent before the server pings it.
    public var pingInterval: Duration = .seconds(5)
    /// How long a connection may be silent in spite of pings before it is closed.
    public var silenceTimeout: Duration = .seconds(20)
    /// How many calls one connection may have invited to that have not ended; one more is answered with error 429.
    public var callsPerConnection = 256
    /// How many bytes may wait for one client to read them; beyond it the client is given up with 1008.
    public var pendingBytes = 1_048_576
    /// How many user names the server remembers, to tell a user who left (480) from one that never was (404).
    public var rememberedUsers = 100_000
    /// How long a closing connection may take to answer, and ``SignalingServer/shutdown()`` in all.
    public var closeTimeout: Duration = .seconds(2)

    /// Makes a configuration with the bounds of `docs/signaling.md`.
    public init(host: String = "127.0.0.1", port: Int = 8080) {
        self.host = host
        self.port = port
    }

    /// Checks every field, so that nothing below meets a value that it cannot work with.
    func check() throws(SignalingServerError) {
        try require(!host.isEmpty, "host", "is empty")
        try require((0...65_535).contains(port), "port", "\(port) is not in 0...65535")
        // A sign-in needs some room, and a frame's length goes through 32 bits.
        try require(
            (256...16_777_216).contains(messageBytes), "messageBytes", "\(messageBytes) is not in 256...16777216")
        try require(callsPerConnection >= 0, "callsPerConnection", "\(callsPerConnection) is negative")
        try require(pendingBytes >= messageBytes, "pendingBytes", "\(pendingBytes) is less than messageBytes")
        try require(rememberedUsers > 0, "rememberedUsers", "\(rememberedUsers) is less than 1")
        let durations = [
            ("signInTimeout", signInTimeout), ("pingInterval", pingInterval), ("silenceTimeout", silenceTimeout),
            ("closeTimeout", closeTimeout),
        ]
        for (field, duration) in durations {
            let isUsable = duration >= .milliseconds(1) && duration <= .seconds(86_400)
            try require(isUsable, field, "\(duration) is not between 1 ms and one day")
        }
    }

    private func require(_ condition: Bool, _ field: String, _ text: String) throws(SignalingServerError) {
        guard condition else { throw .invalidConfiguration(field: field, text: text) }
    }
}
