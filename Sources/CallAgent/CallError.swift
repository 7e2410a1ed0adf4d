internal import CallProtocol

/// What can go wrong with an operation on an agent or a call.
public enum CallError: Error, Sendable, Equatable {
    /// The agent is not prepared; call ``Agent/prepare()`` first.
    case notPrepared
    /// The operation is not allowed now; `state` names the state of the agent or the call.
    case wrongState(operation: String, state: String)
    /// The agent has as many calls as its limit allows.
    case tooManyCalls(limit: Int)
    /// The string is not a valid user name; see `SignalingLimits.isName(_:)`.
    case invalidUser(String)
    /// The user tried to call itself.
    case callsItself(String)
    /// The call would have neither audio nor video from a source that the agent has.
    case noMedia
    /// A value of the agent's configuration is invalid; the text names it and its allowed range.
    case invalidConfiguration(String)
    /// The application data cannot be sent; the text says why.
    case invalidExtension(String)
    /// The message is longer than the limit.
    case tooLong(bytes: Int, limit: Int)
    /// The peer does not accept DTMF digits: its SDP has no telephone events (RFC 4733).
    case noTelephoneEvents
    /// This end or the peer allows no data channels, or the channel ended before it was open.
    case noDataChannels
    /// The id is not a valid name, or another call has it.
    case invalidCallId(String)
    /// Signaling failed.
    case signaling(SignalingError)
    /// Media failed.
    case media(MediaSessionError)
    /// The call ended before the operation was complete.
    case ended(CallEnd)
}

extension CallError: CustomStringConvertible {
    /// One line: what, why and what to do.
    public var description: String {
        switch self {
        case .notPrepared: "the agent is not prepared; call prepare() first"
        case .wrongState(let operation, let state): "\(operation) is not possible while \(state)"
        case .tooManyCalls(let limit): "the agent has \(limit) call(s) already, which is its limit"
        case .invalidUser(let user):
            "'\(user.prefix(80))' is no user name: use 1 to 64 ASCII letters, digits and . _ - @ + :"
        case .callsItself(let user): "\(user) cannot call itself; sign in as somebody else"
        case .noMedia: "the call would have neither audio nor video; give the agent a source"
        case .invalidConfiguration(let text): text
        case .invalidExtension(let text): text
        case .tooLong(let bytes, let limit): "\(bytes) bytes are more than the \(limit) that a message carries"
        case .noTelephoneEvents:
            "the peer takes no digits: its session description has no telephone-event beside the codec in use"
        case .noDataChannels:
            "the call has no data channels: both ends have to allow them"
        case .invalidCallId(let id):
            "'\(id.prefix(80))' cannot be the id of a new call: use 1 to 64 ASCII letters, digits and . _ - @ + : that no call had"
        case .signaling(let error): error.description
        case .media(let error): error.description
        case .ended(let end): "the call ended: \(end.reason.rawValue)" + (end.text.isEmpty ? "" : " (\(end.text))")
        }
    }
}

extension CallError {
    /// Refuses extension data that does not fit into a message.
    static func checkExtension(_ data: [String: String]) throws(CallError) {
        guard !SignalingLimits.isExtension(data) else { return }
        let bytes = data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        throw .invalidExtension(
            "extension data has at most \(SignalingLimits.extensionEntries) entries with names of 1 to 64 ASCII letters, digits "
                + "and . _ - @ + :, and \(SignalingLimits.extensionBytes) bytes in all, the agent's own included; "
                + "this has \(data.count) entries and \(bytes) bytes")
    }
}
