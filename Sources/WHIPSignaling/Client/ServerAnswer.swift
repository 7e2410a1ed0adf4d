internal import CallAgent
internal import CallProtocol
internal import HTTPClient
internal import NIOHTTP1

/// What a server's response to an offer means for the call.
enum ServerAnswer: Sendable, Equatable {
    /// The server takes the session: its SDP, and what it sends.
    case accepted(sdp: String, sends: MediaState)
    /// The server refuses it.
    case refused(SignalingMessage.Body)

    /// Reads the response of a POST; `mayReceive` tells whether this end asked for media, `hasToken` whether it sent a token.
    ///
    /// `inviteId` is the message that is refused.
    init(_ response: HTTPResponse, from url: HTTPURL, mayReceive: Bool, hasToken: Bool, inviteId: String) {
        guard response.isSuccess else {
            self = .refused(Self.refusal(response, from: url, hasToken: hasToken, inviteId: inviteId))
            return
        }
        if let fault = response.fault {
            let text = SignalingLimits.bounded("the answer of \(url.text) \(fault)")
            self = .refused(.error(.init(code: SignalingCode.malformed, text: text, ref: inviteId)))
            return
        }
        guard response.body.hasPrefix("v=0") else {
            let text = SignalingLimits.bounded(
                "no SDP answer but \(response.status) from \(url.text); is it a WHIP or WHEP endpoint?")
            self = .refused(.error(.init(code: SignalingCode.malformed, text: text, ref: inviteId)))
            return
        }
        self = .accepted(
            sdp: response.body,
            sends: mayReceive ? MediaState(sentBy: response.body) : .nothing)
    }

    private static func refusal(
        _ response: HTTPResponse, from url: HTTPURL, hasToken: Bool, inviteId: String
    ) -> SignalingMessage.Body {
        var text = "\(url.text) answered \(response.status)"
        switch response.status {
        case 401 where !hasToken: text += ", so it wants a token"
        case 403 where !hasToken: text += ", so it refuses this client"
        case 401, 403: text += ", so it does not accept the token, or refuses its user"
        case 404, 410: text += ", so there is nothing at this URL"
        case 406, 415, 422: text += ", so it cannot use the offered media"
        case 405: text += "; is it a WHIP or WHEP endpoint?"
        default: break
        }
        if let wait = response.headers.first(name: "Retry-After").flatMap({ Int($0) }) {
            text += "; try again after \(wait) s"
        }
        if let words = words(response) { text += ": \(words)" }
        text = SignalingLimits.bounded(text)
        switch response.status {
        case 404, 410: return .reject(.init(code: SignalingCode.unknownUser, text: text))
        case 406, 415, 422: return .reject(.init(code: 488, text: text))
        default: break
        }
        return .error(.init(code: response.status, text: text, ref: inviteId))
    }

    /// The first line of a response in plain text, for people.
    private static func words(_ response: HTTPResponse) -> Substring? {
        guard response.headers.first(name: "Content-Type")?.lowercased().hasPrefix("text/plain") == true else {
            return nil
        }
        return response.body.split(whereSeparator: \.isNewline).first?.prefix(200)
    }
}
