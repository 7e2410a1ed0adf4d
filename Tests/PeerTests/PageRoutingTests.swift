import CallAgent
import Conformance
import Testing

extension Peers {
    /// The page has its own routing of messages, in JavaScript, which behaves like the agent's.
    @Suite struct PageRoutingTests {
        @Test("For 150 runs of 150 random messages and calls the page's routing behaves like the agent's")
        func sameRoutes() async throws {
            let server = try await CallServer()
            try await withBrowser(.chromium) { browser in
                try await browser.open(server.page)
                var said: [String: Int] = [:]
                for batch in 0..<3 {
                    let runs = try (0..<50).map { try run(seed: UInt64(batch * 50 + $0)) }
                    let answers = try await browser.conform("route", runs.map { [.int($0.limit), .array($0.steps)] })
                    for (run, answer) in zip(runs, answers) {
                        if let (place, agent, page) = run.said.difference(to: answer) {
                            Issue.record(
                                "step \(place): \(run.steps[place].text)\nthe agent: \(agent)\nthe page:  \(page)")
                            return
                        }
                        for route in run.said.compactMap({ $0["to"]?.string }) { said[route, default: 0] += 1 }
                    }
                }
                for route in ["call", "ring", "busy", "yield", "expired", "unknown", "stray"] {
                    #expect(said[route] ?? 0 > 20, "\(route)")
                }
            }
        }

        @Test("The page queries the peers of its calls as often as the agent")
        func audit() async throws {
            let server = try await CallServer()
            try await withBrowser(.chromium) { browser in
                try await browser.open(server.page)
                let times: [String: Int] = try await browser.evaluate(
                    "return { ...(await import('./audit.js')).auditMs }")
                let agent = AgentConfiguration()
                #expect(times == ["ringing": agent.ringAuditMs, "accepted": agent.callAuditMs])
                let due: [[Int]] = try await browser.evaluate(
                    """
                    const { auditStepMs, isAuditDue } = await import('./audit.js');
                    return ['ringing', 'connected'].map((state) => Array.from({ length: 12 }, (_, step) => step + 1)
                      .filter((step) => isAuditDue(state, step)).map((step) => step * auditStepMs));
                    """)
                #expect(due == [(1...12).map { $0 * 5_000 }, [30_000, 60_000]])
            }
        }

        @Test(
            "A peer that ignores two audits is reported once, and again only if it has sent a message meanwhile"
        )
        func unanswered() async throws {
            let server = try await CallServer()
            try await withBrowser(.chromium) { browser in
                try await browser.open(server.page)
                let told: [[String]] = try await browser.evaluate(
                    """
                    const { Call } = await import('./call.js');
                    const heard = [];
                    const line = { send: ({ type }) => heard.push(type) };
                    const media = { audio: true, video: false };
                    const invite = { type: 'invite', generation: 0, media, sdp: 'offer', ringTimeoutMs: 30000 };
                    const call = new Call({ device: 'tv', earlyMedia: 'off', timeouts: {}, line },
                      { id: 'c', peer: 'bob', role: 'callee', media, sends: { audio: 'on', video: 'off' }, invite });
                    call.addEventListener('notice', ({ detail }) => heard.push(detail.name));
                    call.receive(invite);
                    const after = (act) => (heard.splice(0), act(), heard.splice(0));
                    const status = { type: 'status', generation: 0, callState: 'calling' };
                    return [
                      after(() => call.audit()), after(() => call.audit()), after(() => call.audit()),
                      after(() => (call.receive(status), call.audit())), after(() => call.audit()),
                    ];
                    """)
                #expect(
                    told == [
                        ["query"], ["query", "auditUnanswered"], ["query"], ["query"], ["query", "auditUnanswered"],
                    ])
            }
        }

        /// Random steps, and the results of the agent's routing.
        private struct Run {
            let limit: Int
            let steps: [JSONValue]
            let said: [JSONValue]
        }

        private func run(seed: UInt64) throws -> Run {
            var random = RandomRouting(seed: seed)
            let limit = random.limit()
            var routing = CallRouting(limit: limit)
            let steps = (0..<150).flatMap { _ in random.steps() }
            return Run(limit: limit, steps: steps, said: try steps.map { try routing.step($0) })
        }
    }
}
