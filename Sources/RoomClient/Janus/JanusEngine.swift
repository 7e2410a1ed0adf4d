internal import CallAgent
internal import Foundation
internal import NIOSSL
public import Logging
internal import TransportSecurity

/// Rooms on a Janus server (https://janus.conf.meetecho.com): its WebSocket API and its plugin VideoRoom.
///
/// Each subscription is a connection of its own. The server decides about codecs: those of the room's configuration count.
public struct JanusEngine: RoomEngine {
    private let url: SignalingURL
    private let token: (@Sendable () async throws -> String)?
    private let apiSecret: (@Sendable () async throws -> String)?
    private let trustRootsFile: String?
    private let limit: Duration
    private let logger: Logger

    /// Describes a server; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - url: The URL of its WebSocket API, such as `ws://127.0.0.1:8188/` or `wss://rooms.example.org/janus`.
    ///   - token: Returns the token for each session (`token_auth` in the server's configuration); nil where the server wants none.
    ///   - apiSecret: Returns the secret for each session that the server shares with its own applications (`api_secret`); nil where it has none.
    ///     A server with both takes either.
    ///   - trustRootsFile: A PEM file with certificates to trust for `wss://`, in addition to the system's.
    ///   - requestLimit: How long connecting and each request may take; an hour at most.
    ///   - logger: Gets the log of what the server refuses; secrets are never logged.
    /// - Throws: ``RoomError/invalidURL(_:text:)``.
    public init(
        url: String, token: (@Sendable () async throws -> String)? = nil,
        apiSecret: (@Sendable () async throws -> String)? = nil, trustRootsFile: String? = nil,
        requestLimit: Duration = .seconds(10), logger: Logger = Logger(label: "room")
    ) throws(RoomError) {
        do throws(SignalingError) {
            self.url = try SignalingURL(url, .webSocket)
        } catch {
            if case .invalidURL(_, let text) = error { throw .invalidURL(url, text: text) }
            throw .invalidURL(url, text: error.description)
        }
        (self.token, self.apiSecret, self.trustRootsFile, self.logger) = (token, apiSecret, trustRootsFile, logger)
        limit = min(max(requestLimit, .milliseconds(1)), .seconds(3_600))
    }

    /// Connects, and joins the room as a publisher that publishes nothing yet.
    public func join(_ entry: RoomEntry) async throws(RoomError) -> any RoomMembership {
        let (url, tls, limit) = (url, try trust(), limit)
        var credentials = JanusCredentials()
        do { credentials.token = try await token?() } catch {
            throw .unauthorized(text: "there is no token: \(error)")
        }
        do { credentials.apiSecret = try await apiSecret?() } catch {
            throw .unauthorized(text: "there is no API secret: \(error)")
        }
        let session = JanusSession(credentials, limit: limit) { () async throws(RoomError) in
            try await JanusSocket.open(url, tls: tls, within: limit)
        }
        do throws(RoomError) {
            try await session.begin()
            return try await JanusMembership.join(entry, on: session, logger: logger)
        } catch {
            await session.close()
            throw error
        }
    }

    private func trust() throws(RoomError) -> NIOSSLContext? {
        guard url.isSecure else { return nil }
        do {
            return try TrustedRoots.context(file: trustRootsFile)
        } catch {
            throw .unreachable(url.text, text: error.text)
        }
    }
}
