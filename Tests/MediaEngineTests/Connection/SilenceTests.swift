import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Silence of the peer") struct SilenceTests {
        @Test("A peer that disappears without a message is reported as interrupted", arguments: [true, false])
        func silenceIsNoticed(mediaFlows: Bool) async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.opensSendGates = mediaFlows
            try await withCall(options) { call in
                try await call.connect()
                if mediaFlows { try await call.caller.waitForTone() }
                #expect(call.caller.count(.interrupted) == 0)
                await call.callee.peer.close()
                try await call.caller.wait(for: .interrupted)
                #expect(call.caller.count(.resumed) == 0)
            }
        }

        @Test("Two connected ends are not interrupted for five seconds while neither sends media")
        func gatedEndsAreAudible() async throws {
            var options = LoopbackCall.Options()
            options.opensSendGates = false
            try await withCall(options) { call in
                try await call.connect()
                let start = ContinuousClock.now
                try await eventually("five seconds") { ContinuousClock.now - start > .milliseconds(5_500) }
                for end in call.ends {
                    #expect(end.count(.interrupted) == 0)
                    #expect(await end.arrivals() == 0)
                }
            }
        }

        @Test("A peer that sends only reports is not interrupted between them, even with a short limit")
        func seldomReports() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.opensSendGates = false
            // A fifth of the time between two reports: like 2 s with the reports of RFC 3550, on a smaller scale.
            options.tuning.silenceMs = 100
            try await withCall(options) { call in
                try await call.connect()
                let start = ContinuousClock.now
                try await eventually("ten reports") { ContinuousClock.now - start > .seconds(5) }
                for end in call.ends { #expect(end.count(.interrupted) == 0) }
                await call.callee.peer.close()
                try await call.caller.wait(for: .interrupted)
            }
        }
    }
}
