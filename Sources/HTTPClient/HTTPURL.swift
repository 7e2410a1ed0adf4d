internal import Foundation
internal import LocalNetwork

/// An `http://` or `https://` URL, in the parts that a request needs.
package struct HTTPURL: Sendable, Equatable {
    /// Why a text is no URL of this kind.
    package enum Invalid: Error, Equatable {
        /// It is no URL, or it names no host.
        case malformed
        /// Its scheme is another one.
        case unknownScheme
        /// It holds a user name or a password.
        case hasPassword
    }

    /// The whole URL, for people.
    package let text: String
    /// Whether the scheme is `https`.
    package let isSecure: Bool
    /// Without the brackets of an IPv6 address.
    package let host: String
    package let port: Int
    /// The path and the query.
    package let target: String
    /// The host and the port as the request has them.
    package let authority: String

    /// Reads a URL; a fragment is dropped.
    package init(_ text: String) throws(Invalid) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), let parts = URLComponents(string: text),
            let host = parts.host, !host.isEmpty, (1...65_535).contains(parts.port ?? 80)
        else { throw .malformed }
        let scheme = parts.scheme?.lowercased()
        guard scheme == "http" || scheme == "https" else { throw .unknownScheme }
        guard parts.user == nil, parts.password == nil else { throw .hasPassword }
        // It is decoded by now, and goes into a header.
        let name = host.trimmingCharacters(in: ["[", "]"])
        guard LocalAddresses.isNumeric(name) || name.utf8.allSatisfy(Self.isNameByte) else { throw .malformed }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        isSecure = scheme == "https"
        self.host = name.lowercased()
        port = parts.port ?? (isSecure ? 443 : 80)
        target = path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
        authority = host + (parts.port.map { ":\($0)" } ?? "")
        self.text = "\(isSecure ? "https" : "http")://\(authority)\(target)"
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The URL that a response to this one refers to, such as its `Location`: absolute or relative (RFC 3986 section 5).
    package func resolving(_ reference: String) throws(Invalid) -> HTTPURL {
        guard let url = URL(string: reference, relativeTo: URL(string: text)) else { throw .malformed }
        return try HTTPURL(url.absoluteString)
    }

    /// Where a response of this server sends this end: never from `https` to `http`.
    ///
    /// A server behind a proxy for TLS often names itself with `http`; then `https` is meant.
    package func following(_ reference: String) throws(Invalid) -> HTTPURL {
        let next = try resolving(reference)
        guard isSecure, !next.isSecure else { return next }
        guard next.host == host else { throw .unknownScheme }
        return try HTTPURL("https://\(authority)\(next.target)")
    }

    /// Whether the host is an IP address; a certificate names addresses in another way.
    package var isAddress: Bool { LocalAddresses.isNumeric(host) }

    /// Whether the host is certainly this machine.
    package var isLoopback: Bool { LocalAddresses.isLoopback(host) }
}
