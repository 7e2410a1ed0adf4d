import CallProtocol
import NIOHTTP1
import Testing

@testable import WHIPSignaling

/// What an endpoint makes of requests and of the agent's messages, as values.
struct WHIPEndpointRulesTests {
    // MARK: Offers

    private static func offer(_ sections: [(kind: String, port: Int, lines: [String])], session: [String] = [])
        -> String
    {
        let head = ["v=0", "o=- 1 0 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=group:BUNDLE 0 1"] + session
        let media = sections.flatMap { kind, port, lines in
            ["m=\(kind) \(port) UDP/TLS/RTP/SAVPF 96", "a=ice-ufrag:abcd", "a=ice-pwd:wordwordwordwordwordwo"] + lines
        }
        return (head + media).map { $0 + "\r\n" }.joined()
    }

    private static let both = offer([("audio", 9, ["a=mid:0"]), ("video", 9, ["a=mid:1"])])

    @Test("A publisher only sends and a player only receives, whatever the offer allows", arguments: WHIPRole.allCases)
    func direction(role: WHIPRole) throws {
        let (own, other) = role == .publisher ? ("sendonly", "recvonly") : ("recvonly", "sendonly")
        for (lines, session, expected) in [
            ([], [], own), (["a=sendrecv"], [], own), (["a=\(own)"], [], own), (["a=\(other)"], [], "inactive"),
            (["a=inactive"], [], "inactive"), ([], ["a=\(other)"], "inactive"), (["a=\(own)"], ["a=inactive"], own),
        ] as [([String], [String], String)] {
            let text = Self.offer([("audio", 9, ["a=sendrecv"]), ("video", 9, lines)], session: session)
            let offer = try ClientOffer(text, of: role)
            let directions = offer.sdp.split(separator: "\r\n").filter { $0.hasSuffix("only") || $0 == "a=inactive" }
            #expect(directions == ["a=\(own)", "a=\(expected)"])
            #expect(offer.media == CallMedia(audio: true, video: expected == own))
            let sends = MediaState(audio: .on, video: expected == own ? .on : .off)
            #expect(offer.sends == (role == .publisher ? sends : .nothing))
        }
    }

    @Test("Everything but the direction stays as it was offered, also what is neither audio nor video")
    func untouched() throws {
        let lines = ["a=mid:1", "a=rtpmap:96 VP8/90000", "a=candidate:1 1 udp 1 127.0.0.1 9 typ host"]
        let text = Self.offer([("video", 9, lines + ["a=sendonly"]), ("application", 9, ["a=sctp-port:5000"])])
        #expect(try ClientOffer(text, of: .publisher).sdp == text)
        #expect(try ClientOffer(text, of: .publisher).media == .videoOnly)
    }

    @Test("A rejected m-line counts as absent, one that shares a transport does not")
    func rejected() throws {
        let text = Self.offer([("audio", 9, []), ("video", 0, ["a=bundle-only"])])
        let offer = try ClientOffer(text, of: .player)
        #expect(offer.media == .audioVideo)
        #expect(try ClientOffer(Self.offer([("audio", 9, []), ("video", 0, [])]), of: .player).media == .audioOnly)
    }

    @Test(
        "What is no offer is refused",
        arguments: [
            "", "hello", "v=0\r\n", "v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\n",
            offer([("application", 9, [])]), offer([("audio", 9, ["a=inactive"])]), offer([("audio", 0, [])]),
            offer([("video", 9, []), ("video", 9, [])]), offer([("audio", 0, []), ("audio", 9, [])]),
            both.replacing("wordwordwordwordwordwo", with: "word"),
            offer([("audio", 9, [String(repeating: "x", count: SignalingLimits.sdpBytes)])]),
        ])
    func noOffer(text: String) {
        #expect(throws: ClientOffer.Unusable.self) { try ClientOffer(text, of: .publisher) }
    }

    // MARK: Requests

    private static func head(
        _ method: HTTPMethod, _ uri: String, _ headers: HTTPHeaders = [:]
    ) -> HTTPRequestHead { HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: headers) }

    private static let fragment = "a=ice-ufrag:abcd\r\na=ice-pwd:wordwordwordwordwordwo\r\n"

    @Test("Requests are read")
    func requests() throws {
        let sdp: HTTPHeaders = ["Content-Type": "application/sdp"]
        for (uri, role) in [("/whip", WHIPRole.publisher), ("/whep/", .player), ("/whep?room=1", .player)] {
            let offer = try ClientOffer(Self.both, of: role)
            #expect(try EndpointRequest(Self.head(.POST, uri, sdp), body: Self.both) == .open(offer, role))
        }
        let typed: HTTPHeaders = ["Content-Type": "Application/SDP; charset=utf-8"]
        _ = try EndpointRequest(Self.head(.POST, "/whip", typed), body: Self.both)
        let patch: HTTPHeaders = ["Content-Type": "application/trickle-ice-sdpfrag", "If-Match": "\"1\""]
        let change = try EndpointRequest(Self.head(.PATCH, "/whep/x1", patch), body: Self.fragment)
        let read = try #require(TrickleFragment(parsing: Self.fragment))
        #expect(change == .change(session: "x1", read, tag: "\"1\""))
        #expect(try EndpointRequest(Self.head(.DELETE, "/whip/x1"), body: "") == .end(session: "x1"))
        #expect(try EndpointRequest(Self.head(.OPTIONS, "/whip"), body: "") == .describe)
    }

    @Test("What a client may not do is refused with the status for it")
    func refusals() {
        let sdp: HTTPHeaders = ["Content-Type": "application/sdp"]
        let patch: HTTPHeaders = ["Content-Type": "application/trickle-ice-sdpfrag"]
        let tagged: HTTPHeaders = ["Content-Type": "application/trickle-ice-sdpfrag", "If-Match": "*"]
        for (head, body, status) in [
            (Self.head(.GET, "/"), "", 404), (Self.head(.POST, "/whip/a/b", sdp), Self.both, 404),
            (Self.head(.POST, "/", sdp), Self.both, 404), (Self.head(.GET, "/whip"), "", 405),
            (Self.head(.DELETE, "/whip"), "", 405), (Self.head(.POST, "/whip/x", sdp), Self.both, 405),
            (Self.head(.POST, "/whip"), Self.both, 415), (Self.head(.POST, "/whip", patch), Self.both, 415),
            (Self.head(.PATCH, "/whip/x", sdp), Self.fragment, 415),
            (Self.head(.PATCH, "/whip/x", patch), Self.fragment, 428),
            (Self.head(.PATCH, "/whip/x", tagged), "nothing", 400), (Self.head(.POST, "/whip", sdp), "v=0", 400),
        ] {
            let error = #expect(throws: EndpointReply.self) { try EndpointRequest(head, body: body) }
            #expect(error.map { Int($0.status.code) } == status, "\(head.method) \(head.uri)")
            // Each says in one line what to do.
            #expect(error?.body.split(separator: "\n").count == 1)
        }
    }

    // MARK: Links

    @Test("The servers in a response are read as they were written")
    func links() {
        let servers = [
            IceServer(urls: ["stun:a"]),
            IceServer(urls: ["turn:b?transport=udp"], username: "u\"\\;,", credential: "p, <w>"),
        ]
        #expect(IceServerLink.servers(IceServerLink.links(to: servers)) == servers)
    }

    // MARK: Sessions

    private static func session(servers: [IceServer] = []) throws -> EndpointSession {
        EndpointSession(of: try ClientOffer(both, of: .player), path: "/whep/x", servers: servers)
    }

    private static let answer = offer([("audio", 9, ["a=mid:0"]), ("video", 9, ["a=mid:1"])])

    private static func candidate(_ text: String) -> SignalingMessage.Body {
        .candidate(.init(candidate: text, mLine: 0))
    }

    private static func status(_ effects: [EndpointSession.Effect]) -> Int? {
        effects.compactMap { if case .reply(let reply) = $0 { Int(reply.status.code) } else { nil } }.first
    }

    private static func open() throws -> EndpointSession {
        var session = try Self.session()
        _ = session.take(.accept(sdp: Self.answer), generation: 0)
        #expect(Self.status(session.take(Self.candidate(""), generation: 0)) == 201)
        return session
    }

    @Test("The answer waits for the last candidate, which it has in its first section")
    func answered() throws {
        let servers = [IceServer(urls: ["stun:s"])]
        var session = try Self.session(servers: servers)
        #expect(session.take(.ringing, generation: 0) == [])
        // It rings with media already.
        #expect(session.take(.progress(sdp: Self.answer), generation: 0) == [])
        #expect(session.take(Self.candidate("candidate:1 1 udp 1 127.0.0.1 9 typ host"), generation: 0) == [])
        let waiting = session.take(.accept(sdp: nil), generation: 0)
        #expect(waiting == [.setDeadline(EndpointSession.answerGathering)])
        let effects = session.take(Self.candidate(""), generation: 0)
        guard case .reply(let reply)? = effects.first else { throw MissingReply() }
        #expect(reply.status == .created && reply.headers.first(name: "Location") == "/whep/x")
        #expect(reply.headers["Link"] == ["<stun:s>; rel=\"ice-server\""])
        let sections = reply.body.components(of: "m=")
        #expect(sections[1].contains("a=candidate:1 1 udp 1 127.0.0.1 9 typ host\r\na=end-of-candidates\r\n"))
        #expect(!sections[2].contains("candidate"))
        #expect(session.take(.query, generation: 0) == [.deliver(.status(.connected))])
    }

    @Test("The candidates are in the first section that is in use")
    func unusedSection() throws {
        var session = try Self.session()
        let answer = Self.offer([("audio", 0, ["a=mid:0"]), ("video", 9, ["a=mid:1"])])
        _ = session.take(.accept(sdp: answer), generation: 0)
        guard case .reply(let reply)? = session.take(Self.candidate(""), generation: 0).first else {
            throw MissingReply()
        }
        let sections = reply.body.components(of: "m=")
        #expect(!sections[1].contains("end-of-candidates") && sections[2].contains("a=end-of-candidates"))
    }

    @Test("An answer with candidates is complete, and one whose candidates do not end is sent at the deadline")
    func deadline() throws {
        var session = try Self.session()
        let complete = Self.answer + "a=candidate:1 1 udp 1 127.0.0.1 9 typ host\r\n"
        #expect(Self.status(session.take(.accept(sdp: complete), generation: 0)) == 201)
        session = try Self.session()
        _ = session.take(.accept(sdp: Self.answer), generation: 0)
        #expect(Self.status(session.giveUp(isGone: false)) == 201)
    }

    @Test(
        "The agent's refusal is a status",
        arguments: [
            (603, 403), (486, 503), (488, 406), (480, 504), (487, 504), (400, 400), (500, 500), (9_906, 500),
            (9_999, 403),
        ])
    func refused(code: Int, status: Int) throws {
        var session = try Self.session()
        let effects = session.take(.reject(.init(code: code, text: "no")), generation: 0)
        #expect(Self.status(effects) == status && effects.last == .end)
        session = try Self.session()
        #expect(Self.status(session.take(.error(.init(code: code, text: "no", ref: nil)), generation: 0)) == status)
    }

    @Test("Candidates are passed on with the ETag of the session, and no other")
    func trickle() throws {
        var session = try Self.open()
        let text = Self.fragment + "a=candidate:1 1 udp 1 127.0.0.1 9 typ host\r\n"
        let fragment = try #require(TrickleFragment(parsing: text))
        let (reply, effects) = session.change(fragment, tag: "\"1\"")
        #expect(reply?.status == .noContent && reply?.headers.contains(name: "ETag") == false)
        #expect(effects == [.deliver(Self.candidate("candidate:1 1 udp 1 127.0.0.1 9 typ host ufrag abcd"))])
        #expect(session.change(fragment, tag: "\"2\"").0?.status == .preconditionFailed)
        #expect(session.change(fragment, tag: "*").0?.status == .noContent)
    }

    @Test("A restart is answered with the agent's credentials; the client's candidates follow, and the ETag changes")
    func restart() throws {
        var session = try Self.open()
        // What the agent begins by itself does not reach the client, but its number is taken.
        #expect(session.take(.iceRestart(.init(restart: 3, fragment: "mine", password: "p")), generation: 0) == [])
        let text = "a=ice-ufrag:other\r\na=ice-pwd:word\r\na=candidate:1 1 udp 1 127.0.0.1 9 typ host\r\n"
        let fragment = try #require(TrickleFragment(parsing: text))
        let (reply, effects) = session.change(fragment, tag: "*")
        #expect(reply == nil)
        // Candidates that follow wait, too, up to a limit.
        for _ in 0..<100 { #expect(session.change(fragment, tag: "*").0?.status == .noContent) }
        #expect(effects == [.deliver(.iceRestart(.init(restart: 4, fragment: "other", password: "word")))])
        let own = SignalingMessage.IceParameters(restart: 4, fragment: "wxyz", password: "secret")
        #expect(session.take(.iceRestart(own), generation: 0) == [.setDeadline(EndpointSession.restartGathering)])
        for fragment in ["wxyz", "mine"] {
            let line = "candidate:1 1 udp 1 127.0.0.1 7 typ host ufrag \(fragment)"
            #expect(session.take(Self.candidate(line), generation: 0) == [])
        }
        let finished = session.giveUp(isGone: false)
        guard case .reply(let response)? = finished.first else { throw MissingReply() }
        #expect(response.status == .ok && response.headers.first(name: "ETag") == "\"2\"")
        let answer = try #require(TrickleFragment(parsing: response.body))
        #expect(answer.credentials == .init(fragment: "wxyz", password: "secret"))
        #expect(answer.candidates == ["candidate:1 1 udp 1 127.0.0.1 7 typ host ufrag wxyz"])
        let remote = Self.candidate("candidate:1 1 udp 1 127.0.0.1 9 typ host ufrag other")
        #expect(finished.last == .deliverLater(Array(repeating: remote, count: 64)))
        #expect(session.change(fragment, tag: "\"2\"").0?.status == .noContent)
    }

    @Test("A restart without the agent's answer is refused, and the session goes on")
    func failedRestart() throws {
        var session = try Self.open()
        let fragment = try #require(TrickleFragment(parsing: "a=ice-ufrag:other\r\na=ice-pwd:word\r\n"))
        _ = session.change(fragment, tag: "*")
        #expect(Self.status(session.giveUp(isGone: false)) == 503)
        // The former credentials count still, and the same request tries again.
        let former = try #require(TrickleFragment(parsing: Self.fragment))
        #expect(session.change(former, tag: "\"1\"").0?.status == .noContent)
        let (reply, effects) = session.change(fragment, tag: "*")
        #expect(reply == nil)
        #expect(effects == [.deliver(.iceRestart(.init(restart: 2, fragment: "other", password: "word")))])
        _ = session.giveUp(isGone: true)
        #expect(session.take(.query, generation: 0) == [.deliver(.status(.connected))])
    }

    private func isCancel(_ effect: EndpointSession.Effect) -> Bool {
        if case .deliver(.cancel, generation: 0) = effect { true } else { false }
    }

    private func isHangup(_ effect: EndpointSession.Effect) -> Bool {
        if case .deliver(.hangup, generation: 0) = effect { true } else { false }
    }

    @Test("A client that goes away cancels while it rings, and hangs up after that")
    func gone() throws {
        var session = try Self.session()
        let ringing = session.giveUp(isGone: true)
        #expect(ringing.last == .end && ringing.dropLast().last.map(isCancel) == true)
        session = try Self.session()
        _ = session.take(.accept(sdp: Self.answer), generation: 0)
        let accepted = session.giveUp(isGone: true)
        #expect(accepted.last == .end && accepted.dropLast().last.map(isHangup) == true)
    }

    @Test("Another connection is not offered to a client")
    func renegotiation() throws {
        var session = try Self.open()
        let offer = SignalingMessage.Offer(media: .audioVideo, sdp: Self.both)
        #expect(session.take(.offer(offer), generation: 2) == [.deliver(.rollback, generation: 2)])
        #expect(session.take(.renegotiate(.audioVideo), generation: 0) == [.deliver(.rollback, generation: 0)])
    }

    private struct MissingReply: Error {}
}

extension String {
    /// The parts that begin after each of these marks at the beginning of a line.
    fileprivate func components(of mark: String) -> [String] {
        split(separator: "\r\n").reduce(into: [""]) { parts, line in
            if line.hasPrefix(mark) { parts.append("") }
            parts[parts.count - 1] += line + "\r\n"
        }
    }
}
