import Foundation
import Testing

@testable import CallAgent

extension Peers {
    /// The page has rules of its own, in JavaScript: they are those of the agent.
    @Suite struct PageRulesTests {
        @Test("To 1,000 calls by chance the page's rules say what the agent's say")
        func sameRules() async throws {
            let server = try await CallServer()
            try await withBrowser(.chromium) { browser in
                try await browser.open(server.page)
                var said: [String: Int] = [:]
                for batch in 0..<20 {
                    let runs = (0..<50).map { run(seed: UInt64(batch * 50 + $0)) }
                    let script = try JSONSerialization.data(withJSONObject: runs.map(\.script))
                    let answers: [[[String]]] = try await browser.evaluate(
                        """
                        const { Rules } = await import('./rules.js');
                        \(Trace.script)
                        return \(String(decoding: script, as: UTF8.self)).map(({ options, events }) => {
                          const rules = new Rules(options);
                          return events.map((event) => lines(rules, rules.handle(event)));
                        });
                        """)
                    for line in answers.joined().joined() { said[String(line.prefix { $0 != "{" }), default: 0] += 1 }
                    for (run, answer) in zip(runs, answers) where run.lines != answer {
                        let place = try #require(zip(run.lines, answer).enumerated().first { $1.0 != $1.1 }?.offset)
                        Issue.record(
                            """
                            seed \(run.seed), event \(place): \(run.events[place])
                            the agent: \(run.lines[place])
                            the page:  \(answer[place])
                            """)
                        return
                    }
                }
                // The calls by chance got far enough to mean something.
                for line in ["connected none", "connected held", "reconnecting none", "notify mediaChanged", "adopt"] {
                    #expect(said[line] ?? 0 > 20, "\(line)")
                }
            }
        }

        /// A call by chance, and what the agent's rules say to each event.
        private struct Run {
            let seed: UInt64
            let events: [CallMachine.Event]
            let lines: [[String]]
            let script: [String: Any]
        }

        private func run(seed: UInt64) -> Run {
            var random = RandomCall(seed: seed)
            let (role, media, policy) = (random.role(), random.media(), random.policy())
            var machine = CallMachine(role: role, media: media, earlyMedia: policy, device: "mine")
            let options: [String: Any] = [
                "role": role.rawValue, "media": ["audio": media.audio, "video": media.video], "device": "mine",
                "earlyMedia": policy.rawValue,
            ]
            let steps = random.steps(role, media)
            let lines = steps.map { step in
                let effects = machine.handle(step.event)
                return Trace.lines(machine, effects)
            }
            return Run(
                seed: seed, events: steps.map(\.event), lines: lines,
                script: ["options": options, "events": steps.map(\.script)])
        }
    }
}
