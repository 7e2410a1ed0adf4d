import Foundation
import MediaEngine
import TestServers
import Testing

@testable import callagent_cli

extension EndToEnd {
    /// The numbered messages of `--data-channel`.
    @Suite struct TestMessageTests {
        @Test("What is left out, late, repeated or no number is told apart")
        func judged() {
            func figures(_ texts: [String]) -> TestMessages.Figures {
                let messages = TestMessages()
                let start = ContinuousClock.now
                for (index, text) in texts.enumerated() {
                    messages.note(.text(text), at: start + .milliseconds(100 * index))
                }
                return messages.figures
            }
            let whole = figures(["0", "1", "2"])
            #expect(whole.messagesReceived == 3 && whole.messagesMissing == 0 && whole.messagesReordered == 0)
            #expect(whole.longestPauseMs == 100)
            #expect(figures(["2", "5"]).messagesMissing == 4)
            let late = figures(["0", "2", "1"])
            #expect(late.messagesMissing == 0 && late.messagesReordered == 1)
            let twice = figures(["0", "0"])
            #expect(twice.messagesMissing == 0 && twice.messagesReordered == 1)
            #expect(figures(["hello", "-1", "9223372036854775807", "99999999999999999999"]) == TestMessages.Figures())
            #expect(figures(["\(Int.max - 1)", "0"]).messagesMissing == Int.max - 1)
            let binary = TestMessages()
            binary.note(.binary([48]), at: .now)
            #expect(binary.figures == TestMessages.Figures())
        }

        @Test("Both ends send and count messages, which a hold does not stop; without the option the figure is missing")
        func counted() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--data-channel"])
            let alice = try trio.call([
                "--json", "--duration", "4s", "--data-channel", "--at", "1s=hold", "--at", "3s=unhold",
                "--expect", "dataChannel.messagesMissing==0", "--expect", "dataChannel.messagesReordered==0",
                "--expect", "dataChannel.messagesReceived>20", "--expect", "dataChannel.messagesSent>20",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            try await eventually("bob's report") { bob.hasEvent(["event": "report"]) }
            let report = try #require(bob.events.last { $0["event"] as? String == "report" }).object("report")
            #expect(try report.number("dataChannel.messagesReceived") > 20)
            #expect(try report.number("dataChannel.messagesMissing") == 0)
            let without = try trio.call(["--duration", "1s", "--expect", "dataChannel.messagesMissing==0"])
            #expect(try await without.waitForExit() == 6)
            #expect(without.errors.contains("no messages were sent (--data-channel)"), "\(without.errors)")
            bob.signal(SIGINT)
        }

        @Test(
            "The network changes: every message arrives, once and in order",
            .enabled(if: NetworkLab.isPossible, "network namespaces need root, iproute2 and nftables"))
        func networkChange() async throws {
            let call = try await LabCall(
                try NetworkLab(hasNAT: false), alice: ["--data-channel"], bob: ["--data-channel"])
            try call.lab.replaceAddress()
            _ = try await call.expectNewPath()
            for _ in 1...3 { try await call.expectMedia() }
            try await call.end()
            for end in [call.alice, call.bob] {
                let report = try #require(end.events.last { $0["event"] as? String == "report" }).object("report")
                #expect(try report.number("dataChannel.messagesReceived") > 15)
                #expect(try report.number("dataChannel.messagesMissing") == 0)
                #expect(try report.number("dataChannel.messagesReordered") == 0)
            }
        }
    }
}
