internal import NIOCore
internal import NIOHTTP1

/// The HTTP paths of the server besides its WebSocket.
enum Router {
    /// Answers a request; `head` is nil for a malformed upgrade.
    static func answer(to head: HTTPRequestHead?, on channel: any Channel, _ exchange: Exchange) -> HTTPAnswer {
        guard let head else { return exchange.isDraining ? stopping : upgradeRequired }
        let request = Admission<ObjectIdentifier>.Request(head, on: channel)
        guard let client = exchange.client(of: request, on: channel) else { return tooMany }
        let path = String(head.uri.prefix { $0 != "?" })
        // The health check is allowed by any name: the answer contains nothing else.
        guard path == "/healthz" || exchange.isOwnName(request) else { return foreignName }
        return answer(to: head, path, isLocal: client.isLocal, exchange)
    }

    private static func answer(
        to request: HTTPRequestHead, _ path: String, isLocal: Bool, _ exchange: Exchange
    ) -> HTTPAnswer {
        let known = Page.answers[path] ?? dynamic(path, isLocal, exchange)
        guard let known else { return exchange.isDraining ? stopping : upgradeRequired }
        guard request.method == .GET || request.method == .HEAD else {
            return HTTPAnswer(
                status: .methodNotAllowed, body: "use GET\n", headers: [("Allow", "GET, HEAD")])
        }
        let tag = known.headers.first { $0.0 == "ETag" }?.1
        guard let tag, request.headers[canonicalForm: "If-None-Match"].contains(where: { $0 == tag }) else {
            return known
        }
        // The client has the current version already (RFC 9110 section 13.1.2).
        return HTTPAnswer(status: .notModified, body: "", headers: known.headers)
    }

    private static func dynamic(_ path: String, _ isLocal: Bool, _ exchange: Exchange) -> HTTPAnswer? {
        switch path {
        case "/healthz": health(exchange)
        case "/metrics":
            isLocal || exchange.configuration.metricsPublic
                ? HTTPAnswer(
                    status: .ok, contentType: "text/plain; version=0.0.4; charset=utf-8", body: exchange.metricsText())
                : HTTPAnswer(status: .forbidden, body: "metrics are for this machine only\n")
        default: nil
        }
    }

    private static func health(_ exchange: Exchange) -> HTTPAnswer {
        if exchange.isDraining { return stopping }
        return exchange.lacksRelay
            ? HTTPAnswer(status: .serviceUnavailable, body: "the broker takes nobody\n")
            : HTTPAnswer(status: .ok, body: "ok\n")
    }

    /// The response to a page of another server that tries to connect.
    static let foreignPage = HTTPAnswer(
        status: .forbidden, body: "pages of another origin may not connect; see the server's --allow-origin\n")

    /// The response to a request by a name that is not the server's: an attacker may have let it resolve here (RFC 9110 section 15.5.20).
    static let foreignName = HTTPAnswer(
        status: .misdirectedRequest, body: "this server has another name; see its --allow-host\n")

    /// The response to a client behind a proxy whose address has too many connections.
    static let tooMany = HTTPAnswer(status: .tooManyRequests, body: "too many connections from your address\n")

    static let stopping = HTTPAnswer(status: .serviceUnavailable, body: "the server stops\n")

    private static let upgradeRequired = HTTPAnswer(
        status: .upgradeRequired, body: "This is a signaling server: connect with a WebSocket (RFC 6455).\n",
        headers: [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")])
}
