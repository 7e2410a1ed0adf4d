internal import CallAgent

/// The rules by which the two ends of a call go on in a room: make before break.
///
/// Each end joins, says which participant it is, waits until it receives the other one in the room, and says that, too. When both do, they hang up. So no end loses
/// the other from sight, and a transfer that fails leaves the call as it was. The ends have no roles: either one may be late.
struct RoomTransfer {
    enum Event {
        /// The call was accepted, or was before.
        case accepted
        case message(RoomTransferMessage)
        /// The participant that the peer is has its first frame here.
        case receiving
        case callEnded(CallEnd)
        case expired
    }

    enum Action: Equatable {
        case send(RoomTransferMessage)
        /// Wait until this participant is received.
        case await(participant: String)
        /// The peer is heard in the room from now on.
        case silenceCall
        /// The call stays; undo ``silenceCall``.
        case restoreCall
        case hangUp
    }

    /// The outcome; nil while it is open.
    private(set) var result: Result<Void, RoomError>?
    private let participant: String
    private let invitation: RoomInvitation?
    private var wasAccepted = false
    private var peer: String?
    private var receives = false
    private var peerReceives = false

    /// - Parameters:
    ///   - participant: this end's id in the room.
    ///   - invitation: what the peer gets to know; nil if it knows already.
    init(as participant: String, inviting invitation: RoomInvitation?) {
        (self.participant, self.invitation) = (participant, invitation)
    }

    mutating func handle(_ event: Event) -> [Action] {
        guard result == nil else { return [] }
        switch event {
        case .accepted where !wasAccepted:
            wasAccepted = true
            return (invitation.map { [.send(.invitation($0))] } ?? []) + [.send(.joined(participant: participant))]
        case .message(.joined(let id)) where peer == nil:
            peer = id
            // The peer may not have listened when this end said it the first time.
            return (wasAccepted ? [.send(.joined(participant: participant))] : []) + [.await(participant: id)]
        case .receiving where !receives:
            receives = true
            return [.silenceCall, .send(.receives)] + succeedIfBothReceive()
        case .message(.receives):
            peerReceives = true
            return succeedIfBothReceive()
        case .message(.refused(let text)): return fail(.notTransferred(text: text))
        case .callEnded(let end):
            // The other end was the first to know that both receive each other.
            result = receives ? .success(()) : .failure(.call(.ended(end)))
            return []
        case .expired:
            let cause =
                if peer == nil { "the peer did not join" } else if !receives { "the peer is not received there" } else {
                    "the peer does not receive this end there"
                }
            return fail(.notTransferred(text: cause))
        case .accepted, .receiving, .message: return []
        }
    }

    private mutating func succeedIfBothReceive() -> [Action] {
        guard receives, peerReceives else { return [] }
        result = .success(())
        return [.hangUp]
    }

    /// Fails with this error, unless it is over.
    mutating func fail(_ error: RoomError) -> [Action] {
        guard result == nil else { return [] }
        result = .failure(error)
        return receives ? [.restoreCall] : []
    }
}
