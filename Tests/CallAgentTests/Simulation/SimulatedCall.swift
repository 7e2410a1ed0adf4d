@testable import CallAgent

/// One end of a call, as the shell runs it.
final class SimulatedCall {
    var id: String
    let peer: String
    var machine: CallMachine
    var promises = Promises()
    var media: [Int: SimulatedMedia] = [:]
    /// When each running timer fires.
    var timers: [CallTimer: Int] = [:]
    var messagesSent = 0
    /// Whether this end's user wants the call: the user placed it or accepted it.
    var isWanted: Bool
    var invite: SignalingMessage.Invite?
    /// The media that its user asked for, when placing the call or later; nil if the user accepted the media of the peer.
    var asked: CallMedia?
    let begunAt: Int
    var acceptedAt: Int?

    var key: CallKey { CallKey(peer: peer, callId: id) }

    init(id: String, peer: String, machine: CallMachine, at now: Int) {
        begunAt = now
        self.id = id
        self.peer = peer
        self.machine = machine
        isWanted = machine.role == .caller
    }
}
