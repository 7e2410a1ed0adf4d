internal import NIOHTTP1

/// The pages that the server has besides its WebSocket.
enum Router {
    /// Answers a request; `request` is nil when it asked for an upgrade that is malformed.
    static func answer(to request: HTTPRequestHead?, fromLoopback isLocal: Bool, _ exchange: Exchange) -> HTTPAnswer {
        guard let request else { return exchange.isDraining ? stopping : upgradeRequired }
        let path = String(request.uri.prefix { $0 != "?" })
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
        // The client has it already (RFC 9110 section 13.1.2).
        return HTTPAnswer(status: .notModified, body: "", headers: known.headers)
    }

    private static func dynamic(_ path: String, _ isLocal: Bool, _ exchange: Exchange) -> HTTPAnswer? {
        switch path {
        case "/healthz": exchange.isDraining ? stopping : HTTPAnswer(status: .ok, body: "ok\n")
        case "/metrics":
            isLocal || exchange.configuration.metricsPublic
                ? HTTPAnswer(
                    status: .ok, contentType: "text/plain; version=0.0.4; charset=utf-8", body: exchange.metricsText())
                : HTTPAnswer(status: .forbidden, body: "metrics are for this machine only\n")
        default: nil
        }
    }

    /// For a page of another server that wants to connect.
    static let foreignPage = HTTPAnswer(
        status: .forbidden, body: "pages of another origin may not connect; see the server's --allow-origin\n")

    private static let stopping = HTTPAnswer(status: .serviceUnavailable, body: "the server stops\n")

    private static let upgradeRequired = HTTPAnswer(
        status: .upgradeRequired, body: "This is a signaling server: connect with a WebSocket (RFC 6455).\n",
        headers: [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")])
}
