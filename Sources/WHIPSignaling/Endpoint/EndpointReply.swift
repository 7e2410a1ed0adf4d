internal import CallProtocol
internal import NIOHTTP1

/// The response to a client's request.
struct EndpointReply: Error, Sendable, Equatable {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders = [:]
    var body = ""

    init(_ status: HTTPResponseStatus, headers: HTTPHeaders = [:]) { (self.status, self.headers) = (status, headers) }

    /// A refusal, with one line for people.
    init(refusing status: HTTPResponseStatus, _ text: String, headers: HTTPHeaders = [:]) {
        self.init(status, headers: headers)
        self.headers.add(name: "Content-Type", value: "text/plain; charset=utf-8")
        body = text + "\n"
    }

    /// The session exists at `location`.
    static func created(_ answer: String, location: String, tag: String, servers: [IceServer]) -> EndpointReply {
        var reply = EndpointReply(.created)
        reply.headers = ["Content-Type": "application/sdp", "Location": location, "ETag": tag]
        for link in IceServerLink.links(to: servers) { reply.headers.add(name: "Link", value: link) }
        reply.body = answer
        return reply
    }

    /// The other network path of an ICE restart (RFC 9725 section 4.3.3).
    static func restarted(_ fragment: TrickleFragment, tag: String) -> EndpointReply {
        var reply = EndpointReply(.ok)
        reply.headers = ["Content-Type": TrickleFragment.contentType, "ETag": tag]
        reply.body = fragment.text
        return reply
    }

    static let noSession = EndpointReply(refusing: .notFound, "there is no such session, or it is over")

    /// Why the agent did not take the session: `code` is one of the call's protocol, SIP's where SIP has one.
    static func refused(code: Int, text: String) -> EndpointReply {
        let text = !text.isEmpty ? text : code == 487 ? "nobody answered" : "refused"
        return switch code {
        case 400, 413: EndpointReply(refusing: .badRequest, text)
        case 415, 488, 606: EndpointReply(refusing: .notAcceptable, text)
        case 408, 480, 487: EndpointReply(refusing: .gatewayTimeout, text)
        case 429, 486, 600: EndpointReply(refusing: .serviceUnavailable, text, headers: ["Retry-After": "5"])
        // The agent's own media or network failed.
        case 500...599, 9_906: EndpointReply(refusing: .internalServerError, text)
        default: EndpointReply(refusing: .forbidden, text)
        }
    }
}
