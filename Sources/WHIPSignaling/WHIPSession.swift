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

    private let server: WHIPServer
    private let role: WHIPTransport.Role
    private let report: @Sendable (SignalingTransportEvent) -> Void
    private let logger: Logger
    private let callId: String
    private let caller: String
    private let callee: String
    private var replies = 0

    private var waiting: [SignalingMessage] = []
    private var work: Task<Void, Never>?
    private var isEnding = false
    /// The request that makes the session.
    private var opening: Task<Result<(response: HTTPResponse, url: HTTPURL), HTTPFailure>, Never>?
    /// Where the session is; nil before the server has it.
    private var resource: HTTPURL?
    private var entityTag: String?
    /// The fragment without candidates.
    private var fragment: TrickleFragment?
    private var takesCandidates = true

    /// The session of the call that `invite` begins; `report` gets the answers to its messages.
    init(
        of invite: SignalingMessage, on server: WHIPServer, as role: WHIPTransport.Role, logger: Logger,
        report: @escaping @Sendable (SignalingTransportEvent) -> Void
    ) {
        (self.server, self.role, self.logger, self.report) = (server, role, logger, report)
        (callId, caller, callee) = (invite.callId, invite.from, invite.to)
    }

    /// Takes the next message of the call.
    func take(_ message: SignalingMessage) {
        waiting.append(message)
        if message.body.isFarewell {
            isEnding = true
            // The server may be slow, and nobody waits for its answer any more.
            opening?.cancel()
        }
        if work == nil { work = Task { await self.run() } }
    }

    /// Waits until everything that was taken is sent.
    func finish() async { await work?.value }

    private func run() async {
        while !waiting.isEmpty {
            let message = waiting.removeFirst()
            switch message.body {
            case .invite(let invite): await open(invite.sdp, inviteId: message.id)
            case .candidate(let candidate): await trickle([candidate.candidate] + nextCandidates())
            case .iceRestart(let parameters): await restart(parameters, generation: message.generation)
            case .query: reply(.status(.connected), message.generation)
            // A session cannot change its media (RFC 9725 section 4.3).
            case .offer: reply(.rollback, message.generation)
            case .hangup, .cancel: await delete()
            // Nobody is there who could read messages, or be told what is muted.
            default: break
            }
        }
        work = nil
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

    private func open(_ offer: String, inviteId: String) async {
        guard !isEnding else { return }
        fragment = TrickleFragment(offer: offer)
        let server = server
        let opening = Task { () -> Result<(response: HTTPResponse, url: HTTPURL), HTTPFailure> in
            do throws(HTTPFailure) {
                return .success(
                    try await server.send(
                        .POST, to: server.endpoint,
                        headers: ["Content-Type": "application/sdp", "Accept": "application/sdp"], body: offer))
            } catch {
                return .failure(error)
            }
        }
        self.opening = opening
        let result = await opening.value
        self.opening = nil
        switch result {
        case .success(let (response, url)): take(response, from: url, inviteId: inviteId)
        case .failure(let failure) where failure.isCancelled: break
        case .failure(let failure):
            let text = SignalingLimits.bounded("\(server.endpoint.text): \(failure.text)")
            reply(.error(.init(code: 503, text: text, ref: inviteId)))
        }
    }

    private func take(_ response: HTTPResponse, from url: HTTPURL, inviteId: String) {
        let answer = ServerAnswer(response, from: url, mayReceive: role == .player, inviteId: inviteId)
        guard case .accepted(let sdp, let sends) = answer else {
            if case .refused(let body) = answer { reply(body) }
            return
        }
        resource = response.headers.first(name: "Location").flatMap { try? url.resolving($0) }
        if resource == nil {
            logger.warning(
                "\(url.text) did not say where the session is: it cannot be ended there, nor change its network path")
        }
        entityTag = response.headers.first(name: "ETag")
        let servers = IceServerLink.servers(response.headers["Link"])
        if !servers.isEmpty { report(.iceServers(servers, validForMs: IceServerLink.validForMs)) }
        reply(.accept(sdp: sdp, state: sends))
    }

    private func trickle(_ candidates: [String]) async {
        guard !isEnding, takesCandidates, resource != nil, var fragment else { return }
        fragment.candidates = candidates
        guard let response = await patch(fragment, matching: entityTag), !response.isSuccess else { return }
        // The server may do without: it learns the addresses from the checks that arrive.
        logger.info("the server takes no candidates: it answered \(response.status)")
        if [405, 415, 501].contains(response.status) { takesCandidates = false }
    }

    /// Asks for another network path (RFC 9725 section 4.3.3).
    ///
    /// What comes next in the queue belongs to the new path, since the engine reports its parameters first.
    private func restart(_ parameters: SignalingMessage.IceParameters, generation: Int) async {
        guard !isEnding, resource != nil, var restarted = fragment else { return }
        restarted.credentials = .init(fragment: parameters.fragment, password: parameters.password)
        restarted.candidates = nextCandidates()
        guard let response = await patch(restarted, matching: "*") else { return }
        guard response.isSuccess, let answer = TrickleFragment(parsing: response.body) else {
            return logger.warning("the server does not change the network path: it answered \(response.status)")
        }
        restarted.candidates = []
        fragment = restarted
        entityTag = response.headers.first(name: "ETag") ?? entityTag
        let ours = SignalingMessage.IceParameters(
            restart: parameters.restart, fragment: answer.credentials.fragment, password: answer.credentials.password)
        reply(.iceRestart(ours), generation)
        for candidate in answer.messages { reply(candidate, generation) }
    }

    private func patch(_ fragment: TrickleFragment, matching tag: String?) async -> HTTPResponse? {
        guard let resource else { return nil }
        var headers: HTTPHeaders = ["Content-Type": TrickleFragment.contentType]
        if let tag { headers.add(name: "If-Match", value: tag) }
        do throws(HTTPFailure) {
            let response = try await server.send(.PATCH, to: resource, headers: headers, body: fragment.text).response
            if [404, 410].contains(response.status) {
                self.resource = nil
                reply(.hangup(.init(code: SignalingCode.ended, text: "the server has ended the session")))
            }
            return response
        } catch {
            logger.warning("\(resource.text): \(error.text)")
            return nil
        }
    }

    /// Answers as the callee.
    private func reply(_ body: SignalingMessage.Body, _ generation: Int = 0) {
        replies += 1
        let message = SignalingMessage(
            id: "whip\(replies)", callId: callId, from: callee, to: caller, generation: generation,
            sentUnixMs: Date().timeIntervalSince1970 * 1_000, body: body)
        do {
            report(.received(try message.encoded()))
        } catch {
            logger.warning("what the server answered cannot be used: \(error)")
            guard case .accept = body else { return }
            reply(.reject(.init(code: 488, text: "the server's SDP answer is too long")))
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
