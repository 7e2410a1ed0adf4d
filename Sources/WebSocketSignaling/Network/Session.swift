internal import CallAgent
internal import Logging
internal import NIOCore
internal import NIOWebSocket

/// The state of a ``WebSocketSignaling`` over all of its connections.
///
/// Runs on its event loop only.
final class Session: LinkDelegate {
    private let configuration: WebSocketSignalingConfiguration
    private let queue: EventQueue
    private let logger: Logger
    private let loop: any EventLoop
    private var phase = Phase.idle
    private var backoff: Backoff

    private enum Phase {
        /// Can transition to: connecting, closed.
        case idle
        /// The first connection is being made. Can transition to: connected, idle, closed.
        case connecting(Attempt)
        /// Can transition to: waiting, closing.
        case connected(Account, LinkHandler)
        /// The connection was lost and is tried again after a while. Can transition to: reconnecting, closed.
        case waiting(Account, Scheduled<Void>)
        /// Can transition to: connected, waiting, closed.
        case reconnecting(Account, Attempt)
        /// Can transition to: closed.
        case closing(EventLoopPromise<Void>)
        case closed
    }

    /// Who is signed in where.
    private struct Account {
        var user: String
        var url: SignalingURL
    }

    init(configuration: WebSocketSignalingConfiguration, queue: EventQueue, logger: Logger, loop: any EventLoop) {
        self.configuration = configuration
        self.queue = queue
        self.logger = logger
        self.loop = loop
        backoff = Backoff(shortest: configuration.shortestRetryDelay, longest: configuration.longestRetryDelay)
    }

    // MARK: What the application wants

    func connect(as user: String, to url: SignalingURL) -> EventLoopFuture<Void> {
        switch phase {
        case .idle: break
        case .connected(let account, _), .waiting(let account, _), .reconnecting(let account, _):
            guard account.user != user else { return loop.makeSucceededVoidFuture() }
            return failed(.signInRefused(code: 409, text: "this transport is signed in as \(account.user) already"))
        case .connecting: return failed(.signInRefused(code: 409, text: "this transport is signing in already"))
        case .closing, .closed: return failed(.closed)
        }
        let account = Account(user: user, url: url)
        let promise = loop.makePromise(of: Void.self)
        let attempt = attempt(account)
        phase = .connecting(attempt)
        attempt.start { [self] result in
            switch result {
            case .success(let link):
                connected(account, link)
                promise.succeed()
            case .failure(let error):
                if case .connecting = phase { phase = .idle }
                promise.fail(error)
            }
        }
        return promise.futureResult
    }

    func send(_ text: String) -> EventLoopFuture<Void> {
        switch phase {
        case .connected(_, let link):
            guard let written = link.send(text) else { return failed(.notConnected) }
            // Whatever it was, the connection is gone with it and is reported as an event.
            return written.flatMapErrorThrowing { _ in throw SignalingError.notConnected }
        case .closing, .closed: return failed(.closed)
        case .idle, .connecting, .waiting, .reconnecting: return failed(.notConnected)
        }
    }

    func close() -> EventLoopFuture<Void> {
        let phaseBefore = phase
        switch phaseBefore {
        case .connected(_, let link):
            let promise = loop.makePromise(of: Void.self)
            phase = .closing(promise)
            link.close(.normalClosure, reason: "closed by this end")
            return promise.futureResult
        case .closing(let promise): return promise.futureResult
        case .closed: return loop.makeSucceededVoidFuture()
        case .idle, .connecting, .waiting, .reconnecting: finish()
        }
        switch phaseBefore {
        case .connecting(let attempt), .reconnecting(_, let attempt): attempt.abort()
        case .waiting(_, let timer): timer.cancel()
        case .idle, .connected, .closing, .closed: break
        }
        return loop.makeSucceededVoidFuture()
    }

    // MARK: What the connection reports

    func link(_ link: LinkHandler, answered reply: ServerReply?) {}

    func link(_ link: LinkHandler, received text: String) {
        guard !queue.put(.received(text)) else { return }
        link.pauseReading()
        let link = NIOLoopBound(link, eventLoop: loop)
        queue.whenThereIsRoom { link.eventLoop.execute { link.value.resumeReading() } }
    }

    func linkEnded(_ link: LinkHandler, text: String) {
        switch phase {
        case .connected(let account, let current) where current === link:
            logger.notice("signaling connection lost", metadata: ["user": "\(account.user)", "reason": "\(text)"])
            // The phase first: whoever takes the event may send at once.
            retry(account)
            _ = queue.put(.disconnected(text: text))
        case .closing: finish()
        default: break
        }
    }

    // MARK: Steps

    private func connected(_ account: Account, _ link: LinkHandler) {
        link.delegate = self
        phase = .connected(account, link)
        backoff.reset()
        logger.info("signed in", metadata: ["user": "\(account.user)"])
    }

    private func retry(_ account: Account) {
        let pause = backoff.pause(chance: .random(in: 0...1))
        let timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(pause)) { [weak self] in
            guard let self else { return }
            reconnect(account)
        }
        phase = .waiting(account, timer)
    }

    private func reconnect(_ account: Account) {
        guard case .waiting = phase else { return }
        let attempt = attempt(account)
        phase = .reconnecting(account, attempt)
        attempt.start { [self] result in
            guard case .reconnecting = phase else { return }
            switch result {
            case .success(let link):
                connected(account, link)
                _ = queue.put(.reconnected)
            case .failure(let error):
                // A refusal is tried again like the rest: the server may not have noticed yet that the old connection died.
                logger.debug("reconnecting failed", metadata: ["user": "\(account.user)", "reason": "\(error)"])
                retry(account)
            }
        }
    }

    private func attempt(_ account: Account) -> Attempt {
        Attempt(url: account.url, user: account.user, configuration: configuration, loop: loop)
    }

    private func finish() {
        let phaseBefore = phase
        phase = .closed
        queue.finish()
        if case .closing(let promise) = phaseBefore { promise.succeed() }
    }

    private func failed(_ error: SignalingError) -> EventLoopFuture<Void> { loop.makeFailedFuture(error) }
}
