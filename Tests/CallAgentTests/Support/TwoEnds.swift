@testable import CallAgent

/// Two machines, connected by queues that lose nothing and keep the order.
///
/// Users, media and time act at random.
struct TwoEnds {
    /// The events that are planned, with their times.
    private struct Plan {
        var at: Int
        var role: CallRole
        var event: CallMachine.Event
    }

    private(set) var machines: [CallRole: CallMachine] = [:]
    private(set) var promises: [CallRole: Promises] = [.caller: Promises(), .callee: Promises()]
    private(set) var broken: [String] = []
    /// The ends that ended the call without a message of the other.
    private(set) var enders: Set<CallRole> = []
    private(set) var now = 0
    private var random: SeededGenerator
    private var plans: [Plan] = []
    private var timers: [CallRole: [CallTimer: Int]] = [.caller: [:], .callee: [:]]
    private var lastArrival: [CallRole: Int] = [.caller: 0, .callee: 0]
    private var isSending: Set<CallRole> = []
    private var isDescribed: Set<CallRole> = []
    private var isUp = false
    /// The ends that receive no media in this run.
    private var deaf: Set<CallRole> = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let policy = random.element(of: EarlyMediaPolicy.allCases)
        machines[.caller] = CallMachine(role: .caller, media: .audioVideo)
        machines[.callee] = CallMachine(role: .callee, media: .audioVideo, earlyMedia: policy)
        for role in CallRole.both where random.once(in: 8) { deaf.insert(role) }
        plan(0, .caller, .place)
        planUsers()
        planFaults()
    }

    /// Runs all events until none is left.
    mutating func run() {
        while let index = plans.indices.min(by: { plans[$0].at < plans[$1].at }) {
            let next = plans.remove(at: index)
            now = next.at
            if case .timerFired(let timer) = next.event {
                // The timer was stopped or restarted meanwhile.
                guard timers[next.role]?[timer] == next.at else { continue }
                timers[next.role]?[timer] = nil
            }
            give(next.event, to: next.role)
        }
    }

    private mutating func plan(_ at: Int, _ role: CallRole, _ event: CallMachine.Event) {
        plans.append(Plan(at: at, role: role, event: event))
    }

    private mutating func planUsers() {
        let moment = random.below(32_000)
        switch random.below(8) {
        case 0...3: plan(moment / 8, .callee, .accept)
        case 4: plan(moment, .callee, .accept)
        case 5: plan(moment, .callee, .reject(code: random.element(of: [603, 486, 12_345]), text: "no"))
        case 6: plan(moment, .callee, .hangUp)
        default: break
        }
        for role in CallRole.both where random.once(in: 3) { plan(random.below(45_000), role, .hangUp) }
    }

    private mutating func planFaults() {
        for role in CallRole.both {
            if random.once(in: 12) { plan(random.below(40_000), role, .mediaFailed(.other(text: "broken"))) }
            if random.once(in: 20) { plan(random.below(8_000), role, .mediaFailed(.security(text: "wrong"))) }
            if random.once(in: 20) { plan(random.below(8_000), role, .mediaFailed(.incompatible(text: "bad"))) }
            if random.once(in: 4) {
                let start = random.below(60_000)
                plan(start, role, .interrupted)
                if !random.once(in: 3) { plan(start + random.below(40_000), role, .resumed) }
            }
        }
    }

    private mutating func give(_ event: CallMachine.Event, to role: CallRole) {
        guard var machine = machines[role] else { return }
        let wasEnded = machine.state == .ended
        var effects: [CallMachine.Effect] = []
        broken += promises[role, default: Promises()].give(event, to: &machine) { effects = $0 }
        machines[role] = machine
        if case .received(let body, _, _) = event, body.isFarewell, machine.state != .ended {
            broken.append("\(body) was not heard by the \(role)")
        }
        for effect in effects { carryOut(effect, at: role) }
        guard !wasEnded, machine.state == .ended else { return }
        if case .received = event { return }
        enders.insert(role)
    }

    private mutating func carryOut(_ effect: CallMachine.Effect, at role: CallRole) {
        switch effect {
        case .send(let body, _):
            let arrival = max(now + 1 + random.below(200), lastArrival[role.other] ?? 0)
            lastArrival[role.other] = arrival
            plan(arrival, role.other, .received(body))
        case .startTimer(let timer, let milliseconds):
            timers[role]?[timer] = now + milliseconds
            plan(now + milliseconds, role, .timerFired(timer))
        case .cancelTimer(let timer): timers[role]?[timer] = nil
        case .createOffer:
            plan(now + random.below(20), role, .offerCreated(sdp: "offer"))
            plan(now + random.below(30), role, .localCandidate(.example))
        case .createAnswer:
            plan(now + 10 + random.below(300), role, .answerCreated(sdp: "answer"))
            describe(role)
        case .setAnswer: describe(role)
        case .setGates(let gates, _) where gates.video == .live:
            isSending.insert(role)
            planMedia()
        default: break
        }
    }

    private mutating func describe(_ role: CallRole) {
        isDescribed.insert(role)
        guard isDescribed.count == 2, !isUp else { return }
        isUp = true
        for role in CallRole.both { plan(now + random.below(100), role, .verified) }
        planMedia()
    }

    /// Delivers a frame of each sending end to the other end.
    private mutating func planMedia() {
        guard isUp else { return }
        for sender in isSending where !deaf.contains(sender.other) {
            plan(now + 100 + random.below(2_000), sender.other, .firstVideoFrame)
        }
    }
}

extension SignalingMessage.Body {
    /// Whether the sender of this message has ended the call.
    fileprivate var isFarewell: Bool {
        switch self {
        case .reject, .cancel, .hangup: true
        default: false
        }
    }
}
