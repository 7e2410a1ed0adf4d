internal import ArgumentParser
internal import Foundation
internal import LocalNetwork
internal import MediaEngine

/// The URL of a webhook.
struct WebHookURL: Sendable, Equatable {
    /// The whole URL, for people.
    let text: String
    /// Whether the scheme is `https`.
    let isSecure: Bool
    let host: String
    let port: Int
    /// The path and the query.
    let target: String
    /// The authority as the request has it.
    let authority: String

    /// - Throws: a `ValidationError` if the text is no `http://` or `https://` URL.
    init(parsing text: String) throws {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), let parts = URLComponents(string: text),
            let host = parts.host, !host.isEmpty, (1...65_535).contains(parts.port ?? 80)
        else {
            throw ValidationError("'\(text)' is no URL; use one such as http://127.0.0.1:9000/calls")
        }
        guard parts.scheme == "http" || parts.scheme == "https", parts.user == nil, parts.password == nil else {
            throw ValidationError("'\(text)': webhooks go to http:// or https:// without a password")
        }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        isSecure = parts.scheme == "https"
        self.host = host.trimmingCharacters(in: ["[", "]"])
        port = parts.port ?? (isSecure ? 443 : 80)
        target = path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
        authority = host + (parts.port.map { ":\($0)" } ?? "")
        self.text = "\(isSecure ? "https" : "http")://\(authority)\(target)"
    }

    /// Whether the host is an IP address; a certificate names addresses in another way.
    var isAddress: Bool { LocalAddresses.isNumeric(host) }
}
