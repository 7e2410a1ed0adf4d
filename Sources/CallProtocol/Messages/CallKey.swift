/// Names a call at one end: an id belongs to the two users who say it, so nobody else can mean, end or take their call by it.
package struct CallKey: Sendable, Hashable {
    /// The user at the other end.
    package var peer: String
    package var callId: String

    package init(peer: String, callId: String) {
        self.peer = peer
        self.callId = callId
    }
}

extension SignalingMessage {
    /// The call that a message of this end is about.
    package var sentKey: CallKey { CallKey(peer: to, callId: callId) }

    /// The call that a message of the peer is about.
    package var receivedKey: CallKey { CallKey(peer: from, callId: callId) }

    /// Whether the message is for this device of `user`; every device is meant when the message names none.
    package func isAddressed(to user: String, device: String?) -> Bool {
        to == user && (toDevice ?? device) == device
    }
}
