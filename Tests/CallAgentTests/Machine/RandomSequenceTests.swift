import Testing

@testable import CallAgent

/// Long random sequences of events.
struct RandomSequenceTests {
    /// The events that do not end a call, so that the sequences get long.
    private static let lasting = (EventKinds.all + EventKinds.withoutAudio).filter { event in
        switch event {
        case .hangUp, .reject, .timerFired, .media(.failed, _): false
        case .received(let body, let generation, _): generation != 3 && !body.mayEndTheCall
        default: true
        }
    }

    private static let ends =
        CoverageTests.ends
        + [CallMedia.audioOnly, .videoOnly].flatMap { media in
            CallRole.both.map { CallMachine(role: $0, media: media) }
        }

    @Test("30,000 sequences of events break no promise", arguments: ends.indices)
    func promises(end: Int) async {
        let (deepest, broken) = await onThread { Self.play(from: Self.ends[end]) }
        for complaint in broken { Issue.record(Comment(rawValue: complaint)) }
        #expect(deepest > 10, "the sequences end too early")
    }

    /// The number of events of the longest sequence before its call ended, and the broken promises.
    private static func play(from start: CallMachine) -> (deepest: Int, broken: [String]) {
        var deepest = 0
        var complaints: [String] = []
        let invite = SignalingMessage.Invite(media: start.media, ringTimeoutMs: 30_000, sdp: "offer")
        for seed in 0..<UInt64(30_000 / ends.count) {
            var random = SeededGenerator(seed: seed)
            var (machine, promises) = (start, Promises())
            _ = promises.give(start.role == .caller ? .place : .received(.invite(invite)), to: &machine)
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
