import Testing

@testable import CallAgent

/// Long random sequences of events.
struct RandomSequenceTests {
    /// The events that do not end a call, so that the sequences get long.
    private static let lasting = EventKinds.all.filter { event in
        switch event {
        case .hangUp, .reject, .timerFired, .media(.failed, _): false
        case .received(let body, let generation, _): generation != 3 && !body.mayEndTheCall
        default: true
        }
    }

    @Test("20,000 sequences of events break no promise", arguments: CoverageTests.ends.indices)
    func promises(end: Int) async {
        let (deepest, broken) = await onThread { Self.play(from: CoverageTests.ends[end]) }
        for complaint in broken { Issue.record(Comment(rawValue: complaint)) }
        #expect(deepest > 10, "the sequences end too early")
    }

    /// The number of events of the longest sequence before its call ended, and the broken promises.
    private static func play(from start: CallMachine) -> (deepest: Int, broken: [String]) {
        var deepest = 0
        var complaints: [String] = []
        for seed in 0..<UInt64(20_000 / CoverageTests.ends.count) {
            var random = SeededGenerator(seed: seed)
            var (machine, promises) = (start, Promises())
            _ = promises.give(start.role == .caller ? .place : .received(.anInvite), to: &machine)
            var length = 0
            for _ in 0..<(4 + random.below(12)) {
                let event = random.element(of: random.once(in: 12) ? EventKinds.all : lasting)
                let broken = promises.give(event, to: &machine)
                if machine.state != .ended { length += 1 }
                if !broken.isEmpty { complaints.append("seed \(seed): \(broken)") }
            }
            deepest = max(deepest, length)
        }
        return (deepest, complaints)
    }
}

extension SignalingMessage.Body {
    fileprivate var mayEndTheCall: Bool {
        switch self {
        case .hangup, .cancel, .reject, .error: true
        default: false
        }
    }
}
