internal import CallAgent
internal import CallProtocol
internal import NIOHTTP1

/// The session of one client: translates its requests into messages to the agent, and the agent's messages into responses.
///
/// A pure value. The client is the caller of a call, the agent is the callee.
struct EndpointSession: Sendable {
    /// What has to be done, in this order.
    enum Effect: Sendable, Equatable {
        /// The agent gets this message of the caller.
        case deliver(SignalingMessage.Body, generation: Int = 0)
        /// The agent gets these candidates of the client after ``candidateDelay``.
        case deliverLater([SignalingMessage.Body])
        /// The client's waiting request gets this response.
        case reply(EndpointReply)
        /// The waiting request gets its response after this time at the latest, with the candidates that have come.
        case setDeadline(Duration)
        /// The session is over, and nothing of it is kept.
        case end
    }

    /// How long the answer waits for candidates.
    static let answerGathering = Duration.seconds(2)
    /// How long the answer to an ICE restart waits for candidates: nobody says which is the last one, and media may be missing meanwhile.
    static let restartGathering = Duration.milliseconds(200)

    /// How long after the response to a restart the agent gets the client's candidates.
    ///
    /// Chromium never uses a path whose checks come before it knows the agent's credentials. A client that reaches the agent by itself needs no such checks.
    static let candidateDelay = Duration.milliseconds(500)
    /// The most candidates of a client that wait for the response to its restart.
    private static let maximumCandidates = 64

    private enum Phase {
        /// The agent has not accepted yet. Can transition to: gathering, open.
        case ringing
        /// The agent has accepted, and finds more candidates. Can transition to: open.
        case gathering
        case open
    }

    /// The other network path that the client asks for.
    private struct Restart {
        var number: Int
        /// The client's credentials, which count when the client has the response.
        let remoteCredentials: IceCredentials
        /// The agent's credentials; nil before the agent's answer.
        var credentials: IceCredentials?
        var candidates: [String] = []
        /// The client's candidates.
        var remote: [SignalingMessage.Body]
    }

    private let path: String
    private let servers: [IceServer]
    private var phase = Phase.ringing
    private var answer: String?
    /// The agent's candidates, for the answer.
    private var candidates: [String] = []
    /// The client's credentials now.
    private var credentials: IceCredentials
    private var restart: Restart?
    /// The highest number of a restart of either end.
    private var restarts = 0
    private var version = 1

    /// The session that `offer` begins, at `path`; the client gets `servers` when it is accepted.
    init(of offer: ClientOffer, path: String, servers: [IceServer]) {
        (self.path, self.servers) = (path, servers)
        credentials = offer.credentials
    }

    private var tag: String { "\"\(version)\"" }

    // MARK: From the agent

    mutating func take(_ body: SignalingMessage.Body, generation: Int) -> [Effect] {
        switch body {
        case .progress(let sdp, _): answer = sdp
        case .accept(let sdp, _): return accept(sdp)
        case .candidate(let candidate): return note(candidate.candidate)
        case .iceRestart(let parameters): return note(parameters)
        case .query: return [.deliver(.status(phase == .ringing ? .calling : .connected))]
        // A client cannot be offered another connection.
        case .offer, .renegotiate: return [.deliver(.rollback, generation: generation)]
        case .reject(let farewell): return [.reply(.refused(code: farewell.code, text: farewell.text)), .end]
        case .hangup, .cancel:
            let stopped = EndpointReply(refusing: .serviceUnavailable, "the call is over")
            return [.reply(phase == .open ? .noSession : stopped), .end]
        case .error(let fault) where phase == .ringing:
            return [.reply(.refused(code: fault.code, text: fault.text)), .end]
        default: break
        }
        return []
    }

    private mutating func accept(_ sdp: String?) -> [Effect] {
        guard phase == .ringing, let sdp = sdp ?? answer else { return [] }
        (phase, answer) = (.gathering, sdp)
        // The agent may have put all of them into its answer.
        return candidates.last == "" || sdp.contains("a=candidate:") ? open() : [.setDeadline(Self.answerGathering)]
    }

    /// Answers with the candidates that the agent has found: the client cannot get others later.
    private mutating func open() -> [Effect] {
        guard let answer else { return [] }
        phase = .open
        var lines = answer.split(whereSeparator: \.isNewline).map(String.init)
        let first = lines.firstIndex { TrickleFragment.isUsed($0) } ?? lines.endIndex
        // All m-lines share the transport of the first one in use.
        let place = lines[first...].dropFirst().firstIndex { $0.hasPrefix("m=") } ?? lines.endIndex
        lines.insert(contentsOf: candidates.map { $0.isEmpty ? "a=end-of-candidates" : "a=\($0)" }, at: place)
        let sdp = lines.map { $0 + "\r\n" }.joined()
        return [.reply(.created(sdp, location: path, tag: tag, servers: servers))]
    }

    private mutating func note(_ parameters: SignalingMessage.IceParameters) -> [Effect] {
        restarts = max(restarts, parameters.restart)
        // What the agent begins by itself cannot reach the client, which has to ask.
        guard restart?.number == parameters.restart else { return [] }
        restart?.credentials = .init(fragment: parameters.fragment, password: parameters.password)
        return [.setDeadline(Self.restartGathering)]
    }

    private mutating func note(_ candidate: String) -> [Effect] {
        guard phase == .open else {
            candidates.append(candidate)
            return phase == .gathering && candidate.isEmpty ? open() : []
        }
        // Those of a former path may come in between.
        if let credentials = restart?.credentials, candidate.contains(" ufrag \(credentials.fragment)") {
            restart?.candidates.append(candidate)
        }
        return []
    }

    // MARK: From the client

    /// The client's PATCH: candidates, or another network path if the credentials are new (RFC 9725 section 4.3).
    ///
    /// - Returns: The response, nil if it waits for the agent; and what has to be done.
    mutating func change(_ fragment: TrickleFragment, tag given: String) -> (EndpointReply?, [Effect]) {
        guard phase == .open else { return (.noSession, []) }
        guard given == "*" || given == tag else {
            return (EndpointReply(refusing: .preconditionFailed, "the session has another ETag by now"), [])
        }
        let candidates = fragment.messages
        guard fragment.credentials != credentials else {
            return (EndpointReply(.noContent), candidates.map { .deliver($0) })
        }
        // The client may trickle before it has the response to its restart.
        if let present = restart, present.remoteCredentials == fragment.credentials {
            restart?.remote = Array((present.remote + candidates).prefix(Self.maximumCandidates))
            return (EndpointReply(.noContent), [])
        }
        restarts += 1
        restart = Restart(number: restarts, remoteCredentials: fragment.credentials, remote: candidates)
        let parameters = fragment.credentials.parameters(restart: restarts)
        return (nil, [.deliver(.iceRestart(parameters))])
    }

    /// The client's DELETE, or the end of the endpoint.
    mutating func end() -> [Effect] {
        let farewell = SignalingMessage.Farewell(code: SignalingCode.ended, text: "")
        return [.reply(.noSession), .deliver(phase == .ringing ? .cancel(farewell) : .hangup(farewell)), .end]
    }

    // MARK: Time

    /// The client's waiting request is over, since it went away or waits for too long.
    mutating func giveUp(isGone: Bool) -> [Effect] {
        switch phase {
        case .gathering where !isGone: return open()
        case .gathering: return end()
        case .open where restart?.credentials != nil && !isGone: return finishRestart()
        case .open:
            restart = nil
            return [.reply(EndpointReply(refusing: .serviceUnavailable, "there is no other network path now"))]
        case .ringing:
            let text = isGone ? "the client went away" : "nobody answered"
            let code = isGone ? SignalingCode.ended : EndReason.ringTimeout.code
            let farewell = SignalingMessage.Farewell(code: code, text: text)
            return [.reply(EndpointReply(refusing: .gatewayTimeout, text)), .deliver(.cancel(farewell)), .end]
        }
    }

    /// Answers with the agent's credentials, and with the candidates that it has found.
    private mutating func finishRestart() -> [Effect] {
        guard let found = restart.take(), let own = found.credentials, var fragment = TrickleFragment(of: answer ?? "")
        else { return [.reply(EndpointReply(refusing: .internalServerError, "the agent's answer has no credentials"))] }
        credentials = found.remoteCredentials
        version += 1
        (fragment.credentials, fragment.candidates) = (own, found.candidates)
        return [.reply(.restarted(fragment, tag: tag)), .deliverLater(found.remote)]
    }
}
