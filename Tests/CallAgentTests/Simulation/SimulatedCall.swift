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
    /// This end's user wants the call: it placed it or accepted it.
    var isWanted: Bool
    var invite: SignalingMessage.Invite?
    /// What its user asked for by placing it, and since; nil for who took it as it was.
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
