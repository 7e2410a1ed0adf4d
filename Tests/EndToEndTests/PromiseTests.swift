import Foundation
import MediaEngine
import Testing

@testable import CallAgent

extension EndToEnd {
    /// The promises about when each user is seen and heard.
    ///
    /// Forced gates show that the product's figures detect a broken promise.
    @Suite struct PromiseTests {
        @Test("guarded: no media of the callee arrives before its accept; with its gate forced open it does")
        func sendGate() async throws {
            for forced in [false, true] {
                let pair = try await AgentPair { session, label in
                    if forced, label.hasSuffix("callee") {
                        await session.setGates(MediaGates(audio: .live, video: .live))
                    }
                }
                let (mine, theirs) = try await pair.ring()
                try await eventually("the callee has seen the caller") {
                    await theirs.report().statistics.video?.received.decoded ?? 0 >= 10
                }
                let before = await mine.report().statistics
                let packets =
                    (before.video?.received.arrivals.count ?? 0) + (before.audio?.received.arrivals.count ?? 0)
                #expect(forced ? packets > 0 : packets == 0)
                try await theirs.accept()
                try await eventually("the caller sees the callee") {
                    await mine.report().statistics.video?.received.shown ?? 0 >= 10
                }
                let report = await mine.report()
                let accepted = try #require(await theirs.report().acceptedAtCallee)
                let early = try #require(report.statistics.video).received.arrivals(before: accepted)
                #expect(forced ? early > 0 : early == 0)
                await pair.close()
            }
        }

        @Test("No media is shown or played before the call is connected; with the gates forced open it is")
        func receiveGate() async throws {
            for forced in [false, true] {
                let pair = try await AgentPair { session, label in
                    guard forced, label.hasSuffix("callee") else { return }
                    // The gates exist once the answer is created.
                    Task {
                        while await session.peer.setReceiving(true).isEmpty { await Task.yield() }
                    }
                }
                let (mine, theirs) = try await pair.ring()
                try await eventually("the callee has decoded the caller") {
                    let statistics = await theirs.report().statistics
                    return statistics.video?.received.decoded ?? 0 >= 10
                        && statistics.audio?.received.decoded ?? 0 >= 9_600
                }
                try await theirs.accept()
                try await eventually("the callee shows the caller") {
                    await theirs.report().statistics.video?.received.shown ?? 0 >= 20
                }
                let report = await theirs.report().statistics
                #expect(try (#require(report.video).received.shownBeforeOpening > 0) == forced)
                #expect(try (#require(report.audio).received.shownBeforeOpening > 0) == forced)
                await mine.hangUp()
                await pair.close()
            }
        }

        @Test(
            "A peer with another certificate than in its SDP ends the call, and none of its media passes",
            arguments: ["alice", "bob"])
        func fingerprint(liar: String) async throws {
            let board = InMemorySignaling()
            let honest = board.transport()
            let lying = TamperedSignaling(board.transport()) { Self.withOtherFingerprint($0) }
            let pair = try await AgentPair(
                signaling: liar == "alice" ? (lying, honest) : (honest, lying), earlyMedia: .full)
            let (mine, theirs) = try await pair.ring()
            try? await theirs.accept()
            let (checker, other) = liar == "alice" ? (theirs, mine) : (mine, theirs)
            let end = await checker.waitUntilEnded()
            #expect(end.reason == .securityFailed)
            #expect(end.text.contains("fingerprint"))
            #expect(await other.waitUntilEnded().reason == .remoteFailed)
            for call in [checker, other] {
                let report = await call.report()
                #expect(report.timeline.instant(of: .connected) == nil)
                #expect(report.timeline.instant(of: .firstVideoShown) == nil)
            }
            // At the end that checks, no media arrived and none was sent.
            let mineStatistics = await checker.report().statistics
            #expect(mineStatistics.video?.received.decoded ?? 0 == 0)
            #expect(mineStatistics.audio?.received.decoded ?? 0 == 0)
            #expect(mineStatistics.video?.sent.frames ?? 0 == 0)
            #expect(await other.report().statistics.video?.received.arrivals.count ?? 0 == 0)
            await pair.close()
        }

        /// A copy of a message with the first digit of every fingerprint changed.
        private static func withOtherFingerprint(_ text: String) -> String {
            var result = text
            for digit in "0123456789ABCDEF" {
                let other = digit == "0" ? "1" : "0"
                result = result.replacingOccurrences(of: "sha-256 \(digit)", with: "sha-256 \(other)")
                // Each is changed once: a digit that became 0 or 1 above must not be changed back.
                if result != text { return result }
            }
            return result
        }
    }
}
