@testable import CallAgent

/// All states that a machine can reach, with any events.
struct ReachableStates {
    /// One state, with the promises as they were when it was reached.
    struct Visit {
        var machine: CallMachine
        var promises: Promises
    }

    private(set) var visits: [Visit] = []
    private(set) var broken: [String] = []
    /// All changes of state on the way.
    private(set) var changes: [CallState: Set<CallState>] = [:]
    private var seen: Set<Key> = []

    /// Visits all states that can be reached from `start`.
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

    /// The parts that distinguish two states.
    ///
    /// Texts and the number of held candidates are not among them.
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
            // The other values of an ended machine do not matter: it ignores every event.
            let whole = [
                machine.hasFirstFrame, machine.isInterrupted, machine.peerPresence == .leaving,
                machine.peerPresence == .gone, machine.own.isHolding,
                machine.peer.isHolding, machine.own.video == .off, machine.peer.video == .off,
                machine.role == .caller, machine.isAskingForMedia, machine.isVideoWaived,
                !machine.ringingDevices.isEmpty, machine.peerDevice != nil, machine.refusal != nil,
            ]
            facts = end != nil ? [] : whole + Self.facts(machine.current) + (machine.next.map(Self.facts) ?? [])
        }

        private static func facts(_ generation: Generation) -> [Bool] {
            [
                generation.isBuilt, generation.pendingOffer != nil, generation.isAnswered, generation.isOffered,
                !generation.heldCandidates.isEmpty, generation.isVerified, generation.isInterrupted,
                generation.hasVideoFrame, generation.hasAudioSample, generation.media.video, generation.number > 0,
                generation.isCommittedHere, generation.isCommittedThere, generation.device != nil,
                generation.restart.isRunning,
            ]
        }
    }
}
