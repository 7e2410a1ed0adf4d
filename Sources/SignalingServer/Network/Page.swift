internal import Crypto
internal import NIOHTTP1

/// The page for calls in a browser; its files are part of the program (`Sources/SignalingServer/Page`).
enum Page {
    /// The HTTP response for each path.
    static let answers: [String: HTTPAnswer] = {
        var answers = Dictionary(uniqueKeysWithValues: files.map { ("/\($0.name)", answer(of: $0.name, $0.bytes)) })
        answers["/"] = answers["/index.html"]
        return answers
    }()

    /// The page may load from and connect to this server only, even if a name or text of another user contains HTML.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "media-src 'self' blob: mediastream:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    private static func answer(of name: String, _ bytes: [UInt8]) -> HTTPAnswer {
        let digest = SHA256.hash(data: bytes).prefix(12).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        var headers = [
            ("Cache-Control", "no-cache"), ("ETag", "\"\(digest.joined())\""), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        if name.hasSuffix(".html") {
            headers += [
                ("Content-Security-Policy", policy), ("Cross-Origin-Opener-Policy", "same-origin"),
                ("Permissions-Policy", "camera=(self), microphone=(self)"),
            ]
        }
        return HTTPAnswer(
            status: .ok, contentType: contentType(of: name), body: String(decoding: bytes, as: UTF8.self),
            headers: headers)
    }

    private static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "text/javascript; charset=utf-8"
        }
    }
}
