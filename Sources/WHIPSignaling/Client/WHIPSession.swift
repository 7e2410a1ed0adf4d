internal import CallAgent
internal import CallProtocol
internal import FoundationEssentials
internal import HTTPClient
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// The session of one call on the server: the resource that a POST makes, PATCH changes and DELETE ends.
///
/// It takes the caller's messages and answers in the place of a peer. Requests are sent one at a time, in the order of the messages.
actor WHIPSession {
    /// How long the server may take to end the session.
    private static let deletionLimit = TimeAmount.seconds(2)
    /// How long the end of the program waits for the answer to an offer.
    private static let answerPatience = Duration.seconds(1)
    /// The times between the attempts to have another network path.
    private static let restartPauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4), .seconds(8)]

    private let server: WHIPServer
    private let role: WHIPRole
    private let logger: Logger
    private let report: @Sendable (SignalingTransportEvent) -> Void
    private let callId: String
    private let caller: String
    private let callee: String
    private var replies = 0

    private var waiting: [SignalingMessage] = []
    private var work: Task<Void, Never>?
    /// The request or the pause that ``work`` waits for.
    private var current: Task<Result<Reply, HTTPFailure>, Never>?
    private var isEnding = false
    /// Whether nothing of it is left, neither on the server nor here.
    private(set) var isFinished = false
    /// Where the session is; nil before the server has it, and when it has it no more.
    private var resource: HTTPURL?
    private var entityTag: String?
    /// The fragment without candidates.
    private var fragment: TrickleFragment?
    private var takesCandidates = true

    private typealias Reply = (response: HTTPResponse, url: HTTPURL)

    /// The session of the call that `invite` begins; `report` gets the answers to its messages.
    init(
        of invite: SignalingMessage, on server: WHIPServer, as role: WHIPRole, logger: Logger,
        report: @escaping @Sendable (SignalingTransportEvent) -> Void
    ) {
        (self.server, self.role, self.logger, self.report) = (server, role, logger, report)
        (callId, caller, callee) = (invite.callId, invite.from, invite.to)
    }

    /// Takes the next message of the call.
    func take(_ message: SignalingMessage) {
        guard !isEnding, !isFinished else { return }
        switch message.body {
        case let body where body.isFarewell: end()
        // These do not wait for a slow server.
        case .query: reply(.status(.connected))
        // The first connection is the only one (RFC 9725 section 4.3).
        case .offer: reply(.rollback, message.generation)
        case .invite, .candidate, .iceRestart:
            guard message.generation == 0 else { return }
            waiting.append(message)
            if work == nil { work = Task { await self.run() } }
        // Nobody is there who could read messages, or learn what is muted.
        default: break
        }
    }

    /// Ends the session on the server, after what is under way.
    ///
    /// The answer to the offer is waited for, since only that says where the session is.
    private func end() {
        guard !isEnding else { return }
        isEnding = true
        waiting = []
        if resource != nil { current?.cancel() }
        let former = work
        work = Task {
            await former?.value
            await self.delete()
            self.isFinished = true
        }
    }

    /// Ends the session, and returns when that is done, or at least tried.
    func close() async {
        guard !isFinished else { return }
        end()
        let opening = current
        let patience = Task {
            guard (try? await Task.sleep(for: Self.answerPatience)) != nil else { return }
            opening?.cancel()
        }
        await work?.value
        patience.cancel()
    }

    private func run() async {
        while !waiting.isEmpty {
            let message = waiting.removeFirst()
            switch message.body {
            case .invite(let invite): await open(invite.sdp, inviteId: message.id)
            case .candidate(let candidate): await trickle([candidate.candidate] + nextCandidates())
            case .iceRestart(let parameters): await restart(parameters)
            default: break
            }
        }
        if !isEnding { work = nil }
    }

    /// The candidates at the head of the queue, so that one request carries all that have come meanwhile.
    private func nextCandidates() -> [String] {
        var candidates: [String] = []
        while case .candidate(let candidate)? = waiting.first?.body {
            candidates.append(candidate.candidate)
            waiting.removeFirst()
        }
        return candidates
    }

    /// Sends a request that the end of the call can cancel.
    private func send(
        _ method: HTTPMethod, to url: HTTPURL, headers: HTTPHeaders, body: String
    ) async -> Result<Reply, HTTPFailure> {
        let server = server
        let request = Task { () -> Result<Reply, HTTPFailure> in
            do throws(HTTPFailure) {
                return .success(try await server.send(method, to: url, headers: headers, body: body))
            } catch {
                return .failure(error)
            }
        }
        current = request
        defer { current = nil }
        return await request.value
    }

    // MARK: Beginning

    private func open(_ offer: String, inviteId: String) async {
        fragment = TrickleFragment(of: offer)
        let headers: HTTPHeaders = ["Content-Type": "application/sdp", "Accept": "application/sdp"]
        switch await send(.POST, to: server.endpoint, headers: headers, body: offer) {
        case .success(let reply): await begin(with: reply, inviteId: inviteId)
        case .failure(let failure):
            isFinished = true
            guard !failure.isCancelled, !isEnding else { return }
            refuse(503, "\(server.endpoint.text): \(failure.text)", inviteId: inviteId)
        }
    }

    private func begin(with answered: Reply, inviteId: String) async {
        let (response, url) = answered
        // Whatever it answers: what it has made has to be ended.
        if response.isSuccess { resource = location(in: response, from: url) }
        entityTag = response.headers.first(name: "ETag")
        guard !isEnding else { return }
        let answer = ServerAnswer(
            response, from: url, mayReceive: role == .player, hasToken: server.token != nil, inviteId: inviteId)
        switch answer {
        case .refused(let body):
            reply(body)
            await delete()
            isFinished = true
        case .accepted(let sdp, let sends):
            let servers = IceServerLink.servers(response.headers["Link"])
            if !servers.isEmpty { report(.iceServers(servers, validForMs: IceServerLink.validForMs)) }
            if resource == nil {
                logger.warning("\(url.text) did not say where the session is; it cannot be ended there")
            }
            guard !reply(.accept(sdp: sdp, state: sends)) else { return }
            refuse(488, "the server's SDP answer is longer than \(SignalingLimits.sdpBytes) bytes", inviteId: inviteId)
            await delete()
            isFinished = true
        }
    }

    private func location(in response: HTTPResponse, from url: HTTPURL) -> HTTPURL? {
        guard let text = response.headers.first(name: "Location") else { return nil }
        do throws(HTTPURL.Invalid) {
            return try url.following(text)
        } catch {
            logger.warning("the session of \(url.text) is nowhere that this end may go: \(error)")
            return nil
        }
    }

    // MARK: Changes

    private func trickle(_ candidates: [String]) async {
        guard takesCandidates, resource != nil, var fragment else { return }
        fragment.candidates = candidates
        guard let response = await patch(fragment, matching: entityTag), !response.isSuccess else { return }
        // The server may do without: it learns the addresses from the checks that arrive.
        logger.info("the server did not take candidates: it answered \(response.status)")
        if !response.isTransient { takesCandidates = false }
    }

    /// Asks for another network path (RFC 9725 section 4.3.3), some times if the server fails, unless a later restart replaces this one.
    private func restart(_ parameters: SignalingMessage.IceParameters) async {
        guard resource != nil, var restarted = fragment else { return }
        restarted.credentials = .init(fragment: parameters.fragment, password: parameters.password)
        for pause in Self.restartPauses + [nil] {
            // What comes next in the queue belongs to the new path, since the engine reports its parameters first.
            restarted.candidates += nextCandidates()
            guard !isEnding, !waiting.contains(where: { $0.body.isRestart }) else { return }
            if let response = await patch(restarted, matching: "*") {
                if response.isSuccess { return useOtherPath(response, of: parameters.restart, restarted) }
                if [404, 410].contains(response.status) {
                    (resource, isFinished) = (nil, true)
                    _ = reply(
                        .hangup(.init(code: SignalingCode.ended, text: "the server has ended the session")))
                    return
                }
                logger.warning("the server does not change the network path: it answered \(response.status)")
                // The candidates that follow belong to a path that the server does not know.
                if !response.isTransient {
                    takesCandidates = false
                    return
                }
            }
            guard !isEnding, let pause else { return }
            await wait(pause)
        }
    }

    private func useOtherPath(_ response: HTTPResponse, of restart: Int, _ restarted: TrickleFragment) {
        guard let answer = TrickleFragment(parsing: response.body) else {
            return logger.warning("the server's answer to an ICE restart has no credentials")
        }
        fragment = restarted
        fragment?.candidates = []
        takesCandidates = true
        entityTag = response.headers.first(name: "ETag") ?? entityTag
        reply(.iceRestart(answer.credentials.parameters(restart: restart)))
        for candidate in answer.messages { reply(candidate) }
    }

    private func patch(_ fragment: TrickleFragment, matching tag: String?) async -> HTTPResponse? {
        guard let resource else { return nil }
        var headers: HTTPHeaders = ["Content-Type": TrickleFragment.contentType]
        if let tag { headers.add(name: "If-Match", value: tag) }
        switch await send(.PATCH, to: resource, headers: headers, body: fragment.text) {
        case .success(let answered): return answered.response
        case .failure(let failure):
            if !failure.isCancelled { logger.warning("\(resource.text): \(failure.text)") }
            return nil
        }
    }

    private func wait(_ pause: Duration) async {
        let pause = Task { () -> Result<Reply, HTTPFailure> in
            try? await Task.sleep(for: pause)
            return .failure(HTTPFailure(text: ""))
        }
        current = pause
        _ = await pause.value
        current = nil
    }

    // MARK: Answers and end

    private func refuse(_ code: Int, _ text: String, inviteId: String) {
        reply(.error(.init(code: code, text: SignalingLimits.bounded(text), ref: inviteId)))
    }

    /// Answers as the callee; false when the message cannot be written within the protocol's limits.
    @discardableResult
    private func reply(_ body: SignalingMessage.Body, _ generation: Int = 0) -> Bool {
        replies += 1
        let message = SignalingMessage(
            id: "whip\(replies)", callId: callId, from: callee, to: caller, generation: generation,
            sentUnixMs: Date().timeIntervalSince1970 * 1_000, body: body)
        do {
            report(.received(try message.encoded()))
            return true
        } catch {
            logger.warning("what the server answered cannot be used: \(error)")
            return false
        }
    }

    private func delete() async {
        guard let resource else { return }
        self.resource = nil
        do throws(HTTPFailure) {
            let response = try await server.send(.DELETE, to: resource, within: Self.deletionLimit).response
            guard !response.isSuccess, ![404, 410].contains(response.status) else { return }
            logger.warning("the server did not end the session: \(resource.text) answered \(response.status)")
        } catch {
            logger.warning("the server may still have the session: \(resource.text): \(error.text)")
        }
    }
}

extension SignalingMessage.Body {
    fileprivate var isRestart: Bool { if case .iceRestart = self { true } else { false } }
}

extension HTTPResponse {
    /// Whether the same request may succeed a little later.
    fileprivate var isTransient: Bool { [401, 408, 412, 429].contains(status) || status >= 500 && status != 501 }
}
