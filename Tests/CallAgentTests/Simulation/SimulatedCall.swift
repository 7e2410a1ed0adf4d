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
    let begunAt: Int
    var acceptedAt: Int?

    init(id: String, peer: String, machine: CallMachine, at now: Int) {
        begunAt = now
        self.id = id
        self.peer = peer
        self.machine = machine
        isWanted = machine.role == .caller
    }
}
