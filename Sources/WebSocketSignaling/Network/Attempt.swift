internal import CallAgent
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket

/// One attempt to connect, upgrade and sign in, within one time limit.
///
/// Runs on its event loop only.
final class Attempt: LinkDelegate {
    private let url: SignalingURL
    private let user: String
    private let configuration: WebSocketSignalingConfiguration
    private let loop: any EventLoop
    private var channel: (any Channel)?
    private var link: LinkHandler?
    private var deadline: Scheduled<Void>?
    private var result: Result<LinkHandler, SignalingError>?
    private var report: ((Result<LinkHandler, SignalingError>) -> Void)?

    init(url: SignalingURL, user: String, configuration: WebSocketSignalingConfiguration, loop: any EventLoop) {
        self.url = url
        self.user = user
        self.configuration = configuration
        self.loop = loop
    }

    /// Begins.
    ///
    /// Calls `report` once, at the latest after the connect timeout; in the same turn of the event loop that read the
    /// server's answer, so that no message comes before.
    func start(report: @escaping (Result<LinkHandler, SignalingError>) -> Void) {
        self.report = report
        let limit = TimeAmount(configuration.connectTimeout)
        deadline = loop.assumeIsolated().scheduleTask(in: limit) { [weak self] in
            self?.fail("no answer within \(limit.nanoseconds / 1_000_000) ms")
        }
        ClientBootstrap(group: loop)
            .connectTimeout(limit)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: url.host, port: url.port)
            .assumeIsolated()
            .whenComplete { [self] outcome in
                switch outcome {
                case .success(let channel): connected(channel)
                case .failure(let error): fail(FailureText.text(error))
                }
            }
    }

    /// Gives up; reports ``SignalingError/closed``.
    func abort() { finish(.failure(.closed)) }

    // MARK: Steps

    private func connected(_ channel: any Channel) {
        guard result == nil else { return channel.close(promise: nil) }
        self.channel = channel
        let attempt = NIOLoopBound(self, eventLoop: loop)
        do {
            try channel.pipeline.syncOperations
                .configureUpgradableHTTPClientPipeline(configuration: upgrade(attempt))
                .whenComplete { result in
                    switch result {
                    // Not earlier: what is written while the pipeline changes is refused.
                    case .success: attempt.value.link?.signIn()
                    case .failure(let error): attempt.value.fail(FailureText.text(error))
                    }
                }
        } catch {
            fail(FailureText.text(error))
        }
    }

    private func upgrade(_ attempt: NIOLoopBound<Attempt>) -> NIOUpgradableHTTPClientPipelineConfiguration<Void> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Void>(
            maxFrameSize: SignalingLimits.messageBytes,
            // The link closes with the status that the protocol names, and waits for the answer.
            enableAutomaticErrorHandling: false,
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try attempt.value.upgraded(channel) }
            })
        let request = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: url.target, headers: ["Host": url.hostField])
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: request, upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let reader = HTTPAnswerReader { status in
                            attempt.value.fail("the server answered HTTP \(status.code) instead of a WebSocket")
                        }
                        try channel.pipeline.syncOperations.addHandler(reader)
                    }
                }))
        // The server may send its first frame together with the answer to the upgrade.
        configuration.leftOverBytesStrategy = .forwardBytes
        return configuration
    }

    private func upgraded(_ channel: any Channel) throws {
        let aggregator = NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1_024,
            maxAccumulatedFrameSize: SignalingLimits.messageBytes)
        let link = LinkHandler(user: user, configuration: configuration, delegate: self)
        try channel.pipeline.syncOperations.addHandlers([aggregator, link])
        self.link = link
    }

    // MARK: The link, until it is signed in

    func link(_ link: LinkHandler, answered reply: ServerReply?) {
        switch reply {
        case .signedIn: finish(.success(link))
        case .refused(let code, let text): finish(.failure(.signInRefused(code: code, text: text)))
        case nil: fail("the server does not speak the signaling protocol")
        }
    }

    func link(_ link: LinkHandler, received text: String) {}

    func linkEnded(_ link: LinkHandler, text: String) { fail(text) }

    // MARK: The end

    private func fail(_ text: String) { finish(.failure(.unreachable(url.text, text: text))) }

    private func finish(_ result: Result<LinkHandler, SignalingError>) {
        guard self.result == nil else { return }
        self.result = result
        deadline?.cancel()
        if case .failure = result { channel?.close(promise: nil) }
        (channel, link) = (nil, nil)
        report.take()?(result)
    }
}
