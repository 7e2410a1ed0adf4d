import Testing

@testable import CallAgent

/// Times in messages are not trusted.
@Suite(.timeLimit(.minutes(1)))
struct UntrustedTimeTests {
    @Test("No time in a message traps", arguments: [0, 1e15, 1e300, Double.greatestFiniteMagnitude])
    func anyTime(unixMs: Double) async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob")
            try signaling.deliver(.accept(sdp: "answer"), call: call.id, sentUnixMs: unixMs)
            try await call.reaches(.connecting)
            let accepted = try #require(await call.report().acceptedAtCallee)
            let timeline = await call.report().timeline
            #expect((timeline.start - .seconds(86_401)...timeline.start + .seconds(86_401)).contains(accepted))
        }
    }

    @Test("A plausible time is used unchanged")
    func rightTime() {
        let timeline = CallTimeline(start: .now, startedUnixMs: 1_700_000_000_000)
        #expect(timeline.instant(unixMs: 1_700_000_000_250.5) == timeline.start + .microseconds(250_500))
        #expect(timeline.instant(unixMs: 1_699_999_999_999) == timeline.start - .milliseconds(1))
    }
}
