internal import CallProtocol

/// Reads and writes the STUN and TURN servers in the `Link` headers of a response (RFC 9725 section 4.6, RFC 8288 section 3).
enum IceServerLink {
    /// The most servers that are taken from one response.
    static let maximum = 16
    /// How long they count as valid, in ms: the header does not say.
    static let validForMs = 3_600_000

    /// The servers of all links whose relation is `ice-server`; others and malformed ones are skipped.
    static func servers(_ headers: [String]) -> [IceServer] {
        Array(headers.flatMap(links).compactMap(server).prefix(maximum))
    }

    /// The links to these servers, one for each URL.
    static func links(to servers: [IceServer]) -> [String] {
        servers.flatMap { server in
            server.urls.map { url in
                let parameters = [("username", server.username), ("credential", server.credential)]
                    .compactMap { name, value in value.map { "; \(name)=\(quoted($0))" } }
                let type = server.credential == nil ? "" : "; credential-type=\"password\""
                return "<\(url)>; rel=\"ice-server\"" + parameters.joined() + type
            }
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        return "\"\(String(escaped))\""
    }

    /// A link like `<turn:turn.example.org?transport=udp>; rel="ice-server"; username="user"; credential="word"; credential-type="password"`.
    private static func server(_ link: Substring) -> IceServer? {
        let parts = split(link, at: ";").map(trimmed)
        guard let target = parts.first, target.hasPrefix("<"), target.hasSuffix(">") else { return nil }
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            let name = part.prefix { $0 != "=" }
            guard name.count < part.count else { continue }
            let value = trimmed(part.dropFirst(name.count + 1))
            parameters[trimmed(name).lowercased()] = unquoted(value)
        }
        let relations = (parameters["rel"] ?? "").split(separator: " ")
        guard relations.contains("ice-server"), (parameters["credential-type"] ?? "password") == "password" else {
            return nil
        }
        return IceServer(
            urls: [String(target.dropFirst().dropLast())], username: parameters["username"],
            credential: parameters["credential"])
    }

    private static func links(_ header: String) -> [Substring] { split(Substring(header), at: ",") }

    /// Splits a text, except inside `<…>` and `"…"`.
    private static func split(_ text: Substring, at separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var (start, isQuoted, isTarget, isEscaped) = (text.startIndex, false, false, false)
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted {
                isEscaped = character == "\\"
                isQuoted = character != "\""
            } else if isTarget {
                isTarget = character != ">"
            } else if character == separator {
                parts.append(text[start..<index])
                start = text.index(after: index)
            } else {
                (isQuoted, isTarget) = (character == "\"", character == "<")
            }
        }
        return parts + [text[start...]]
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private static func unquoted(_ text: Substring) -> String {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return String(text) }
        var (value, isEscaped) = ("", false)
        for character in text.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                value.append(character)
                isEscaped = false
            }
        }
        return value
    }
}
