import Conformance
import Testing

extension Peers {
    /// The page passes the vectors of `Tests/Vectors`, like the agent.
    @Suite struct PageVectorTests {
        @Test("The page passes the vectors", arguments: BrowserKind.allCases)
        func vectors(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                try await browser.open(server.page)
                try await messages(browser)
                try await delivery(browser)
                try await routing(browser)
                try await calls(browser)
            }
        }

        private func messages(_ browser: any Browser) async throws {
            let vectors = try MessageVector.all()
            #expect(vectors.count > 200)
            let answers = try await browser.conform("decoded", vectors.map { [.string($0.text)] })
            for (vector, answer) in zip(vectors, answers) { #expect(answer == vector.outcome, "\(vector.name)") }
        }

        private func delivery(_ browser: any Browser) async throws {
            let traces = try DeliveryTrace.all()
            #expect(traces.count > 10)
            let answers = try await browser.conform(
                "deliver", traces.map { [.string($0.user), .string($0.device), .int($0.epoch), .array($0.steps)] })
            for (trace, answer) in zip(traces, answers) {
                #expect(trace.mismatch(answer.array ?? []) == nil, "\(trace.name)")
            }
        }

        private func routing(_ browser: any Browser) async throws {
            let traces = try RoutingTrace.all()
            #expect(traces.count > 5)
            let answers = try await browser.conform("route", traces.map { [.int($0.limit), .array($0.steps)] })
            for (trace, answer) in zip(traces, answers) {
                #expect(trace.outcomes.difference(to: answer) == nil, "\(trace.name)")
            }
        }

        private func calls(_ browser: any Browser) async throws {
            let traces = try CallTrace.all()
            #expect(traces.count > 20)
            let answers = try await browser.conform("follow", traces.map { [$0.call, .array($0.events)] })
            for (trace, answer) in zip(traces, answers) {
                #expect(trace.steps.difference(to: answer) == nil, "\(trace.name)")
            }
        }
    }
}
