package import NIOCore
package import NIOHTTP1
internal import NIOPosix
package import NIOSSL
internal import TransportSecurity

/// One HTTP request, on a connection of its own.
package struct HTTPRequest: Sendable {
    /// The longest body of a response, in bytes; of a longer one only the beginning is read (``HTTPResponse/fault``).
    package static let longestBody = 262_144

    package var method: HTTPMethod
    package var url: HTTPURL
    /// Besides `Host`, `Content-Length` and `Connection`, which are added.
    package var headers: HTTPHeaders
    package var body: String
    /// Whether the body of the response is wanted; without it the head is enough.
    package var readsBody = true

    package init(_ method: HTTPMethod, _ url: HTTPURL, headers: HTTPHeaders = [:], body: String = "") {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }

    /// Sends the request and waits for the whole response, for at most `limit` in total.
    ///
    /// `tls` is needed for an `https` URL. The server's certificate then has to be trusted and to be for the URL's host. A redirect is a response like any
    /// other. If the current task is cancelled, the connection is closed.
    /// `whole` is what a failure gives as the limit, if this request has only a part of it.
    package func response(
        tls: NIOSSLContext?, within limit: TimeAmount, of whole: TimeAmount? = nil
    ) async throws(HTTPFailure) -> HTTPResponse {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let answer = loop.makePromise(of: HTTPResponse.self)
        let (head, body, url, readsBody) = (head, body, url, readsBody)
        let connecting = ClientBootstrap(group: loop).connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if url.isSecure {
                        guard let tls else { throw HTTPExchangeHandler.Fault.noTrustedRoots }
                        // An IP address is not sent as the server name; the library compares it with the certificate by itself.
                        let name = url.isAddress ? nil : url.host
                        let handler = try NIOSSLClientHandler(context: tls, serverHostname: name)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(
                        HTTPExchangeHandler(head, body, readsBody: readsBody, answer))
                }
            }
            .connect(host: url.host, port: url.port)
        connecting.whenFailure { answer.fail($0) }
        let deadline = loop.scheduleTask(in: limit) { answer.fail(ChannelError.connectTimeout(limit)) }
        defer {
            deadline.cancel()
            connecting.whenSuccess { $0.close(promise: nil) }
        }
        do {
            return try await withTaskCancellationHandler {
                try await answer.futureResult.get()
            } onCancel: {
                answer.fail(CancellationError())
            }
        } catch {
            throw HTTPFailure(error, limit: whole ?? limit)
        }
    }

    private var head: HTTPRequestHead {
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: url.target, headers: headers)
        head.headers.replaceOrAdd(name: "Host", value: url.authority)
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        if !body.isEmpty || method == .POST || method == .PATCH {
            head.headers.replaceOrAdd(name: "Content-Length", value: "\(body.utf8.count)")
        }
        return head
    }
}

/// The response to an ``HTTPRequest``.
package struct HTTPResponse: Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    package var body: String
    /// What is wrong with the body, in a few words; nil: it is whole.
    package var fault: String?

    /// Whether the request succeeded.
    package var isSuccess: Bool { (200..<300).contains(status) }
}

/// Why there is no response.
package struct HTTPFailure: Error {
    /// In a few words, for people.
    package let text: String
    /// Whether the task that waited was cancelled.
    package let isCancelled: Bool

    /// A failure that is not the connection's.
    package init(text: String) { (self.text, isCancelled) = (text, false) }

    init(_ error: any Error, limit: TimeAmount) {
        isCancelled = error is CancellationError
        let ms = limit.nanoseconds / 1_000_000
        text =
            switch error {
            case ChannelError.connectTimeout: "no answer within \(ms % 1_000 == 0 ? "\(ms / 1_000) s" : "\(ms) ms")"
            case is CancellationError: "given up"
            case is HTTPParserError: "it does not speak HTTP"
            case HTTPExchangeHandler.Fault.noTrustedRoots: "it needs TLS, which is not set up"
            default: ConnectionFailure.text(error, plain: "http://") ?? "\(error)"
            }
    }
}
