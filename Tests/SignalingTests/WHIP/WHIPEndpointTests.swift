import CallAgent
import CallProtocol
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TestServers
import Testing

@testable import HTTPClient
@testable import WHIPSignaling

/// An endpoint with real sockets; the test is its agent.
@Suite(.timeLimit(.minutes(2)))
struct WHIPEndpointTests {
    private static let offer = """
        v=0\r
        m=audio 9 UDP/TLS/RTP/SAVPF 111\r
        a=mid:0\r
        a=ice-ufrag:EsAw\r
        a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r

        """

    /// What the agent gets, and what it answers.
    private struct Agent: Sendable {
        let endpoint: WHIPEndpoint
        let messages = Mailbox<SignalingMessage>()

        func answer(_ message: SignalingMessage, _ body: SignalingMessage.Body) async throws {
            let answer = SignalingMessage(
                id: "a1", callId: message.callId, from: message.to, to: message.from, sentUnixMs: 0, body: body)
            try await endpoint.send(answer.encoded(), to: message.from)
        }

        /// Accepts the next invite, as an agent without candidates does.
        @discardableResult
        func accept() async throws -> SignalingMessage {
            let invite = try #require(try await messages.next())
            try await answer(invite, .accept(sdp: WHIPEndpointTests.offer))
            try await answer(invite, .candidate(.init(candidate: "", mLine: 0)))
            return invite
        }

        func port() async throws -> Int { try HTTPURL(#require(await endpoint.url)).port }
    }

    private func withEndpoint(
        _ configure: (inout WHIPEndpointConfiguration) -> Void = { _ in }, _ body: (Agent) async throws -> Void
    ) async throws {
        var configuration = WHIPEndpointConfiguration(port: 0)
        configure(&configuration)
        let agent = Agent(endpoint: WHIPEndpoint(configuration, logger: quietLogger))
        try await agent.endpoint.connect(as: "camera")
        let receiving = Task {
            for await case .received(let text) in agent.endpoint.events {
                if let message = try? SignalingMessage(decoding: text) { agent.messages.put(message) }
            }
        }
        do {
            try await body(agent)
        } catch {
            await agent.endpoint.close()
            throw error
        }
        await agent.endpoint.close()
        await receiving.value
    }

    private func send(
        _ method: HTTPMethod, _ path: String, to agent: Agent, _ headers: HTTPHeaders = [:], body: String = ""
    ) async throws -> HTTPResponse {
        let url = try HTTPURL(#require(await agent.endpoint.url) + path)
        return try await HTTPRequest(method, url, headers: headers, body: body).response(tls: nil, within: .seconds(20))
    }

    private static let sdp: HTTPHeaders = ["Content-Type": "application/sdp"]

    // MARK: Sessions

    @Test("A session begins with a POST, changes with PATCH and ends with DELETE")
    func session() async throws {
        try await withEndpoint { agent in
            async let created = send(.POST, "/whip", to: agent, Self.sdp, body: Self.offer)
            let invite = try await agent.accept()
            #expect(invite.from == WHIPEndpointConfiguration.guest && invite.to == "camera")
            let response = try await created
            #expect(response.status == 201 && response.body.hasPrefix("v=0"))
            let path = try #require(response.headers.first(name: "Location"))
            let tag = try #require(response.headers.first(name: "ETag"))

            let fragment =
                "a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\na=candidate:1 1 udp 1 h 1 typ host\r\n"
            let patch: HTTPHeaders = ["Content-Type": "application/trickle-ice-sdpfrag", "If-Match": tag]
            #expect(try await send(.PATCH, path, to: agent, patch, body: fragment).status == 204)
            let candidate = try #require(try await agent.messages.next())
            #expect(candidate.callId == invite.callId)
            guard case .candidate = candidate.body else { throw UnexpectedMessage(message: candidate) }

            #expect(try await send(.DELETE, path, to: agent).status == 200)
            let farewell = try #require(try await agent.messages.next())
            guard case .hangup = farewell.body else { throw UnexpectedMessage(message: farewell) }
            #expect(try await send(.DELETE, path, to: agent).status == 404)
        }
    }

    @Test("Of two ICE restarts the later one is answered")
    func twoRestarts() async throws {
        try await withEndpoint { agent in
            async let created = send(.POST, "/whip", to: agent, Self.sdp, body: Self.offer)
            try await agent.accept()
            let path = try #require(try await created.headers.first(name: "Location"))
            let patch: HTTPHeaders = ["Content-Type": "application/trickle-ice-sdpfrag", "If-Match": "*"]
            func fragment(_ name: String) -> String { "a=ice-ufrag:\(name)\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\n" }
            async let first = send(.PATCH, path, to: agent, patch, body: fragment("first"))
            _ = try await agent.messages.next()
            async let second = send(.PATCH, path, to: agent, patch, body: fragment("second"))
            let restart = try #require(try await agent.messages.next())
            guard case .iceRestart(let parameters) = restart.body else { throw UnexpectedMessage(message: restart) }
            #expect(parameters.restart == 2)
            #expect(try await first.status == 409)
            let own = SignalingMessage.IceParameters(
                restart: 2, fragment: "wxyz", password: "P2uYro0UCOQ4zxjKXaWCBui1")
            try await agent.answer(restart, .iceRestart(own))
            let answered = try await second
            #expect(answered.status == 200 && answered.body.contains("a=ice-ufrag:wxyz"))
        }
    }

    @Test("A client that closes its connection while it rings cancels the call")
    func gone() async throws {
        try await withEndpoint { agent in
            let client = try await RawClient.open(port: agent.port())
            let head = "POST /whep HTTP/1.1\r\nHost: h\r\nContent-Type: application/sdp\r\n"
            let text = head + "Content-Length: \(Self.offer.utf8.count)\r\n\r\n" + Self.offer
            try await client.send(bytes: Array(text.utf8))
            let invite = try #require(try await agent.messages.next())
            await client.close()
            let cancel = try #require(try await agent.messages.next())
            guard case .cancel = cancel.body else { throw UnexpectedMessage(message: cancel) }
            #expect(cancel.callId == invite.callId)
        }
    }

    @Test("A call that nobody answers gets a status when its time is over")
    func unanswered() async throws {
        try await withEndpoint {
            $0.ringTimeout = .milliseconds(1)
        } _: { agent in
            let response = try await send(.POST, "/whep", to: agent, Self.sdp, body: Self.offer)
            #expect(response.status == 504 && response.body == "nobody answered\n")
        }
    }

    @Test("An offer that no message can hold leaves no session, and nobody calls a client")
    func undeliverable() async throws {
        try await withEndpoint { agent in
            let long = Self.offer + "a=x:" + String(repeating: "\u{1}", count: 12_000) + "\r\n"
            let refused = try await send(.POST, "/whip", to: agent, Self.sdp, body: long)
            #expect(refused.status == 400)
            #expect(await agent.endpoint.sessions == 0)
            let invite = SignalingMessage.Invite(media: .audioOnly, ringTimeoutMs: 1_000, sdp: Self.offer)
            let call = SignalingMessage(
                id: "i1", callId: "c1", from: "camera", to: "guest", sentUnixMs: 0, body: .invite(invite))
            try await agent.endpoint.send(call.encoded(), to: "guest")
            let answer = try #require(try await agent.messages.next())
            guard case .error(let fault) = answer.body else { throw UnexpectedMessage(message: answer) }
            #expect(fault.code == 404 && fault.ref == "i1")
        }
    }

    @Test("The end of the endpoint answers those who wait, and hangs up")
    func closed() async throws {
        try await withEndpoint { agent in
            async let created = send(.POST, "/whip", to: agent, Self.sdp, body: Self.offer)
            _ = try await agent.messages.next()
            await agent.endpoint.close()
            #expect(try await created.status == 503)
            await #expect(throws: SignalingError.closed) { try await agent.endpoint.connect(as: "camera") }
        }
    }

    // MARK: Who may

    private struct WrongToken: Error, CustomStringConvertible { let description = "no such token" }

    @Test("A token names the caller, and only its user changes the session")
    func tokens() async throws {
        try await withEndpoint {
            $0.user = { token in
                guard ["alice", "bob", "camera", "no name"].contains(token) else { throw WrongToken() }
                return token
            }
        } _: { agent in
            func headers(_ token: String) -> HTTPHeaders { Self.sdp + ["Authorization": "bearer \(token)"] }
            for (headers, status, text) in [
                (Self.sdp, 401, "a bearer token is needed"),
                (Self.sdp + ["Authorization": "Basic alice"], 401, "a bearer token is needed"),
                (headers("mallory"), 401, "no such token"), (headers("no name"), 403, "cannot call"),
                (headers("camera"), 403, "cannot call"),
            ] as [(HTTPHeaders, Int, String)] {
                let refused = try await send(.POST, "/whep", to: agent, headers, body: Self.offer)
                #expect(refused.status == status && refused.body.contains(text))
                #expect((refused.headers.first(name: "WWW-Authenticate") == "Bearer") == (status == 401))
            }
            async let created = send(.POST, "/whep", to: agent, headers("alice"), body: Self.offer)
            let invite = try await agent.accept()
            #expect(invite.from == "alice")
            let path = try #require(try await created.headers.first(name: "Location"))
            #expect(try await send(.DELETE, path, to: agent).status == 401)
            #expect(try await send(.DELETE, path, to: agent, headers("bob")).status == 404)
            #expect(try await send(.DELETE, path, to: agent, headers("alice")).status == 200)
        }
    }

    @Test("A token that has expired ends the session that it began, and begins none")
    func expiredToken() async throws {
        let isExpired = Mutex(false)
        try await withEndpoint {
            $0.user = { token in
                guard !isExpired.withLock({ $0 }) else { throw WrongToken() }
                return token
            }
        } _: { agent in
            let headers: HTTPHeaders = Self.sdp + ["Authorization": "Bearer alice"]
            async let created = send(.POST, "/whip", to: agent, headers, body: Self.offer)
            let invite = try await agent.accept()
            #expect(invite.extensionData == ["endpoint": "whip"])
            let path = try #require(try await created.headers.first(name: "Location"))
            isExpired.withLock { $0 = true }
            #expect(try await send(.POST, "/whip", to: agent, headers, body: Self.offer).status == 401)
            #expect(try await send(.DELETE, path, to: agent, ["Authorization": "Bearer bob"]).status == 401)
            #expect(try await send(.DELETE, path, to: agent, headers).status == 200)
        }
    }

    @Test("Web pages need a token, and may read the responses then")
    func pages() async throws {
        let origin: HTTPHeaders = ["Origin": "https://example.org"]
        try await withEndpoint { agent in
            let refused = try await send(.POST, "/whep", to: agent, Self.sdp + origin, body: Self.offer)
            #expect(refused.status == 403 && !refused.headers.contains(name: "Access-Control-Allow-Origin"))
            #expect(try await send(.OPTIONS, "/whep", to: agent, origin).status == 403)
        }
        try await withEndpoint {
            $0.user = { $0 }
            $0.iceServers = [IceServer(urls: ["stun:s"])]
        } _: { agent in
            let allowed = try await send(.OPTIONS, "/whep", to: agent, origin)
            #expect(allowed.status == 204 && allowed.headers.first(name: "Access-Control-Allow-Origin") == "*")
            #expect(allowed.headers.first(name: "Access-Control-Allow-Headers")?.contains("Authorization") == true)
            #expect(allowed.headers.first(name: "Accept-Post") == "application/sdp")
            #expect(!allowed.headers.contains(name: "Link"))
            let known = try await send(.OPTIONS, "/whep", to: agent, origin + ["Authorization": "Bearer alice"])
            #expect(known.headers["Link"] == ["<stun:s>; rel=\"ice-server\""])
        }
    }

    // MARK: Limits

    @Test("A body that is too long, and a request that is no HTTP, are refused")
    func malformed() async throws {
        try await withEndpoint { agent in
            let long = String(repeating: "x", count: SignalingLimits.sdpBytes + 1)
            let tooLong = try await send(.POST, "/whip", to: agent, Self.sdp, body: long)
            #expect(tooLong.status == 413)
            let port = try await agent.port()
            let noHTTP = try await RawClient.answer("hello", port: port)
            #expect(noHTTP.hasPrefix("HTTP/1.1 400 "))
            let sdp = "Content-Type: application/sdp\r\nContent-Length: 3\r\n"
            let noOffer = try await RawClient.answer("POST /whip", fields: sdp + "\r\nabc", port: port)
            #expect(
                noOffer.hasPrefix("HTTP/1.1 400 ") && noOffer.hasSuffix("no SDP offer with media and ICE credentials\n")
            )
        }
    }

    @Test("A request that does not arrive in time, and a connection too many, are closed")
    func slow() async throws {
        try await withEndpoint {
            $0.requestLimit = .seconds(1)
        } _: { agent in
            let client = try await RawClient.open(port: agent.port())
            try await client.send(bytes: Array("POST /whip HTTP/1.1\r\nContent-Length: 10\r\n\r\n".utf8))
            try await client.end()
            #expect(client.response.isEmpty)
        }
        try await withEndpoint {
            $0.connections = 1
            $0.requestLimit = .seconds(3_600)
        } _: { agent in
            let first = try await RawClient.open(port: agent.port())
            // The server has taken the first connection when it has answered a part of its request.
            try await first.send(
                bytes: Array("POST /whip HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n".utf8))
            try await first.head()
            try await RawClient.open(port: agent.port()).end()
            await first.close()
        }
    }

    @Test("An address that is in use, and a certificate that is not there, are named")
    func cannotListen() async throws {
        try await withEndpoint { agent in
            let port = try await agent.port()
            let second = WHIPEndpoint(WHIPEndpointConfiguration(port: port), logger: quietLogger)
            let inUse = SignalingError.cannotListen("127.0.0.1:\(port)", text: "the port is in use")
            await #expect(throws: inUse) { try await second.connect(as: "camera") }
        }
        var configuration = WHIPEndpointConfiguration(port: 0)
        configuration.tls = .init(certificateChainFile: "/nowhere/cert.pem", privateKeyFile: "/nowhere/key.pem")
        let endpoint = WHIPEndpoint(configuration, logger: quietLogger)
        let error = await #expect(throws: SignalingError.self) { try await endpoint.connect(as: "camera") }
        #expect(error?.description.contains("/nowhere/cert.pem: it cannot be read") == true)
    }

    private struct UnexpectedMessage: Error { let message: SignalingMessage }
}

/// Both header fields.
private func + (left: HTTPHeaders, right: HTTPHeaders) -> HTTPHeaders {
    var all = left
    all.add(contentsOf: right)
    return all
}
