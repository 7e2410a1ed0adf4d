internal import HTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// Sends the requests of sessions to one server, with its token.
struct WHIPServer: Sendable {
    /// How many redirects of one request are followed.
    private static let maximumRedirects = 5

    let endpoint: HTTPURL
    /// For `https`; nil when the system's certificates cannot be read and the endpoint does not need them.
    let tls: NIOSSLContext?
    let token: (@Sendable () async throws -> String)?
    /// How long a request may take, with its token and its redirects.
    let limit: TimeAmount

    /// Sends a request, and again to where the server redirects it (307 and 308; RFC 9725 section 4.5).
    ///
    /// - Returns: The response, and the URL that sent it.
    func send(
        _ method: HTTPMethod, to url: HTTPURL, headers: HTTPHeaders = [:], body: String = "",
        within limit: TimeAmount? = nil
    ) async throws(HTTPFailure) -> (response: HTTPResponse, url: HTTPURL) {
        let limit = limit ?? self.limit
        let end = NIODeadline.now() + limit
        var headers = headers
        headers.add(name: "User-Agent", value: "callagent")
        if let token { headers.add(name: "Authorization", value: "Bearer \(try await read(token, within: limit))") }
        var url = url
        for _ in 0...Self.maximumRedirects {
            let request = HTTPRequest(method, url, headers: headers, body: body)
            let response = try await request.response(tls: tls, within: max(end - .now(), .milliseconds(1)), of: limit)
            guard [307, 308].contains(response.status) else { return (response, url) }
            guard let location = response.headers.first(name: "Location"), let next = try? url.following(location)
            else { throw HTTPFailure(text: "it redirects to no URL, or from https:// to http://") }
            url = next
        }
        throw HTTPFailure(text: "it redirects more than \(Self.maximumRedirects) times")
    }

    /// The application's own code may hang: then it is left alone.
    private func read(
        _ token: @escaping @Sendable () async throws -> String, within limit: TimeAmount
    ) async throws(HTTPFailure) -> String {
        let (results, result) = AsyncStream.makeStream(of: Result<String, any Error>.self)
        Task {
            do { result.yield(.success(try await token())) } catch { result.yield(.failure(error)) }
            result.finish()
        }
        let deadline = Task {
            guard (try? await Task.sleep(for: .nanoseconds(limit.nanoseconds))) != nil else { return }
            result.finish()
        }
        defer { deadline.cancel() }
        for await result in results {
            let text: String
            do { text = try result.get() } catch { throw HTTPFailure(text: "the token cannot be read: \(error)") }
            guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw HTTPFailure(text: "the token has a character that no header may have")
            }
            return text
        }
        throw HTTPFailure(text: "there is no token in time")
    }
}
