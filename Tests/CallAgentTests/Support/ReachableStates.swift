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
    init(from start: CallMachine, by events: [CallMachine.Event] = EventKinds.plain) {
        visit(Visit(machine: start, promises: Promises(from: start)))
        var next = 0
        while next < visits.count {
            for event in events {
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
            let whole = [
                machine.hasFirstFrame, machine.isInterrupted, machine.isPeerGone, machine.own.isHolding,
                machine.peer.isHolding, machine.own.video == .off, machine.peer.video == .off,
                machine.role == .caller, machine.isAskingForMedia, machine.isPictureWaived,
                !machine.ringingDevices.isEmpty, machine.peerDevice != nil, machine.refusal != nil,
            ]
            facts = end != nil ? [] : whole + Self.facts(machine.current) + (machine.next.map(Self.facts) ?? [])
        }

        private static func facts(_ generation: Generation) -> [Bool] {
            [
                generation.isBuilt, generation.pendingOffer != nil, generation.isAnswered, generation.isOffered,
                !generation.heldCandidates.isEmpty, generation.isVerified, generation.isInterrupted,
                generation.hasPicture, generation.hasSound, generation.media.video, generation.number > 0,
                generation.isCommittedHere, generation.isCommittedThere, generation.device != nil,
            ]
        }
    }
}
