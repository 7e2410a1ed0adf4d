import CallAgent
import Conformance
import Testing

extension Peers {
    /// The page has its own call rules, in JavaScript, which equal the agent's.
    @Suite struct PageRulesTests {
        @Test("For 750 random calls the page's rules equal the agent's")
        func sameRules() async throws {
            let server = try await CallServer()
            try await withBrowser(.chromium) { browser in
                try await browser.open(server.page)
                var said: [String: Int] = [:]
                for batch in 0..<15 {
                    let runs = try (0..<50).map { try run(seed: UInt64(batch * 50 + $0)) }
                    let answers = try await browser.conform("follow", runs.map { [$0.call, .array($0.events)] })
                    for (run, answer) in zip(runs, answers) {
                        if let (place, agent, page) = run.steps.difference(to: answer) {
                            Issue.record("seed \(run.seed), event \(place)\nthe agent: \(agent)\nthe page:  \(page)")
                            return
                        }
                        for word in run.steps.flatMap(words) { said[word, default: 0] += 1 }
                    }
                }
                // The random calls must reach enough states.
                for word in [
                    "connected", "reconnecting", "held", "mediaChanged", "adopt", "setIceParameters",
                    "networkChangeEnded",
                ] {
                    #expect(said[word] ?? 0 > 20, "\(word)")
                }
                #expect(said["mediaChangeFailed"] ?? 0 > 10)
            }
        }

        /// A random call, and the results of the agent's rules for each event.
        private struct Run {
            let seed: UInt64
            let call: JSONValue
            let events: [JSONValue]
            let steps: [JSONValue]
        }

        private func run(seed: UInt64) throws -> Run {
            var random = RandomCall(seed: seed)
            let call = random.call()
            var machine = try CallMachine(call)
            let events = random.events(call)
            return Run(seed: seed, call: call, events: events, steps: try events.map { try machine.step($0) })
        }

        /// The state of a call, and its effects.
        private func words(_ step: JSONValue) -> [String] {
            let effects = (step["effects"]?.array ?? []).map { $0["notice"]?["name"] ?? $0["do"] }
            return ([step["state"], step["hold"]] + effects).compactMap { $0?.string }
        }
    }
}
