internal import CallAgent
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import TransportSecurity

/// The socket of an endpoint.
struct EndpointListener: Sendable {
    /// Answers a whole request; cancelled when the client goes away.
    typealias Answer = @Sendable (HTTPRequestHead, _ body: String) async -> EndpointReply

    let url: String
    private let channel: any Channel

    /// Listens until ``close()``.
    static func start(
        _ configuration: WHIPEndpointConfiguration, answer: @escaping Answer
    ) async throws(SignalingError) -> EndpointListener {
        let (host, port) = (configuration.host, configuration.port)
        let tls = try context(configuration.tls, for: "\(host):\(port)")
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        // All connections are on one loop, so that their number needs no lock.
        let count = NIOLoopBoundBox.makeBoxSendingValue(0, eventLoop: loop)
        let (limit, isPublic) = (configuration.connections, configuration.user != nil)
        let requestLimit = TimeAmount(min(max(configuration.requestLimit, .milliseconds(1)), .seconds(3_600)))
        do {
            let channel = try await ServerBootstrap(group: loop)
                .serverChannelOption(.backlog, value: 256)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard count.value < limit else { throw ChannelError.ioOnClosedChannel }
                        count.value += 1
                        channel.closeFuture.whenComplete { _ in count.value -= 1 }
                        let pipeline = channel.pipeline.syncOperations
                        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                        var http = NIOHTTPDecoderLimitConfiguration()
                        http.maxHeaderFieldSize = 8_192
                        http.maxHeaderListSize = 16_384
                        http.maxHeaderFieldCount = 64
                        try pipeline.configureHTTPServerPipeline(
                            withPipeliningAssistance: false, withEncoderConfiguration: .init(),
                            withDecoderLimitConfiguration: http)
                        try pipeline.addHandler(
                            EndpointHandler(within: requestLimit, isForPages: isPublic, answer: answer))
                    }
                }
                .bind(host: host, port: port).get()
            return EndpointListener(channel, isSecure: tls != nil, host: host)
        } catch {
            throw .cannotListen("\(host):\(port)", text: ListenFailure.text(error))
        }
    }

    private init(_ channel: any Channel, isSecure: Bool, host: String) {
        self.channel = channel
        let port = channel.localAddress?.port ?? 0
        url = "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    func close() async { try? await channel.close() }

    private static func context(
        _ files: WHIPEndpointConfiguration.TLSFiles?, for address: String
    ) throws(SignalingError) -> NIOSSLContext? {
        guard let files else { return nil }
        let certificate = ServerCertificate(chainFile: files.certificateChainFile, keyFile: files.privateKeyFile)
        do throws(ServerCertificate.Unusable) {
            return try certificate.context()
        } catch {
            throw .cannotListen(address, text: "\(error.file): \(error.text)")
        }
    }
}
