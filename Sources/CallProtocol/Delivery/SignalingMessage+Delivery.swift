extension SignalingMessage.Body {
    /// Whether the message is repeated until it is acknowledged.
    package var isReliable: Bool {
        switch self {
        case .ack, .error, .gone: false
        default: true
        }
    }

    /// Whether the message is delivered before earlier messages that have not arrived.
    var overtakes: Bool {
        switch self {
        case .reject, .cancel, .hangup, .query, .status: true
        default: false
        }
    }

    /// Whether earlier messages about the call are of no use any more.
    var endsEverything: Bool {
        switch self {
        case .reject, .hangup: true
        // A cancel that names a winner is about the other devices.
        case .cancel(let farewell): farewell.winner == nil
        default: false
        }
    }

    /// Whether the message ends a call, or a part of it.
    package var isFarewell: Bool {
        switch self {
        case .reject, .cancel, .hangup: true
        default: false
        }
    }

    package var isInvite: Bool { if case .invite = self { true } else { false } }
}
