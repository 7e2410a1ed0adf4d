import CallAgent
import Foundation
import Testing

@testable import callagent_cli

extension EndToEnd {
    /// What a load of very many calls keeps of them.
    @Suite struct LongLoadTests {
        private static let worker = LoadTally.Worker(member: 0, number: 0)
        private static let calls = 2_500

        /// Call N is connected after N ms; of the calls after the first thousand every second one fails.
        private static func tally(_ expectations: [String], isPair: Bool = false) throws -> LoadTally {
            var tally = LoadTally(isPair: isPair, expectations: try expectations.map(Expectation.init(parsing:)))
            for number in 1...calls {
                let fails = number > 1_000 && number % 2 == 0
                let call = LoadedCall(
                    caller: try end(number), callee: isPair && !fails ? try end(number + 1, .callee) : nil,
                    failure: fails ? LoadedCall.Problem(Failure(.noMedia, "no video arrived")) : nil)
                tally.add(.call(call), from: worker)
            }
            return tally
        }

        private static func end(_ number: Int, _ role: CallRole = .caller) throws -> CallDocument {
            let text = """
                {"callId": "id-\(number)", "role": "\(role.rawValue)", "peer": "bob",
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
            #expect(outcomes[0].complaint?.hasSuffix("but it is 2401 in call 2401 (with bob, id id-2401)") == true)
            #expect(outcomes.dropFirst().map(\.complaint) == [nil, nil, nil, nil])
            #expect(outcomes.map(\.actual) == [2_401, 2_375, 2_500, 2_499, 1_000])
        }

        @Test("Of a load that has both ends, the figures of both are kept")
        func pair() throws {
            let tally = try Self.tally(
                ["max(callee.timelineMs.connected)==2500", "any(caller.timelineMs.connected)==2500"], isPair: true)
            let document = try #require(Output.object(LoadDocument(tally)) as? [String: Any])
            // A call that failed did not reach the callee, and a call whose callee is not known has no first frame.
            #expect(try document.number("summary.calls") == 2_500 && document.number("summary.connected") == 1_750)
            #expect(try document.number("summary.caller.timelineMs.connected.max") == 2_500)
            #expect(try document.number("summary.callee.timelineMs.connected.min") == 2)
            // The callee of a call began 200 ms after its caller, and its first frame took 1 ms more.
            #expect(try document.number("summary.firstFrameMs.min") == 202)
            #expect(try document.number("summary.firstFrameMs.max") == 2_700)
            let outcomes = tally.checks.map { $0.outcome(in: document) }
            #expect(outcomes.map(\.actual) == [nil, 2_500])
            #expect(
                outcomes[0].complaint?.contains("but call 1002 (with bob, id id-1002) has no such figure") == true)
        }

        @Test("The summary and the expectations choose the same of very many numbers")
        func agreement() throws {
            let expectation = try Expectation(parsing: "p95(timelineMs.connected)<1")
            var tally = LoadTally(isPair: false, expectations: [expectation])
            for number in 0..<(Sample.size * 2) {
                let call = LoadedCall(caller: try Self.end(number * 7_919 % 8_000), callee: nil, failure: nil)
                tally.add(.call(call), from: Self.worker)
            }
            let p95 = try #require(tally.summary.end?.timelineMs["connected"]?.p95)
            #expect(tally.checks[0].outcome(in: [String: Any]()).actual == p95)
        }

        @Test(
            "A report of another machine with numbers that no load has is none",
            arguments: [("12", true), ("1e12", true), ("1e300", false), ("-9e18", false)])
        func remote(number: String, isPossible: Bool) {
            let text = """
                {"report": {"worker": 0, "_1": {"sample": {"_0": {
                 "ms": \(number), "connectedCalls": 1, "ends": 2, "received": {"videos": 0, "framesPerSecond": 0,
                 "packetsReceived": 0, "packetsLost": 0}, "setUps": [\(number)], "usage": {"cpuSeconds": 1, "residentKB": 1, "threads": 1,
                 "descriptors": 1, "contextSwitches": 1}}}}}}
                """
            #expect((LoadLine<LoadOrder, LoadAnswer>.value(of: text) != nil) == isPossible)
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
