internal import CallProtocol
internal import NIOHTTP1

/// What a client asks for.
enum EndpointRequest: Sendable, Equatable {
    /// What is here (OPTIONS).
    case describe
    /// A session (POST to the path of a role).
    case open(ClientOffer, WHIPRole)
    /// Candidates, or another network path, of a session (PATCH).
    case change(session: String, TrickleFragment, tag: String)
    /// The end of a session (DELETE).
    case end(session: String)

    /// The methods that a path takes.
    private enum Place {
        case endpoint(WHIPRole)
        case session(String)

        init?(_ uri: String) {
            let path = uri.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: true)
            guard let role = path.first.flatMap({ WHIPRole(rawValue: String($0)) }), path.count <= 2 else { return nil }
            self = path.count == 1 ? .endpoint(role) : .session(String(path[1]))
        }

        var methods: String {
            switch self {
            case .endpoint: "OPTIONS, POST"
            case .session: "OPTIONS, PATCH, DELETE"
            }
        }
    }

    /// The path of a session.
    static func path(_ role: WHIPRole, session: String) -> String { "/\(role.endpoint)/\(session)" }

    /// Reads a request.
    ///
    /// - Throws: The response to a request that cannot be carried out, whoever sends it.
    init(_ head: HTTPRequestHead, body: String) throws(EndpointReply) {
        guard let place = Place(head.uri) else {
            let paths = WHIPRole.allCases.map { "/\($0.endpoint)" }.joined(separator: " and ")
            throw EndpointReply(refusing: .notFound, "nothing is here; the endpoints are \(paths)")
        }
        let type = head.headers.first(name: "Content-Type")?.lowercased().prefix { $0 != ";" && $0 != " " } ?? ""
        switch (head.method, place) {
        case (.OPTIONS, _): self = .describe
        case (.POST, .endpoint(let role)):
            try Self.require(type, "application/sdp")
            do throws(ClientOffer.Unusable) {
                self = .open(try ClientOffer(body, of: role), role)
            } catch {
                throw EndpointReply(refusing: .badRequest, error.text)
            }
        case (.PATCH, .session(let session)):
            try Self.require(type, TrickleFragment.contentType)
            guard let tag = head.headers.first(name: "If-Match") else {
                throw EndpointReply(
                    refusing: .preconditionRequired, "If-Match is missing: the ETag of the session, or *")
            }
            guard let fragment = TrickleFragment(parsing: body), fragment.credentials.isValid else {
                throw EndpointReply(refusing: .badRequest, "the body is no SDP fragment with ICE credentials")
            }
            self = .change(session: session, fragment, tag: tag)
        case (.DELETE, .session(let session)): self = .end(session: session)
        default:
            throw EndpointReply(
                refusing: .methodNotAllowed, "\(head.method.rawValue) does nothing here",
                headers: ["Allow": place.methods])
        }
    }

    private static func require(_ type: Substring, _ wanted: String) throws(EndpointReply) {
        guard type == wanted else {
            throw EndpointReply(
                refusing: .unsupportedMediaType, "the body has to be \(wanted)", headers: ["Accept": wanted])
        }
    }
}
