internal import CallAgent
internal import Logging
internal import NIOCore
internal import NIOWebSocket

/// The state of a ``WebSocketTransport`` across all of its connections.
///
/// Runs on its event loop only.
final class Session: LinkDelegate {
    private let configuration: WebSocketTransportConfiguration
    private let queue: SignalingEventQueue
    private let logger: Logger
    private let loop: any EventLoop
    private let provider: (@Sendable () async throws -> String)?
    private var phase = Phase.idle
    private var backoff: Backoff
    /// The last refusal that was reported to the application, while it is repeated.
    private var reportedRefusal: String?
    private var hasWarnedOfPlainToken = false
    /// The network changed, or a peer is silent: if the connection ends before this, no pause is needed, since the server is not the cause.
    private var checkedUntil = NIODeadline.uptimeNanoseconds(0)
    /// How long the last sign-in took.
    private var signInTime = Duration.zero
    /// The latest STUN and TURN servers.
    private var iceServers: [IceServer] = []
    private let renewal = PendingAnswer()
    /// Nil without a provider.
    private let tokenRenewal: TokenRenewal?
    /// The renewal that this end started itself, while it runs.
    private var ownRenewal: EventLoopFuture<Void>?
    private let presenceWatch: PresenceWatch

    /// The shortest time for an answer to a check, for a server that is busy.
    private static let shortestCheck = Duration.milliseconds(100)

    private enum Phase {
        /// Can transition to: connecting, closed.
        case idle
        /// The first connection is being made. Can transition to: connected, idle, closed.
        case connecting(Attempt)
        /// Can transition to: waiting, closing.
        case connected(Account, LinkHandler)
        /// The connection was lost and is retried after a while. Can transition to: reconnecting, closed.
        case waiting(Account, Scheduled<Void>)
        /// Can transition to: connected, waiting, closed.
        case reconnecting(Account, Attempt)
        /// Can transition to: closed.
        case closing(EventLoopPromise<Void>)
        case closed
    }

    init(
        configuration: WebSocketTransportConfiguration, provider: (@Sendable () async throws -> String)?,
        queue: SignalingEventQueue, logger: Logger, loop: any EventLoop
    ) {
        self.configuration = configuration
        self.provider = provider
        self.queue = queue
        self.logger = logger
        self.loop = loop
        presenceWatch = PresenceWatch(loop: loop)
        tokenRenewal = provider.map { TokenRenewal(provider: $0, loop: loop) }
        backoff = Backoff(shortest: configuration.shortestRetryDelay, longest: configuration.longestRetryDelay)
        tokenRenewal?.onFailure = { [weak self] in self?.notRenewed($0) }
    }

    // MARK: Operations of the application

    /// The result are the STUN and TURN servers of the sign-in.
    func connect(_ account: Account) -> EventLoopFuture<[IceServer]> {
        switch phase {
        case .idle: break
        case .connected(let present, _), .waiting(let present, _), .reconnecting(let present, _):
            guard present.user != account.user else { return loop.makeSucceededFuture(iceServers) }
            return failed(.signInRefused(code: 409, text: "this transport is signed in as \(present.user) already"))
        case .connecting: return failed(.signInRefused(code: 409, text: "this transport is signing in already"))
        case .closing, .closed: return failed(.closed)
        }
        let promise = loop.makePromise(of: [IceServer].self)
        let attempt = attempt(account)
        phase = .connecting(attempt)
        attempt.start { [self] result in
            switch result {
            case .success(let success):
                connected(account, success)
                if let offer = success.reply.iceServers { _ = take(offer) }
                promise.succeed(iceServers)
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
            // After any error the connection is gone, which an event reports.
            return written.flatMapErrorThrowing { _ in throw SignalingError.notConnected }
        case .closing, .closed: return failed(.closed)
        case .idle, .connecting, .waiting, .reconnecting: return failed(.notConnected)
        }
    }

    /// Finds out whether the connection works; ends a pause between two attempts.
    func checkConnection() -> EventLoopFuture<Void> {
        switch phase {
        case .connected(_, let link):
            // A sign-in takes three round trips and more, a ping one. If its answer takes longer than that, another sign-in costs less than the wait.
            let limit = min(configuration.checkTimeout, max(Self.shortestCheck, signInTime))
            checkedUntil = .now() + TimeAmount(limit) + .seconds(1)
            link.check(within: limit)
        case .waiting(let account, let timer):
            timer.cancel()
            reconnect(account)
        case .idle, .connecting, .reconnecting, .closing, .closed: break
        }
        return loop.makeSucceededVoidFuture()
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

    /// Uses a new token for the current sign-in, or for the next one if there is none.
    func renew(token: String) -> EventLoopFuture<Void> {
        if let ownRenewal {
            let promise = loop.makePromise(of: Void.self)
            ownRenewal.assumeIsolated().whenComplete { [self] _ in renew(token: token).cascade(to: promise) }
            return promise.futureResult
        }
        switch phase {
        case .connected(var account, let link):
            let late = SignalingError.unreachable(account.url.text, text: "no answer to the new token")
            let limit = TimeAmount(configuration.connectTimeout)
            guard let answer = renewal.begin(on: loop, within: limit, late: late) else {
                return failed(.signInRefused(code: 409, text: "another token is being renewed already"))
            }
            warnOfPlainToken(account.url)
            guard link.send(SignInRequest.renewal(token: token)) != nil else {
                renewal.end(.failure(.notConnected))
                return answer
            }
            account.token = token
            let renewed = account
            return answer.assumeIsolated().map { [self] in
                guard case .connected(_, let current) = phase, current === link else { return }
                phase = .connected(renewed, link)
                tokenRenewal?.took(token)
            }.nonisolated()
        case .waiting(var account, let timer):
            timer.cancel()
            account.token = token
            backoff.reset()
            retry(account)
        case .reconnecting(var account, let attempt):
            // The attempt in progress has the old token; when it ends, the next one uses this token.
            account.token = token
            phase = .reconnecting(account, attempt)
        case .idle, .connecting: return failed(.notConnected)
        case .closing, .closed: return failed(.closed)
        }
        return loop.makeSucceededVoidFuture()
    }

    /// The current token expires soon.
    private func renewByItself(left milliseconds: Int, on link: LinkHandler) {
        // Bounded, whatever the server sends.
        let left = TimeAmount.milliseconds(Int64(min(milliseconds, 86_400_000)))
        tokenRenewal?.warned(left: left) { [weak self] token in
            guard let self, case .connected(_, let current) = phase, current === link, !renewal.isOpen else { return }
            let answer = renew(token: token)
            ownRenewal = answer
            answer.assumeIsolated().whenComplete { [self] outcome in
                ownRenewal = nil
                switch outcome {
                case .success: _ = queue.put(.tokenRenewed)
                // The next sign-in gets the next token.
                case .failure(SignalingError.notConnected), .failure(SignalingError.closed): break
                case .failure(let error): notRenewed("\(error)")
                }
            }
        }
    }

    /// The current token stays in use; when it expires, the next sign-in asks again.
    private func notRenewed(_ text: String) {
        logger.warning("the sign-in was not renewed", metadata: ["reason": "\(text)"])
        _ = queue.put(.tokenNotRenewed(text: text))
    }

    /// Watches these users instead of the former ones; the stream ends with the next call, a refusal, or the transport.
    ///
    /// The result is a number for ``unwatch(_:)``.
    func watch(_ whom: PresenceWatch.Whom, inbox: AsyncStream<Presence>.Continuation) -> EventLoopFuture<Int> {
        switch phase {
        case .connected(let account, let link):
            let late = SignalingError.unreachable(account.url.text, text: "no answer to the watch request")
            return presenceWatch.begin(whom, inbox: inbox, on: link, within: configuration.connectTimeout, late: late)
        case .waiting, .reconnecting: return loop.makeSucceededFuture(presenceWatch.begin(whom, inbox: inbox))
        case .idle, .connecting: return loop.makeFailedFuture(SignalingError.notConnected)
        case .closing, .closed: return loop.makeFailedFuture(SignalingError.closed)
        }
    }

    /// That stream has no reader any more.
    func unwatch(_ number: Int) {
        let link: LinkHandler? = if case .connected(_, let link) = phase { link } else { nil }
        presenceWatch.end(number, on: link)
    }

    // MARK: Reports of the connection

    private func take(_ offer: OfferedIceServers) -> SignalingTransportEvent {
        iceServers = offer.servers
        return .iceServers(offer.servers, validForMs: offer.validForMs)
    }

    private func take(_ notice: ServerNotice) {
        switch notice {
        case .renewed: renewal.end(.success(()))
        case .renewalRefused(let code, let text): renewal.end(.failure(.signInRefused(code: code, text: text)))
        case .watching, .watchRefused, .presence: presenceWatch.take(notice)
        case .tokenWillExpire, .iceServers: break
        }
    }

    func link(_ link: LinkHandler, answered reply: ServerReply?) {}

    func link(_ link: LinkHandler, received text: String) {
        let event: SignalingTransportEvent
        switch ServerNotice(decoding: text) {
        case .tokenWillExpire(let milliseconds):
            event = .tokenWillExpire(milliseconds: milliseconds)
            renewByItself(left: milliseconds, on: link)
        case .iceServers(let offer): event = take(offer)
        case .some(let notice): return take(notice)
        case nil: event = .received(text)
        }
        guard !queue.put(event) else { return }
        link.pauseReading()
        let link = NIOLoopBound(link, eventLoop: loop)
        queue.whenThereIsRoom { link.eventLoop.execute { link.value.resumeReading() } }
    }

    func linkEnded(_ link: LinkHandler, text: String) {
        switch phase {
        case .connected(let account, let current) where current === link:
            tokenRenewal?.cancel()
            logger.notice("signaling connection lost", metadata: ["user": "\(account.user)", "reason": "\(text)"])
            // Signing in again would sign out the other program in turn, and so on forever.
            guard !text.contains("(1008: replaced") else {
                _ = queue.put(.ended(.replaced(text: text)))
                return finish()
            }
            // The phase changes first: the receiver of the event may send at once.
            retry(account, isUrgent: .now() < checkedUntil)
            renewal.end(.failure(.notConnected))
            presenceWatch.connectionLost()
            _ = queue.put(.disconnected(text: text))
        case .closing: finish()
        default: break
        }
    }

    // MARK: Steps

    private func connected(_ account: Account, _ success: Attempt.Success) {
        var account = account
        account.resume = success.reply.resume
        success.link.delegate = self
        phase = .connected(account, success.link)
        signInTime = success.duration
        backoff.reset()
        reportedRefusal = nil
        tokenRenewal?.took(success.token)
        if let unixMs = success.reply.unixMs { _ = queue.put(.clock(unixMs: unixMs)) }
        logger.info("signed in", metadata: ["user": "\(account.user)"])
    }

    private func reconnectFailed(_ account: Account, _ error: SignalingError) {
        // A taken name is retried like other failures: the server may not have noticed yet that the old connection died. A failure
        // that only another token can fix is reported to the application.
        guard case .signInRefused(let code, let text) = error, [401, 403, 410].contains(code) else {
            return retry(account)
        }
        retry(account, isHopeless: provider == nil)
        guard reportedRefusal != text else { return }
        reportedRefusal = text
        _ = queue.put(.disconnected(text: error.description))
    }

    /// Connects again after a pause.
    ///
    /// `isHopeless` is for failures that retrying cannot fix: the pause is the longest. With `isUrgent` there is none.
    private func retry(_ account: Account, isHopeless: Bool = false, isUrgent: Bool = false) {
        let chance = Double.random(in: 0...1)
        let pause =
            isUrgent ? .zero : isHopeless ? backoff.longestPause(chance: chance) : backoff.pause(chance: chance)
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
            guard case .reconnecting(let account, _) = phase else { return }
            switch result {
            case .success(let success):
                connected(account, success)
                if let offer = success.reply.iceServers { _ = queue.put(take(offer)) }
                _ = queue.put(.reconnected)
                presenceWatch.resume(on: success.link)
            case .failure(let error):
                logger.debug("reconnecting failed", metadata: ["user": "\(account.user)", "reason": "\(error)"])
                reconnectFailed(account, error)
            }
        }
    }

    private func attempt(_ account: Account) -> Attempt {
        if provider != nil || account.token != nil { warnOfPlainToken(account.url) }
        return Attempt(account, configuration: configuration, provider: provider, loop: loop)
    }

    /// Warns once that others on the network path can read the token and sign in with it.
    private func warnOfPlainToken(_ url: SignalingURL) {
        guard !hasWarnedOfPlainToken, !url.isSecure, !url.isLoopback else { return }
        hasWarnedOfPlainToken = true
        logger.warning("the token goes to another host unencrypted; use wss://", metadata: ["host": "\(url.host)"])
    }

    private func finish() {
        let phaseBefore = phase
        phase = .closed
        tokenRenewal?.cancel()
        queue.finish()
        renewal.end(.failure(.closed))
        presenceWatch.finish()
        if case .closing(let promise) = phaseBefore { promise.succeed() }
    }

    private func failed<Value: Sendable>(_ error: SignalingError) -> EventLoopFuture<Value> {
        loop.makeFailedFuture(error)
    }
}
