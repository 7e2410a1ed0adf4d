import Foundation
import Testing

@testable import callagent_cli

extension EndToEnd {
    /// What a load of very many calls keeps of them.
    @Suite struct LongLoadTests {
        private static let worker = LoadTally.Worker(member: 0, number: 0)
        private static let calls = 2_500

        /// Call N is connected after N ms; of the calls after the first thousand every second one fails.
        private static func tally(_ expectations: [String]) throws -> LoadTally {
            var tally = LoadTally(isPair: false, expectations: try expectations.map(Expectation.init(parsing:)))
            for number in 1...calls {
                let fails = number > 1_000 && number % 2 == 0
                let call = LoadedCall(
                    caller: try end(number), callee: nil,
                    failure: fails ? LoadedCall.Problem(Failure(.noMedia, "no video arrived")) : nil)
                tally.add(.call(call), from: worker)
            }
            return tally
        }

        private static func end(_ number: Int) throws -> CallDocument {
            let text = """
                {"callId": "id-\(number)", "role": "caller", "peer": "bob",
                 "media": {"audio": true, "video": true, "data": false}, "startedUnixMs": \(number * 200),
                 "state": "ended", "timelineMs": {"connected": \(number), "firstVideoFrame": \(number), "ended": 9000},
                 "transport": {"selectedCandidatePairChanges": 1, "packetsLost": 0, "bytesSent": 1, "bytesReceived": 1},
                 "hold": "none", "connectedMs": 10, "offersCallAgain": false, "warnings": [], "records": []}
                """
            return try JSONDecoder().decode(CallDocument.self, from: Data(text.utf8))
        }

        @Test("The report has the first calls whole and then those that failed; its figures are of all")
        func whole() throws {
            let tally = try Self.tally([])
            #expect(tally.calls.count == 2_500 && tally.failedCalls == 750)
            let document = try #require(Output.object(LoadDocument(tally)) as? [String: Any])
            let numbers = try #require(document["calls"] as? [[String: Any]]).map { try $0.number("number") }
            let failed = stride(from: 1_002, through: 2_500, by: 2).map(Double.init)
            #expect(numbers == (1...1_000).map(Double.init) + failed)
            #expect(try document.number("callsLeftOut") == 750)
            #expect(try document.number("summary.calls") == 2_500 && document.number("summary.connected") == 2_500)
            #expect(try document.number("summary.timelineMs.connected.median") == 1_250.5)
            #expect(try document.number("summary.timelineMs.connected.p95") == 2_375)
            #expect(try document.number("summary.firstFrameMs.max") == 2_500)
        }

        @Test("No more than a thousand failed calls are whole, and the page says how many it leaves out")
        func failed() throws {
            var tally = try Self.tally([])
            let failure = LoadedCall.Problem(Failure(.noMedia, "no video arrived"))
            let call = LoadedCall(caller: try Self.end(1), callee: nil, failure: failure)
            for _ in 0..<1_000 { tally.add(.call(call), from: Self.worker) }
            #expect(tally.calls.count == 3_500 && tally.failedCalls == 1_750 && tally.whole.count == 2_000)
            let page = LoadPage(LoadDocument(tally), tally, arguments: ["load"], verdict: .fail).html
            #expect(page.contains("Calls that failed: 1750") && page.contains("1550 more are not shown"))
            #expect(page.contains("call 1002 to bob: no video arrived"))
        }

        @Test("Expectations are of all calls, also of those that the report leaves out")
        func expectations() throws {
            let tally = try Self.tally([
                "timelineMs.connected<2401", "p95(timelineMs.connected)<2400", "summary.timelineMs.connected.max==2500",
                "any(timelineMs.connected)==2499", "calls.999.timelineMs.connected==1000",
            ])
            let document = try #require(Output.object(LoadDocument(tally)))
            let outcomes = tally.checks.map { $0.outcome(in: document) }
            // Call 2,401 succeeded, so only its figures are kept.
            #expect(outcomes[0].complaint?.hasSuffix("but it is 2401.0 in call 2401 (with bob, id id-2401)") == true)
            #expect(outcomes.dropFirst().map(\.complaint) == [nil, nil, nil, nil])
            #expect(outcomes.map(\.actual) == [2_401, 2_375, 2_500, 2_499, 1_000])
        }

        @Test("A place in the list of calls is one of the first thousand", arguments: [(999, true), (1_000, false)])
        func places(index: Int, isKnown: Bool) throws {
            let path = try Expectation(parsing: "calls.\(index).timelineMs.connected<1").path
            #expect((Figures.complaint(about: path, in: .load) == nil) == isKnown)
            #expect(Figures.complaint(about: path, in: .calls) == nil)
        }

        @Test("Of very many numbers a choice is kept that is spread as all are")
        func choice() throws {
            var sample = Sample()
            for number in 0..<200_000 { sample.add(Double(number)) }
            #expect(sample.count == 200_000 && sample.numbers.count == Sample.size)
            #expect(Set(sample.numbers).count == Sample.size)
            let spread = try #require(Spread(sample))
            #expect(spread.first == 0 && spread.min == 0 && spread.max == 199_999)
            // Seven standard deviations of the choice.
            #expect(abs(spread.p95 - 190_000) < 5_000 && abs(spread.median - 100_000) < 11_000)
        }

        @Test("Numbers are spread under the names that lead to them, and other values count for nothing")
        func tree() throws {
            var tree = SpreadTree()
            #expect(tree.isEmpty)
            tree.add(["a": ["text": "x"]])
            #expect(tree.isEmpty && Output.json(tree, []) == "{}")
            for value in [3.0, 1] { tree.add(["a": ["number": value]]) }
            #expect(tree["a", "number"]?.max == 3 && tree["a", "text"] == nil && tree["a"] == nil)
            #expect(
                Output.json(tree, []) == #"{"a":{"number":{"first":3,"max":3,"median":2,"min":1,"p95":3}}}"#)
        }
    }
}
