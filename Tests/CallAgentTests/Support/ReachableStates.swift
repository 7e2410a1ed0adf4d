@testable import CallAgent

/// Everywhere that a machine can get to, whatever happens to it.
struct ReachableStates {
    /// One state, and the promises as they stood on the way to it.
    struct Visit {
        var machine: CallMachine
        var promises: Promises
    }

    private(set) var visits: [Visit] = []
    private(set) var broken: [String] = []
    /// Every change of state that was met.
    private(set) var changes: [CallState: Set<CallState>] = [:]
    private var seen: Set<Key> = []

    /// Goes everywhere from `start`.
    init(from start: CallMachine) {
        visit(Visit(machine: start, promises: Promises()))
        var next = 0
        while next < visits.count {
            for event in EventKinds.all {
                var visit = visits[next]
                let before = visit.machine.state
                broken += visit.promises.give(event, to: &visit.machine)
                if before != visit.machine.state { changes[before, default: []].insert(visit.machine.state) }
                self.visit(visit)
            }
            next += 1
        }
    }

    private mutating func visit(_ visit: Visit) {
        guard seen.insert(Key(visit.machine)).inserted else { return }
        visits.append(visit)
    }

    /// What makes two states different; texts and the number of held candidates do not.
    private struct Key: Hashable {
        var phase: Int
        var end: EndReason?
        var facts: [Bool]

        init(_ machine: CallMachine) {
            phase =
                switch machine.phase {
                case .idle: 0
                case .calling: 1
                case .ringing: 2
                case .accepted: 3
                case .ended: 4
                }
            end = machine.end?.reason
            // What an ended machine remembers besides does not matter: it is silent.
            facts =
                end != nil
                ? []
                : [
                    machine.hasFirstFrame, machine.isVerified, machine.isInterrupted, machine.isPeerGone,
                    machine.pendingOffer != nil, machine.isAnswered, machine.isInviteSent,
                    !machine.heldCandidates.isEmpty,
                ]
        }
    }
}
