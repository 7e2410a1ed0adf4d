public import CallAgent
internal import CallProtocol
internal import Foundation
internal import HTTPClient
public import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import TransportSecurity

/// Signaling with a media server over HTTP: WHIP to send media to it (RFC 9725), WHEP to receive media from it
/// (draft-ietf-wish-whep).
///
/// Each call is a session on the server. The agent's own protocol ends here: an invite becomes a POST with the offer, a candidate or an ICE restart a PATCH, a
/// hang-up a DELETE. The transport answers in the place of a peer, which accepts at once when the server does. The server is no user, so the name of the
/// callee is free. Nobody calls this end.
///
/// The media of a call does not change: adding video is refused. What is muted or held, and messages of the application, are not sent on.
/// A session needs `MediaConfiguration.direction` to be `sendonly` or `recvonly`; a player sends nothing from the start:
///
///     configuration.media.direction = .recvonly
///     let agent = Agent(user: "viewer", media: engine, signaling: WHIPTransport(url: url, role: .player), configuration: configuration)
///     let call = try await agent.call("server", sends: .nothing)
public actor WHIPTransport: SignalingTransport {
    /// The events of this transport, in order.
    ///
    /// For one consumer; ends with ``close()``.
    public nonisolated let events: AsyncStream<SignalingTransportEvent>
    /// True: this end learns of each request whether it succeeded.
    public nonisolated let guaranteesDelivery = true

    /// The most events that wait for the agent; further ones are dropped.
    ///
    /// A call has some ten.
    private static let maximumWaiting = 4_096

    private let url: String
    private let role: WHIPRole
    private let token: (@Sendable () async throws -> String)?
    private let trustRootsFile: String?
    private let limit: TimeAmount
    private let logger: Logger
    private let sink: AsyncStream<SignalingTransportEvent>.Continuation
    private var server: WHIPServer?
    private var sessions: [String: WHIPSession] = [:]
    private var isClosed = false

    /// Makes a transport that has sent nothing yet.
    ///
    /// - Parameters:
    ///   - url: The endpoint, `http://` or `https://`; ``connect(as:)`` checks it.
    ///   - role: Whether this end sends or receives.
    ///   - token: Returns the bearer token for each request; nil where the server needs none. It is also sent to where the endpoint redirects, and to the URL of the session that the server gives.
    ///   - trustRootsFile: A PEM file with certificates to trust for `https://`, in addition to the system's.
    ///   - requestLimit: How long a request may take, with its token and its redirects; an hour at most.
    ///   - logger: Gets the log of what the server refuses; a token is never logged.
    public init(
        url: String, role: WHIPRole, token: (@Sendable () async throws -> String)? = nil, trustRootsFile: String? = nil,
        requestLimit: Duration = .seconds(10), logger: Logger = Logger(label: "signaling")
    ) {
        (self.url, self.role, self.token, self.trustRootsFile) = (url, role, token, trustRootsFile)
        limit = .milliseconds(Int64(min(max(requestLimit / .milliseconds(1), 1), 3_600_000)))
        self.logger = logger
        (events, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
    }

    /// Checks the URL, and asks the endpoint for its STUN and TURN servers (OPTIONS; RFC 9725 section 4.6).
    ///
    /// Any answer shows that the server is there. Whether it takes the token shows with the first call.
    ///
    /// - Throws: ``SignalingError/invalidURL(_:text:)``, ``SignalingError/unreachable(_:text:)``.
    @discardableResult
    public func connect(as user: String) async throws(SignalingError) -> [IceServer] {
        guard !isClosed else { throw .closed }
        let server = WHIPServer(endpoint: try endpoint(), tls: try trust(), token: token, limit: limit)
        let response: HTTPResponse
        do throws(HTTPFailure) {
            response = try await server.send(.OPTIONS, to: server.endpoint).response
        } catch {
            throw .unreachable(url, text: error.text)
        }
        self.server = server
        return response.isSuccess ? IceServerLink.servers(response.headers["Link"]) : []
    }

    private func endpoint() throws(SignalingError) -> HTTPURL {
        do {
            return try HTTPURL(url)
        } catch {
            let text =
                switch error {
                case .malformed: "it names no host, or has a character that no URL has"
                case .unknownScheme: "the URL of a WHIP or WHEP endpoint begins with http:// or https://"
                case .hasPassword: "a user or password in it is not supported; use a token"
                }
            throw .invalidURL(url, text: text)
        }
    }

    private func trust() throws(SignalingError) -> NIOSSLContext? {
        do {
            // A server without TLS may redirect to one with it.
            return try TrustedRoots.context(file: trustRootsFile)
        } catch {
            guard try endpoint().isSecure || trustRootsFile != nil else { return nil }
            throw .unreachable(url, text: error.text)
        }
    }

    /// Carries out one message of a call; returns before the server has answered.
    ///
    /// - Throws: ``SignalingError/notConnected`` before ``connect(as:)``, ``SignalingError/malformed(_:)``.
    public func send(_ text: String, to user: String) async throws(SignalingError) {
        guard let server, !isClosed else { throw .notConnected }
        let message: SignalingMessage
        do { message = try SignalingMessage(decoding: text) } catch { throw .malformed(error) }
        if case .invite = message.body, sessions[message.callId] == nil {
            let session = WHIPSession(
                of: message, on: server, as: role, logger: logger, report: { [sink] in sink.yield($0) })
            sessions[message.callId] = session
            await session.take(message)
            return await forgetFinished()
        }
        await sessions[message.callId]?.take(message)
    }

    private func forgetFinished() async {
        for (callId, session) in sessions where await session.isFinished { sessions[callId] = nil }
    }

    /// Ends all sessions on the server, and then ``events``.
    public func close() async {
        isClosed = true
        let all = sessions.values
        sessions = [:]
        await withTaskGroup(of: Void.self) { group in
            for session in all { group.addTask { await session.close() } }
        }
        sink.finish()
    }
}
