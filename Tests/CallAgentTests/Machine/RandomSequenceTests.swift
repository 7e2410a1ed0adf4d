import Testing

@testable import CallAgent

/// Events by chance, in long rows.
struct RandomSequenceTests {
    /// What does not end a call by itself, so that rows get long.
    private static let lasting = EventKinds.all.filter { event in
        switch event {
        case .hangUp, .reject, .timerFired, .media(.failed, _): false
        case .received(let body, let generation, _): generation != 3 && !body.mayEndTheCall
        default: true
        }
    }

    @Test("20,000 rows of events break no promise", arguments: CoverageTests.ends.indices)
    func promises(end: Int) {
        let start = CoverageTests.ends[end]
        var deepest = 0
        for seed in 0..<UInt64(20_000 / CoverageTests.ends.count) {
            var random = SeededGenerator(seed: seed)
            var (machine, promises) = (start, Promises())
            _ = promises.give(start.role == .caller ? .place : .received(.anInvite), to: &machine)
            var length = 0
            for _ in 0..<(4 + random.below(12)) {
                let event = random.element(of: random.once(in: 12) ? EventKinds.all : Self.lasting)
                let broken = promises.give(event, to: &machine)
                if machine.state != .ended { length += 1 }
                if !broken.isEmpty { Issue.record("seed \(seed): \(broken)") }
            }
            deepest = max(deepest, length)
        }
        #expect(deepest > 10, "the rows end too early to show anything")
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
