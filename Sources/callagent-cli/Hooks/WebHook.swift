internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import TLSClient

/// Sends one webhook.
enum WebHook {
    /// Posts `body` as JSON and waits for the status, for at most `limit` in total.
    ///
    /// `tls` turns on TLS. The server's certificate then has to be trusted and to be for the URL's host.
    ///
    /// - Returns: an error text; nil if the post succeeded.
    static func post(_ body: String, to url: WebHookURL, tls: NIOSSLContext?, limit: TimeAmount) async -> String? {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let answer = loop.makePromise(of: UInt.self)
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: url.target)
        head.headers = [
            "Host": url.authority, "Content-Type": "application/json", "Content-Length": "\(body.utf8.count)",
            "User-Agent": "callagent/\(Version.program)", "Connection": "close",
        ]
        let request = head
        let connecting = ClientBootstrap(group: loop).connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        // An IP address is not sent as the server name; the library compares it with the certificate by itself.
                        let name = url.isAddress ? nil : url.host
                        let handler = try NIOSSLClientHandler(context: tls, serverHostname: name)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(WebHookHandler(request, body, answer))
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
            let status = try await answer.futureResult.get()
            return (200..<300).contains(status) ? nil : "the answer was \(status)"
        } catch ChannelError.connectTimeout {
            return "no answer within \(limit.nanoseconds / 1_000_000_000) s"
        } catch let error as NIOConnectionError {
            return "no connection to \(error.host):\(error.port)"
        } catch {
            return ConnectionFailure.text(error, plain: "http://") ?? "\(error)"
        }
    }
}
