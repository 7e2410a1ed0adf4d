internal import ArgumentParser
internal import HTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// Sends one webhook.
enum WebHook {
    /// Reads the URL of a webhook.
    ///
    /// - Throws: a `ValidationError` if the text is no `http://` or `https://` URL.
    static func url(parsing text: String) throws -> HTTPURL {
        do {
            return try HTTPURL(text)
        } catch .malformed {
            throw ValidationError("'\(text)' is no URL; use one such as http://127.0.0.1:9000/calls")
        } catch {
            throw ValidationError("'\(text)': webhooks go to http:// or https:// without a password")
        }
    }

    /// Posts `body` as JSON and waits for the response, for at most `limit` in total.
    ///
    /// - Returns: an error text; nil if the post succeeded.
    static func post(_ body: String, to url: HTTPURL, tls: NIOSSLContext?, limit: TimeAmount) async -> String? {
        var request = HTTPRequest(
            .POST, url,
            headers: ["Content-Type": "application/json", "User-Agent": "callagent/\(Version.program)"], body: body)
        request.readsBody = false
        do throws(HTTPFailure) {
            let response = try await request.response(tls: tls, within: limit)
            return response.isSuccess ? nil : "the answer was \(response.status)"
        } catch {
            return error.text
        }
    }
}
