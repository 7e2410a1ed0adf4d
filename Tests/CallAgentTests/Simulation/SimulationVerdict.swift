@testable import CallAgent

/// The conditions at the end of a run, when the network has delivered everything for long enough.
struct SimulationVerdict {
    private(set) var complaints: [String] = []
    /// The outcomes of the calls of the run.
    private(set) var outcomes: [String] = []

    init(_ world: SimulatedWorld) {
        for agent in world.agents {
            for call in agent.calls.values { judge(call, of: agent, in: world) }
            for call in agent.ended + agent.forgotten {
                outcomes.append(call.machine.end?.reason.rawValue ?? "nothing")
                if call.invite != nil { outcomes.append("glare") }
                if call.invite != nil, !call.machine.hasFirstFrame, call.machine.end?.reason == .unknownCall,
                    !world.isDisturbed
                {
                    complaints.append("\(call.id) was yielded to, and its caller knew nothing of it")
                }
                if !call.timers.isEmpty { complaints.append("\(call.id) ended with timers \(call.timers.keys)") }
                if call.media.values.contains(where: { !$0.isClosed }) {
                    complaints.append("\(call.id) left media open")
                }
            }
        }
        judgePairs(in: world)
    }

    private mutating func judge(_ call: SimulatedCall, of agent: SimulatedAgent, in world: SimulatedWorld) {
        let name = "\(call.id) of \(agent.user)/\(agent.device) with \(call.peer)"
        outcomes.append("connected")
        if call.invite != nil { outcomes.append("glare") }
        if call.machine.current.number > 0 { outcomes.append("changed") }
        guard call.machine.state == .connected else {
            return complaints.append("\(name) is \(call.machine.state) forever")
        }
        if call.machine.next != nil || call.machine.isAskingForMedia { complaints.append("\(name) changes forever") }
        if call.machine.replacements > 0 { outcomes.append("replaced") }
        if call.machine.current.restart.number > 0 { outcomes.append("restarted") }
        if call.machine.current.restart.isRunning { complaints.append("\(name) looks for a path forever") }
        if let media = call.media[call.machine.current.number], world.isBroken(media) {
            complaints.append("\(name) has a broken path")
        }
        if !call.timers.isEmpty { complaints.append("\(name) has the timers \(call.timers.keys)") }
        let others = world.agents.filter { $0.user == call.peer && $0.calls[call.id] != nil }
        guard let other = others.first?.calls[call.id], others.count == 1 else {
            return complaints.append("\(name) has \(others.count) other ends")
        }
        if other.machine.current.number != call.machine.current.number {
            complaints.append("\(name) is on another connection than the other end")
        }
        if other.machine.role == call.machine.role { complaints.append("\(name) has two \(call.machine.role)s") }
        if other.machine.peer != call.machine.sends {
            complaints.append("\(name) sends \(call.machine.sends), the peer was told \(other.machine.peer)")
        }
        if other.machine.hold == .none, call.media[call.machine.current.number]?.gates.isReceiving != true {
            complaints.append("\(name) shows nothing")
        }
    }

    /// Checks that two users who called each other have one call, not two.
    ///
    /// A user who places two calls wants two.
    private mutating func judgePairs(in world: SimulatedWorld) {
        for agent in world.agents {
            let calls = agent.calls.values
            for own in calls where own.machine.role == .caller {
                guard agent.placed[own.peer] == 1 else { continue }
                for theirs in calls where theirs.machine.role == .callee && theirs.peer == own.peer {
                    guard let owns = own.acceptedAt, let accepted = theirs.acceptedAt, owns > theirs.begunAt,
                        accepted > own.begunAt
                    else { continue }
                    complaints.append("\(agent.user) and \(own.peer) called each other and have two calls")
                }
            }
        }
    }
}
