import Testing

@testable import CallAgent

/// The stages of a call's timeline and their order.
@Suite(.timeLimit(.minutes(1)))
struct TimelineTests {
    @Test(
        "The answer is a stage, also if it arrives with the accept", arguments: EarlyMediaPolicy.allCases)
    func bothEnds(policy: EarlyMediaPolicy) async throws {
        try await withParties {
            $0.earlyMedia = policy
        } _: { alice, bob in
            let mine = try await alice.agent.call("bob")
            let theirs = try await bob.nextCall()
            try await mine.reaches(.ringing)
            if policy != .off {
                try await eventually("the early answer") {
                    try await alice.session().commands.contains(.setAnswer("answer"))
                }
            }
            try await theirs.accept()
            try await mine.reaches(.connecting)
            try await eventually("the answer") { try await alice.session().commands.contains(.setAnswer("answer")) }
            for party in [alice, bob] {
                try await party.session().emit(
                    .localCandidate(.example), .iceConnected, .verified, .firstVideoFrame, .firstAudioSample,
                    .firstVideoShown, .firstAudioHeard)
            }
            for call in [mine, theirs] {
                try await eventually("the first audio") {
                    await call.report().timeline.instant(of: .firstAudioHeard) != nil
                }
            }
            await mine.hangUp()
            _ = await theirs.waitUntilEnded()

            let tail: [CallTimeline.Stage] = [
                .firstCandidate, .iceConnected, .dtlsConnected, .firstVideoFrame, .connected, .firstAudioSample,
                .firstVideoShown, .firstAudioHeard, .ended,
            ]
            #expect(await order(of: mine) == [.invited, .offerCreated, .ringing, .answerReceived, .accepted] + tail)
            let early: [CallTimeline.Stage] =
                policy == .off
                ? [.invited, .ringing, .accepted, .answerCreated] : [.invited, .ringing, .answerCreated, .accepted]
            #expect(await order(of: theirs) == early + tail)
        }
    }

    @Test("A message of the peer in the wrong state is no stage")
    func outOfTurn() async throws {
        try await withAlice { alice, signaling in
            try signaling.deliver(.anInvite, call: "c1")
            let call = try await alice.nextCall()
            try signaling.deliver(.progress(sdp: "x"), call: "c1")
            try signaling.deliver(.accept(sdp: "x"), call: "c1", sentUnixMs: 5)
            try signaling.deliver(.hangup(9900), call: "c1")
            _ = await call.waitUntilEnded()
            let report = await call.report()
            #expect(report.timeline.instant(of: .answerReceived) == nil)
            #expect(report.timeline.instant(of: .accepted) == nil)
            #expect(report.acceptedAtCallee == nil)
        }
    }

    @Test("A media event after the end of the call is no stage")
    func afterTheEnd() async throws {
        try await withAlice { alice, signaling in
            try signaling.deliver(.anInvite, call: "c1")
            let call = try await alice.nextCall()
            let session = try await alice.session()
            await call.hangUp(as: session, says: .verified)
            await call.waitUntilClosed()
            #expect(await call.report().timeline.instant(of: .dtlsConnected) == nil)
        }
    }

    @Test("Each stage occurs once, and media events have the time at which they happened")
    func firstTimeCounts() {
        var timeline = CallTimeline(start: .now, startedUnixMs: 0)
        timeline.mark(.ringing, at: timeline.start + .milliseconds(3))
        timeline.mark(.ringing, at: timeline.start + .milliseconds(9))
        #expect(timeline.milliseconds == [.invited: 0, .ringing: 3])
        #expect(timeline.milliseconds(of: .connected) == nil)
        // A connection that was built ahead has gathered before the call.
        timeline.mark(.firstCandidate, at: timeline.start - .milliseconds(40))
        #expect(timeline.milliseconds(of: .firstCandidate) == 0)
    }

    /// The stages of a call, the earliest first.
    ///
    /// Stages of the same time are in the order of the enumeration.
    private func order(of call: Call) async -> [CallTimeline.Stage] {
        let timeline = await call.report().timeline
        let stages = CallTimeline.Stage.allCases.enumerated().compactMap { index, stage in
            timeline.instant(of: stage).map { (stage, $0, index) }
        }
        return stages.sorted { ($0.1, $0.2) < ($1.1, $1.2) }.map(\.0)
    }
}

extension Call {
    /// Hangs up when a media event happens; the call gets that event afterwards.
    fileprivate func hangUp(as session: FakeMediaSession, says fact: MediaFact) {
        session.emit(fact)
        hangUp()
    }
}
