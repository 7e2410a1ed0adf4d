public import CallAgent
internal import CallProtocol
internal import FoundationEssentials
public import Logging
internal import NIOCore
internal import NIOHTTP1

/// An agent as a media server: programs send media to it over WHIP (RFC 9725) at `/whip`, and watch it over WHEP (draft-ietf-wish-whep) at `/whep`.
///
/// Each session is an incoming call whose caller is the HTTP client. A POST is the invite, and its response waits until the agent accepts; PATCH brings
/// candidates and ICE restarts, DELETE hangs up. The response has the candidates that the agent finds within 2 s:
///
///     let endpoint = WHIPEndpoint(WHIPEndpointConfiguration(port: 8_889))
///     let agent = Agent(user: "camera", media: engine, signaling: endpoint, configuration: configuration)
///     try await agent.prepare()
///     for await call in agent.incomingCalls { try await call.accept() }
///
/// ``AgentConfiguration/earlyMedia`` has to be `.off` if the agent lets calls ring: a client knows nothing of the agent before the response, so checks before it would fail.
/// The invite's extension data say which endpoint it was: `endpoint` is `whip` or `whep`.
/// A client of `/whip` gets no media, a client of `/whep` sends none, whatever its offer allows. The media of a session does not change later. This end cannot call.
public actor WHIPEndpoint: SignalingTransport {
    /// The events of this transport, in order.
    ///
    /// For one consumer; ends with ``close()``.
    public nonisolated let events: AsyncStream<SignalingTransportEvent>
    /// True: nothing is lost between this end and the agent.
    public nonisolated let guaranteesDelivery = true

    /// The most events that wait for the agent; a client whose event is one more is refused.
    private static let maximumWaiting = 4_096
    /// How long an ICE restart may take until its response.
    private static let restartLimit = Duration.seconds(2)

    private let configuration: WHIPEndpointConfiguration
    private let logger: Logger
    private let sink: AsyncStream<SignalingTransportEvent>.Continuation
    private var user = ""
    private var listener: EndpointListener?
    private var entries: [String: Entry] = [:]
    private var requests = 0
    private var isClosed = false

    /// A session, and its request that waits for the agent.
    private struct Entry {
        let client: String
        let role: WHIPRole
        /// The token that began it; it also ends it when it has expired meanwhile.
        let token: String?
        var session: EndpointSession
        var waiting: (request: Int, continuation: CheckedContinuation<EndpointReply, Never>)?
    }

    /// Makes an endpoint that does not listen yet.
    ///
    /// `logger` gets the log of sessions and of refused requests; a token is never logged.
    public init(_ configuration: WHIPEndpointConfiguration, logger: Logger = Logger(label: "whip-endpoint")) {
        (self.configuration, self.logger) = (configuration, logger)
        (events, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
    }

    /// The URL of the endpoint without the path of a role, such as `http://127.0.0.1:8889`; nil while it does not listen.
    public var url: String? { listener?.url }

    /// The number of sessions, also of those that ring.
    var sessions: Int { entries.count }

    /// Begins to listen; `user` is the agent.
    ///
    /// Does nothing if it listens already.
    ///
    /// - Throws: ``SignalingError/cannotListen(_:text:)``, ``SignalingError/closed``.
    @discardableResult
    public func connect(as user: String) async throws(SignalingError) -> [IceServer] {
        guard !isClosed else { throw .closed }
        guard listener == nil else { return [] }
        self.user = user
        let started = try await EndpointListener.start(configuration) { [weak self] head, body in
            await self?.answer(head, body: body) ?? .noSession
        }
        guard !isClosed else {
            await started.close()
            throw .closed
        }
        listener = started
        return []
    }

    /// Carries out one message of the agent.
    ///
    /// - Throws: ``SignalingError/malformed(_:)``.
    public func send(_ text: String, to user: String) async throws(SignalingError) {
        let message: SignalingMessage
        do { message = try SignalingMessage(decoding: text) } catch { throw .malformed(error) }
        guard let effects = entries[message.callId]?.session.take(message.body, generation: message.generation) else {
            if case .invite = message.body { refuse(message) }
            return
        }
        perform(effects, on: message.callId)
    }

    /// Clients call; nobody can call them.
    private func refuse(_ invite: SignalingMessage) {
        let fault = SignalingMessage.Fault(
            code: SignalingCode.unknownUser, text: "clients of a media server cannot be called", ref: invite.id)
        var answer = invite
        (answer.id, answer.from, answer.to, answer.body) = ("http0", "", user, .error(fault))
        if let text = try? answer.encoded() { sink.yield(.received(text)) }
    }

    /// Ends all sessions, stops listening, and ends ``events``.
    public func close() async {
        isClosed = true
        for id in entries.keys {
            resume(id, EndpointReply(refusing: .serviceUnavailable, "the endpoint stops"))
            end(id)
        }
        await listener?.close()
        listener = nil
        sink.finish()
    }

    // MARK: Requests

    private func answer(_ head: HTTPRequestHead, body: String) async -> EndpointReply {
        do throws(EndpointReply) {
            // A browser asks without a token whether it may ask.
            if head.method == .OPTIONS, configuration.user != nil { return await describe(to: head) }
            if configuration.user == nil { try refusePages(head) }
            switch try EndpointRequest(head, body: body) {
            case .describe: return await describe(to: head)
            case .open(let offer, let role): return await open(offer, role, for: try await client(of: head), head)
            case .change(let id, let fragment, let tag):
                try await require(id, for: head)
                return await change(id, fragment, tag: tag)
            case .end(let id):
                try await require(id, for: head)
                end(id)
                return EndpointReply(.ok)
            }
        } catch {
            logger.info(
                "request refused",
                metadata: [
                    "method": "\(head.method)", "status": "\(error.status.code)",
                    "reason": "\(error.body.prefix { $0 != "\n" })",
                ])
            return error
        }
    }

    /// What is here; a client that may open sessions also gets the STUN and TURN servers.
    private func describe(to head: HTTPRequestHead) async -> EndpointReply {
        var reply = EndpointReply(.noContent, headers: ["Accept-Post": "application/sdp"])
        guard (try? await client(of: head)) != nil else { return reply }
        for link in IceServerLink.links(to: configuration.iceServers) { reply.headers.add(name: "Link", value: link) }
        return reply
    }

    private func refusePages(_ head: HTTPRequestHead) throws(EndpointReply) {
        guard !head.headers.contains(name: "Origin") else {
            throw EndpointReply(refusing: .forbidden, "web pages need a token, and this endpoint takes none")
        }
    }

    private static func token(in head: HTTPRequestHead) -> String? {
        let parts = (head.headers.first(name: "Authorization") ?? "").split(separator: " ", maxSplits: 1)
        return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
    }

    /// The user that sends a request.
    private func client(of head: HTTPRequestHead) async throws(EndpointReply) -> String {
        guard let user = configuration.user else { return WHIPEndpointConfiguration.guest }
        let challenge: HTTPHeaders = ["WWW-Authenticate": "Bearer"]
        guard let token = Self.token(in: head) else {
            throw EndpointReply(refusing: .unauthorized, "a bearer token is needed", headers: challenge)
        }
        let name: String
        do {
            name = try await user(token)
        } catch {
            throw EndpointReply(refusing: .unauthorized, "\(error)", headers: challenge)
        }
        guard SignalingLimits.isName(name), name != self.user else {
            throw EndpointReply(refusing: .forbidden, "the token is for a name that cannot call")
        }
        return name
    }

    /// Whether the request may change or end the session: with the token that began it, or another one of its user.
    private func require(_ session: String, for head: HTTPRequestHead) async throws(EndpointReply) {
        if let token = entries[session]?.token, token == Self.token(in: head) { return }
        let client = try await client(of: head)
        guard entries[session]?.client == client else { throw .noSession }
    }

    private func open(
        _ offer: ClientOffer, _ role: WHIPRole, for client: String, _ head: HTTPRequestHead
    ) async -> EndpointReply {
        guard !isClosed else { return EndpointReply(refusing: .serviceUnavailable, "the endpoint stops") }
        let id = Self.newIdentifier()
        let path = EndpointRequest.path(role, session: id)
        let servers = configuration.iceServers
        let session = EndpointSession(of: offer, path: path, servers: servers)
        entries[id] = Entry(client: client, role: role, token: Self.token(in: head), session: session)
        logger.info(
            "session", metadata: ["client": "\(client)", "endpoint": "\(role.endpoint)", "session": "\(id.prefix(8))"])
        let longest = Duration.milliseconds(SignalingLimits.ringTimeoutMs)
        let ringMs = Int(min(max(configuration.ringTimeout, .milliseconds(1)), longest) / .milliseconds(1))
        var invite = SignalingMessage.Invite(media: offer.media, ringTimeoutMs: ringMs, sdp: offer.sdp)
        invite.state = offer.sends
        // The agent ends its ringing by itself; this is for one that does not.
        return await wait(for: .milliseconds(ringMs + 1_000), on: id, effects: [.deliver(.invite(invite))])
    }

    private func change(_ id: String, _ fragment: TrickleFragment, tag: String) async -> EndpointReply {
        guard let (reply, effects) = entries[id]?.session.change(fragment, tag: tag) else { return .noSession }
        if let reply {
            perform(effects, on: id)
            return reply
        }
        resume(id, EndpointReply(refusing: .conflict, "a later ICE restart replaced this one"))
        return await wait(for: Self.restartLimit, on: id, effects: effects)
    }

    private func end(_ id: String) {
        guard let effects = entries[id]?.session.end() else { return }
        perform(effects, on: id)
    }

    // MARK: Waiting for the agent

    /// Does something, and waits until the agent's answer makes a response of it.
    private func wait(
        for limit: Duration, on id: String, effects: [EndpointSession.Effect]
    ) async -> EndpointReply {
        requests += 1
        let request = requests
        let deadline = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            giveUp(request, on: id, isGone: false)
        }
        defer { deadline.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard entries[id] != nil else { return continuation.resume(returning: .noSession) }
                entries[id]?.waiting = (request, continuation)
                perform(effects, on: id)
                if Task.isCancelled { giveUp(request, on: id, isGone: true) }
            }
        } onCancel: {
            Task { await self.giveUp(request, on: id, isGone: true) }
        }
    }

    private func setDeadline(_ limit: Duration, on id: String) {
        guard let request = entries[id]?.waiting?.request else { return }
        Task {
            try? await Task.sleep(for: limit)
            giveUp(request, on: id, isGone: false)
        }
    }

    private func giveUp(_ request: Int, on id: String, isGone: Bool) {
        guard entries[id]?.waiting?.request == request, let effects = entries[id]?.session.giveUp(isGone: isGone) else {
            return
        }
        perform(effects, on: id)
    }

    private func resume(_ id: String, _ reply: EndpointReply) {
        guard let waiting = entries[id]?.waiting else { return }
        entries[id]?.waiting = nil
        waiting.continuation.resume(returning: reply)
    }

    private func perform(_ effects: [EndpointSession.Effect], on id: String) {
        for effect in effects {
            switch effect {
            case .deliver(let body, let generation):
                if let failure = deliver(body, generation, on: id) { fail(body, failure, on: id) }
            case .deliverLater(let candidates): deliverLater(candidates, on: id)
            case .reply(let reply): resume(id, reply)
            case .setDeadline(let limit): setDeadline(limit, on: id)
            case .end: entries[id] = nil
            }
        }
    }

    /// The agent did not get a message of the client.
    private func fail(_ body: SignalingMessage.Body, _ failure: EndpointReply, on id: String) {
        switch body {
        case .invite:
            resume(id, failure)
            entries[id] = nil
        case .iceRestart: perform(entries[id]?.session.giveUp(isGone: false) ?? [], on: id)
        default: break
        }
    }

    private func deliverLater(_ candidates: [SignalingMessage.Body], on id: String) {
        guard !candidates.isEmpty else { return }
        Task {
            try? await Task.sleep(for: EndpointSession.candidateDelay)
            perform(candidates.map { .deliver($0) }, on: id)
        }
    }

    /// Passes a message to the agent; returns why that was not possible.
    private func deliver(_ body: SignalingMessage.Body, _ generation: Int, on id: String) -> EndpointReply? {
        guard let entry = entries[id] else { return nil }
        requests += 1
        var message = SignalingMessage(
            id: "http\(requests)", callId: id, from: entry.client, to: user, generation: generation,
            sentUnixMs: Date().timeIntervalSince1970 * 1_000, body: body)
        if case .invite = body { message.extensionData = ["endpoint": entry.role.endpoint] }
        do {
            guard case .dropped = sink.yield(.received(try message.encoded())) else { return nil }
            return EndpointReply(refusing: .serviceUnavailable, "too much waits for the agent already")
        } catch {
            return EndpointReply(refusing: .badRequest, error.text)
        }
    }

    /// An identifier of 128 random bits: who knows it may end the session.
    private static func newIdentifier() -> String {
        (0..<4).map { _ in
            let digits = String(UInt32.random(in: 0...UInt32.max), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }
        .joined()
    }
}
