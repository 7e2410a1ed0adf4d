package import NIOCore
internal import NIOHTTP1
package import NIOSSL
internal import NIOWebSocket

/// The client's side of the WebSocket handshake (RFC 6455 section 4.1) on a TCP connection that is open already.
package struct WebSocketHandshake {
    /// The host; for TLS also the name that the certificate has to have.
    package var host: String
    /// Whether the host is an IP address, which certificates name differently.
    package var isAddress: Bool
    /// The value of the HTTP field `Host`.
    package var hostField: String
    /// Path and query.
    package var target: String
    /// The subprotocol that the server has to speak; nil: none is asked for.
    package var subprotocol: String?
    /// Nil: without TLS.
    package var tls: NIOSSLContext?
    /// The longest frame that is read, in bytes.
    package var maximumFrameBytes: Int

    package init(
        host: String, isAddress: Bool, hostField: String, target: String, subprotocol: String? = nil,
        tls: NIOSSLContext?, maximumFrameBytes: Int
    ) {
        (self.host, self.isAddress, self.hostField, self.target) = (host, isAddress, hostField, target)
        (self.subprotocol, self.tls, self.maximumFrameBytes) = (subprotocol, tls, maximumFrameBytes)
    }

    /// Adds what TLS and the handshake need to the pipeline of `channel`, and begins.
    ///
    /// Call it on the channel's event loop.
    ///
    /// - Parameters:
    ///   - upgraded: Adds the handlers of the frames; its errors are not collected into messages yet. Runs before the server's first frame is read.
    ///   - isOpen: Called when frames may be written.
    ///   - fail: Gets the reason for people when the handshake fails; may be called more than once, the first time counts.
    package func begin(
        on channel: any Channel, upgraded: @escaping @Sendable (any Channel) throws -> Void,
        isOpen: @escaping @Sendable () -> Void, fail: @escaping @Sendable (String) -> Void
    ) {
        do {
            try secure(channel, fail)
            try channel.pipeline.syncOperations
                .configureUpgradableHTTPClientPipeline(configuration: upgrade(upgraded, fail))
                .whenComplete { result in
                    switch result {
                    case .success(true): isOpen()
                    // The answer is still to be read, and says why.
                    case .success(false): break
                    case .failure(let error): fail(HandshakeFailure.text(error))
                    }
                }
        } catch {
            fail(HandshakeFailure.text(error))
        }
    }

    private func secure(_ channel: any Channel, _ fail: @escaping @Sendable (String) -> Void) throws {
        if let tls {
            // An IP address is not sent as the server name but is compared with the certificate separately.
            let handler = try NIOSSLClientHandler(context: tls, serverHostname: isAddress ? nil : host)
            let reader = TLSFailureReader { fail(HandshakeFailure.text($0)) }
            try channel.pipeline.syncOperations.addHandlers([handler, reader])
        }
    }

    /// The result of the upgrade is whether there was one.

    private func upgrade(
        _ upgraded: @escaping @Sendable (any Channel) throws -> Void, _ fail: @escaping @Sendable (String) -> Void
    ) -> NIOUpgradableHTTPClientPipelineConfiguration<Bool> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Bool>(
            maxFrameSize: maximumFrameBytes,
            // The user of the connection closes it with the status that fits, and waits for the answer.
            enableAutomaticErrorHandling: false,
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    try upgraded(channel)
                    return true
                }
            })
        var headers: HTTPHeaders = ["Host": hostField]
        if let subprotocol { headers.add(name: "Sec-WebSocket-Protocol", value: subprotocol) }
        let request = HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: headers)
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: request, upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let reader = HTTPAnswerReader { status in
                            fail("the server answered HTTP \(status.code) instead of a WebSocket")
                        }
                        try channel.pipeline.syncOperations.addHandler(reader)
                        return false
                    }
                }))
        // The server may send its first frame together with the answer to the upgrade.
        configuration.leftOverBytesStrategy = .forwardBytes
        return configuration
    }
}
