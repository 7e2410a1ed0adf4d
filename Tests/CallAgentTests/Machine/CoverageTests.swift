import Testing

@testable import CallAgent

/// Every reachable state and every kind of event.
struct CoverageTests {
    static let ends: [CallMachine] =
        [CallMachine(role: .caller, media: .audioVideo), CallMachine(role: .caller, media: .audioOnly)]
        + EarlyMediaPolicy.allCases.map { CallMachine(role: .callee, media: .audioVideo, earlyMedia: $0) }

    private static let walks = ends.map { ReachableStates(from: $0) }

    /// Connected calls, with events of their media and of several devices.
    private static let connected: [ReachableStates] = CallRole.both.flatMap { role in
        [
            ReachableStates(
                from: .connected(role, .audioOnly),
                by: EventKinds.moving(generations: 1...2) + [.timerFired(.change)]),
            ReachableStates(
                from: .connected(role, .audioOnly),
                by: EventKinds.moving(generations: 1...1) + [
                    .hold, .unhold, .received(.state(.init(isHolding: true))), .timerFired(.change),
                ]),
            ReachableStates(
                from: .connected(role, .audioOnly),
                by: EventKinds.moving(generations: 1...1) + [
                    .media(.interrupted, generation: 1), .media(.trackFailed(.decoder), generation: 1),
                    .timerFired(.change),
                ]),
            ReachableStates(
                from: .connected(role, .audioVideo),
                by: EventKinds.sending + [.interrupted, .resumed, .received(.gone)]),
        ]
    }
    private static let forked = ReachableStates(
        from: .calling(),
        by: EventKinds.devices + [.timerFired(.fork), .verified, .firstVideoFrame, .offerCreated(sdp: "o")])
    private static let elsewhere = ReachableStates(
        from: .ringing(device: "d1"), by: EventKinds.devices + [.accept, .answerCreated(sdp: "a")])
    private static let connecting = ReachableStates(
        from: .connecting(.caller, .audioOnly),
        by: EventKinds.moving(generations: 0...1) + [.received(.state(.init(isHolding: true))), .timerFired(.change)])
    private static let others = connected + [forked, elsewhere, connecting]

    @Test("Hold, media changes and several devices: no trap, no broken promise", arguments: others.indices)
    func beyondTheOrdinary(index: Int) {
        #expect(Self.others[index].broken.prefix(10) == [])
        #expect(Self.others[index].visits.count > 10, "the walk went nowhere")
    }

    @Test("Every event in every reachable state: no trap, no broken promise", arguments: ends.indices)
    func everywhere(end: Int) {
        let states = Self.walks[end]
        #expect(states.broken.prefix(10) == [])
        #expect(states.visits.count > 50, "the walk went nowhere")
    }

    @Test("The states change only as their documentation says", arguments: ends.indices)
    func changes(end: Int) {
        let accepted: Set<CallState> = [.connecting, .connected]
        #expect(
            Self.walks[end].changes == [
                // A callee that was not invited yet has no call to show.
                .calling: Self.ends[end].role == .caller ? accepted.union([.ringing, .ended]) : [.ringing, .ended],
                .ringing: accepted.union([.ended]),
                .connecting: [.connected, .ended],
                .connected: [.reconnecting, .ended],
                .reconnecting: [.connected, .ended],
            ])
    }

    @Test("Every state is reachable at both ends, and every end reason at one of them")
    func nothingIsUnreachable() {
        var reasons: Set<EndReason> = []
        for walk in Self.walks {
            #expect(Set(walk.visits.map(\.machine.state)) == Set(CallState.allCases))
        }
        for walk in Self.walks + Self.others { reasons.formUnion(walk.visits.compactMap { $0.machine.end?.reason }) }
        #expect(Set(EndReason.allCases).subtracting(reasons) == [])
    }
}
