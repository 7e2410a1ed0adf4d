import Conformance
import Testing

extension Peers {
    /// The page has its own delivery, in JavaScript, which behaves like the agent's.
    @Suite struct PageDeliveryTests {
        @Test("On 60 random bad networks the page's delivery behaves like the agent's")
        func sameDelivery() async throws {
            var done: [String: Int] = [:]
            try await compare((0..<4).map { batch in (0..<15).map { UInt64(batch * 15 + $0) } }) { seed, run in
                var random = RandomDelivery(seed: seed)
                for _ in 0..<80 { try run.do(random.step(next: run.next)) }
                for action in run.said.flatMap({ $0["actions"]?.array ?? [] }) { done[word(action), default: 0] += 1 }
            }
            for word in [
                "transmit invite", "transmit ack", "transmit skip", "transmit error", "deliver candidate",
                "deliver hangup",
                "deliver error", "failed unacknowledged", "failed refused",
            ] {
                #expect(done[word] ?? 0 > 20, "\(word)")
            }
        }

        @Test(
            "At the limits of waiting messages and remembered streams the page behaves like the agent"
        )
        func bounds() async throws {
            var done: [String: Int] = [:]
            try await compare([[1], [2]]) { seed, run in
                var random = RandomDelivery(seed: seed)
                for step in seed == 1 ? random.flood() : random.strangers() { try run.do(step) }
                for action in run.said.flatMap({ $0["actions"]?.array ?? [] }) { done[word(action), default: 0] += 1 }
            }
            #expect(done["failed tooManyWait"] ?? 0 > 20)
            // The streams of the first round and the forgotten ones of the second, but not the remembered ones.
            #expect((1_101...2_199).contains(done["deliver ringing"] ?? 0))
        }

        /// Runs the same steps in the agent's delivery and the page's, in batches of seeds.
        private func compare(_ batches: [[UInt64]], _ play: (UInt64, inout Run) throws -> Void) async throws {
            let server = try await CallServer()
            try await withBrowser(.chromium) { browser in
                try await browser.open(server.page)
                for seeds in batches {
                    let runs = try seeds.map { seed in
                        var run = Run()
                        try play(seed, &run)
                        return run
                    }
                    let answers = try await browser.conform(
                        "deliver", runs.map { ["me", "mine", .int(RandomDelivery.epoch), .array($0.steps)] })
                    for (seed, (run, answer)) in zip(seeds, zip(runs, answers)) {
                        guard let (place, agent, page) = run.said.difference(to: answer) else { continue }
                        Issue.record(
                            """
                            seed \(seed), step \(place): \(run.steps[place].text)
                            the agent: \(agent)
                            the page:  \(page)
                            """)
                        return
                    }
                }
            }
        }

        /// The agent's delivery, with its steps and their results.
        private struct Run {
            private var delivery = DeliveryRun(user: "me", device: "mine", epoch: RandomDelivery.epoch)
            private(set) var steps: [JSONValue] = []
            private(set) var said: [JSONValue] = []

            var next: Int? { delivery.next.int }

            mutating func `do`(_ step: JSONValue) throws {
                steps.append(step)
                let actions = try delivery.step(step)
                said.append(["actions": .array(actions), "isIdle": .bool(delivery.isIdle), "next": delivery.next])
            }
        }

        /// The kind of an action and of its message.
        private func word(_ action: JSONValue) -> String {
            if let why = action["why"]?.string { return "failed \(why)" }
            let (kind, message) = action["transmit"].map { ("transmit", $0) } ?? ("deliver", action["deliver"] ?? .null)
            return "\(kind) \(message["type"]?.string ?? "")"
        }
    }
}
