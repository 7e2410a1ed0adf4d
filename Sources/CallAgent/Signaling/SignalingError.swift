/// What can go wrong with signaling.
public enum SignalingError: Error, Sendable, Equatable {
    /// The transport does not understand the URL.
    case invalidURL(String, text: String)
    /// A transport that is a server cannot listen at this address; `text` says why.
    case cannotListen(String, text: String)
    /// No connection to the server; `text` is the system's own message.
    case unreachable(String, text: String)
    /// The server refused the sign-in: 401 token, 409 name taken, 400 malformed name.
    case signInRefused(code: Int, text: String)
    /// Another program signed in as this user and device and replaced this one.
    case replaced(text: String)
    /// The transport is not connected now.
    case notConnected
    /// The transport was closed by ``SignalingTransport/close()``.
    case closed
    /// The receiver does not read: so many messages wait for it already. The message was not taken.
    case receiverIsFull(String, limit: Int)
    /// A message does not follow the protocol.
    case malformed(MalformedMessage)
}

extension SignalingError: CustomStringConvertible {
    /// One line: what, why and what to do.
    public var description: String {
        switch self {
        case .invalidURL(let url, let text): "'\(url.withoutSecrets)' is no signaling URL: \(text)"
        case .cannotListen(let place, let text): "cannot listen on \(place): \(text)"
        case .unreachable(let url, let text):
            "cannot reach the signaling server at \(url.withoutSecrets): \(text); is it running?"
        case .signInRefused(let code, let text): "the signaling server refused the sign-in (\(code)): \(text)"
        case .replaced(let text):
            "another program signed in as the same user and device (\(text)); give each program a device of its own"
        case .notConnected: "the signaling connection is down; try again when it is back"
        case .closed: "signaling was closed"
        case .receiverIsFull(let user, let limit):
            "\(limit) messages wait for \(user) already; does it read its events?"
        case .malformed(let message): message.description
        }
    }
}
