/// Identifies a call at one end by peer and id, so that no other user can address, end or take the call by its id.
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

    /// Whether the message is for this device of `user`; a message that names no device is for all.
    package func isAddressed(to user: String, device: String?) -> Bool {
        to == user && (toDevice ?? device) == device
    }
}

/// One device of one user: the identity of a signed-in connection.
package struct Party: Sendable, Hashable {
    /// The device name of a client that names none.
    package static let defaultDevice = "main"

    package var user: String
    package var device: String

    package init(user: String, device: String) {
        self.user = user
        self.device = device
    }
}
