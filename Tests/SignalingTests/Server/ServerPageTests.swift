import Foundation
import SignalingServer
import Testing

/// The page for browsers.
@Suite(.timeLimit(.minutes(2)))
struct ServerPageTests {
    @Test func thePageMayLoadNothingFromElsewhere() async throws {
        try await withServer { server in
            let page = try await RawClient.answer("GET /?as=alice", port: server.port)
            #expect(
                page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.contains("Content-Type: text/html; charset=utf-8\r\n"))
            #expect(page.contains("X-Content-Type-Options: nosniff\r\n"))
            let policy = try #require(
                page.components(separatedBy: "\r\n").first { $0.hasPrefix("Content-Security-Policy: ") })
            for part in ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"] {
                #expect(policy.contains(part))
            }
            for word in ["unsafe", "http:", "https:", " *"] { #expect(!policy.contains(word)) }
            #expect(try await RawClient.answer("GET /index.html", port: server.port).hasSuffix("</html>\n"))
            #expect(try await RawClient.answer("POST /", port: server.port).hasPrefix("HTTP/1.1 405 "))
            #expect(try await RawClient.answer("GET /../page.js", port: server.port).hasPrefix("HTTP/1.1 426 "))
        }
    }

    @Test func whateverThePageNamesIsServed() async throws {
        try await withServer { server in
            var waiting = ["index.html"]
            var seen: Set<String> = []
            while let name = waiting.popLast() {
                guard seen.insert(name).inserted else { continue }
                let answer = try await RawClient.answer("GET /\(name)", port: server.port)
                #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(name)")
                let kinds = [
                    "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
                ]
                if let kind = kinds[String(name.split(separator: ".").last ?? "")] {
                    #expect(answer.contains("Content-Type: \(kind)\r\n"), "\(name)")
                }
                // Modules are imported as "./name.js". The HTML names its files in src and href.
                let parts = answer.components(separatedBy: "\"")
                for (before, word) in zip(parts, parts.dropFirst()) {
                    if before.hasSuffix("from "), word.hasPrefix("./") { waiting.append(String(word.dropFirst(2))) }
                    if before.hasSuffix("src=") || before.hasSuffix("href="), word.contains(".") {
                        waiting.append(word)
                    }
                }
            }
            #expect(
                seen.isSuperset(of: ["page.js", "callagent.js", "rules.js", "delivery.js", "page.css", "icon.svg"]))
        }
    }

    @Test func whatABrowserHasAlreadyIsNotSentAgain() async throws {
        try await withServer { server in
            let first = try await RawClient.answer("GET /callagent.js", port: server.port)
            #expect(first.contains("Cache-Control: no-cache\r\n"))
            let tag = try #require(first.firstMatch(of: /ETag: ("[0-9a-f]+")\r\n/)?.1)
            let again = try await RawClient.answer(
                "GET /callagent.js", fields: "If-None-Match: \(tag)\r\n", port: server.port)
            #expect(
                again.hasPrefix("HTTP/1.1 304 ") && again.hasSuffix("\r\n\r\n") && !again.contains("Content-Length"))
            let other = try await RawClient.answer(
                "GET /callagent.js", fields: "If-None-Match: \"0\"\r\n", port: server.port)
            #expect(other.hasPrefix("HTTP/1.1 200 "))
            #expect(try await RawClient.answer("HEAD /callagent.js", port: server.port).hasSuffix("\r\n\r\n"))
        }
    }
}
