import Conformance
import Testing

extension Peers {
    /// The page's watch for silence, in JavaScript, on statistics every 250 ms.
    @Suite struct PageSilenceTests {
        /// One look, with so many packets of media and of other kinds since the one before.
        private static func look(_ packets: Int = 0, others: Int = 0) -> JSONValue {
            ["packets": .int(packets), "others": .int(others)]
        }

        private static func looks(_ count: Int, _ look: JSONValue) -> [JSONValue] {
            Array(repeating: look, count: count)
        }

        @Test("Regular media is missed after two looks, everything after 1.5 s, and 2 s interrupt the media")
        func silence() async throws {
            let regular = Self.looks(4, Self.look(12))
            let late: JSONValue = ["milliseconds": 500]
            let runs: [(looks: [JSONValue], facts: [Int: [String]])] = [
                (
                    regular + Self.looks(9, Self.look()) + [Self.look(12)],
                    [5: ["mediaMissing"], 9: ["pathSilent"], 11: ["interrupted"], 13: ["resumed"]]
                ),
                // Only reports: the media is missing once, and the path is not silent.
                (regular + Self.looks(20, Self.look(others: 1)), [5: ["mediaMissing"]]),
                // Media with pauses is not regular.
                (Self.looks(8, Self.look(1, others: 1)).flatMap { [$0, Self.look(others: 1)] }, [:]),
                (Self.looks(3, Self.look(12)) + Self.looks(5, Self.look(others: 1)), [:]),
                // One late look is not enough, since what arrived meanwhile may not be read yet.
                (regular + [late] + regular, [:]),
                // Regular again, missed again.
                (
                    regular + Self.looks(3, Self.look(others: 1)) + regular + Self.looks(2, Self.look(others: 1)),
                    [5: ["mediaMissing"], 12: ["mediaMissing"]]
                ),
                // What the connection says holds until something arrives.
                (regular + [["isBroken": true], Self.look(12), Self.look(12)], [4: ["interrupted"], 5: ["resumed"]]),
            ]
            let server = try await CallServer()
            try await withBrowser(.chromium) { browser in
                try await browser.open(server.page)
                let answers = try await browser.conform("listen", runs.map { [.array($0.looks)] })
                for (number, (run, answer)) in zip(runs, answers).enumerated() {
                    let said = (answer.array ?? []).map { ($0.array ?? []).compactMap(\.string) }
                    #expect(said == run.looks.indices.map { run.facts[$0] ?? [] }, "run \(number)")
                }
            }
        }
    }
}
