internal import CallAgent
internal import NIOCore
internal import NIOPosix
internal import NIOWebSocket
internal import WebSocketClient

/// One attempt to connect, upgrade and sign in, within one time limit.
///
/// Runs on its event loop only.
final class Attempt: LinkDelegate {
    private let account: Account
    private var url: SignalingURL { account.url }
    private let configuration: WebSocketTransportConfiguration
    /// Returns the token of this sign-in.
    private let provider: (@Sendable () async throws -> String)?
    private var asking: Task<Void, Never>?
    private var request: SignInRequest
    private let loop: any EventLoop
    private var channel: (any Channel)?
    private var link: LinkHandler?
    private var deadline: Scheduled<Void>?
    private var start = NIODeadline.now()
    private var result: Result<Success, SignalingError>?
    private var report: ((Result<Success, SignalingError>) -> Void)?

    /// A signed-in connection.
    struct Success {
        var link: LinkHandler
        var reply: ServerReply.SignedIn
        /// The token of the sign-in.
        var token: String?
        /// From the beginning of the connection to the server's answer: at least two round trips.
        var duration: Duration
    }

    /// Without a `provider`, the token of the account is used, if there is one.
    init(
        _ account: Account, configuration: WebSocketTransportConfiguration,
        provider: (@Sendable () async throws -> String)?, loop: any EventLoop
    ) {
        self.account = account
        self.configuration = configuration
        self.provider = provider
        self.loop = loop
        request = SignInRequest(
            user: account.user, device: account.device, token: account.token, resume: account.resume)
    }

    /// Starts the attempt.
    ///
    /// Calls `report` once, after the connect timeout at the latest. The call runs in the same turn of the event loop that read the
    /// server's answer, so that no message arrives before it.
    func start(report: @escaping (Result<Success, SignalingError>) -> Void) {
        self.report = report
        let limit = TimeAmount(configuration.connectTimeout)
        deadline = loop.assumeIsolated().scheduleTask(in: limit) { [weak self] in
            self?.fail("no answer within \(limit.nanoseconds / 1_000_000) ms")
        }
        guard let provider else { return connect() }
        let promise = loop.makePromise(of: String.self)
        asking = promise.completeWithTask { try await provider() }
        promise.futureResult.assumeIsolated().whenComplete { [self] outcome in
            switch outcome {
            case .success(let token) where SignInRequest.isPlain(token, longest: SignInRequest.longestToken):
                request.token = token
                connect()
            case .success:
                let text = "the token to sign in with is empty, too long or no ASCII"
                finish(.failure(.signInRefused(code: 403, text: text)))
            case .failure(let error):
                let text = SignalingLimits.bounded("there is no token to sign in with: \(error)")
                finish(.failure(.signInRefused(code: 401, text: text)))
            }
        }
    }

    private func connect() {
        guard result == nil else { return }
        start = .now()
        ClientBootstrap(group: loop)
            .connectTimeout(TimeAmount(configuration.connectTimeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: url.host, port: url.port)
            .assumeIsolated()
            .whenComplete { [self] outcome in
                switch outcome {
                case .success(let channel): connected(channel)
                case .failure(let error): fail(HandshakeFailure.text(error))
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
        let handshake = WebSocketHandshake(
            host: url.host, isAddress: url.isAddress, hostField: url.hostField, target: url.target, tls: account.tls,
            maximumFrameBytes: SignalingLimits.messageBytes)
        handshake.begin(
            on: channel, upgraded: { try attempt.value.upgraded($0) },
            // Not earlier: writes are refused while the pipeline changes.
            isOpen: { attempt.value.link?.signIn() }, fail: { attempt.value.fail($0) })
    }

    private func upgraded(_ channel: any Channel) throws {
        let aggregator = NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1_024,
            maxAccumulatedFrameSize: SignalingLimits.messageBytes)
        let link = LinkHandler(request: request, configuration: configuration, delegate: self)
        try channel.pipeline.syncOperations.addHandlers([aggregator, link])
        self.link = link
    }

    // MARK: The link, until it is signed in

    func link(_ link: LinkHandler, answered reply: ServerReply?) {
        switch reply {
        case .signedIn(let reply):
            let duration = Duration.nanoseconds((NIODeadline.now() - start).nanoseconds)
            finish(.success(Success(link: link, reply: reply, token: request.token, duration: duration)))
        case .refused(let code, let text): finish(.failure(.signInRefused(code: code, text: text)))
        case nil: fail("the server does not speak the signaling protocol")
        }
    }

    func link(_ link: LinkHandler, received text: String) {}

    func linkEnded(_ link: LinkHandler, text: String) { fail(text) }

    // MARK: The end

    private func fail(_ text: String) { finish(.failure(.unreachable(url.text, text: text))) }

    private func finish(_ result: Result<Success, SignalingError>) {
        guard self.result == nil else { return }
        self.result = result
        deadline?.cancel()
        asking?.cancel()
        if case .failure = result { channel?.close(promise: nil) }
        (channel, link) = (nil, nil)
        report.take()?(result)
    }
}
