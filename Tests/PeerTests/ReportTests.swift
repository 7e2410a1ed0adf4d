import Foundation
import TestServers
import Testing

@testable import callagent_cli

extension Peers {
    /// The look of the report of a load, in the browsers that open it.
    @Suite struct ReportTests {
        @Test("The report of 40 calls looks as approved, and is as wide as the window", arguments: BrowserKind.allCases)
        func load(kind: BrowserKind) async throws {
            let path = Self.newPath
            try Self.page.write(toFile: path, atomically: false, encoding: .utf8)
            defer { try? FileManager.default.removeItem(atPath: path) }
            try await withBrowser(kind) { browser in
                try await browser.open("file://" + path)
                #expect(try await browser.evaluate("return document.querySelectorAll('.plots svg').length") == 7)
                // What the calls said is text, not markup.
                #expect(try await browser.evaluate("return document.querySelectorAll('b').length") == 0)
                try await Screenshot(browser: browser, kind: kind).check("load-report")
                for width in [390, 1_280] {
                    try await browser.resize(width: width, height: 844)
                    try await eventually("no more than \(width) pixels") {
                        try await browser.evaluate(
                            "return innerWidth === \(width) && document.documentElement.scrollWidth <= \(width)")
                    }
                }
            }
        }

        @Test("The report of 40 real calls opens in each browser, and shows what the run measured")
        func realLoad() async throws {
            let path = Self.newPath
            defer { try? FileManager.default.removeItem(atPath: path) }
            let load = try Program([
                "load", "--pair", "--total", "40", "--calls", "4", "--duration", "3s", "--video-size", "320x180@30",
                "--json", "--html", path,
            ])
            #expect(try await load.waitForExit(within: .seconds(120)) == 0, "\(load.errors)")
            let moments = try #require(try load.document()["moments"] as? [Any])
            #expect(moments.count > 20)
            for kind in BrowserKind.allCases {
                try await withBrowser(kind) { browser in
                    try await browser.open("file://" + path)
                    #expect(try await browser.evaluate("return document.body.innerText.includes('40 of 40')"))
                    // Each plot is within its frame, and the last one has a point for each call.
                    let points = try await browser.evaluate(
                        """
                        return [...document.querySelectorAll('.plots svg')].map((plot) => {
                          // A line ends where there is nothing to measure.
                          const lines = [...plot.querySelectorAll('.series')];
                          const outer = plot.getBoundingClientRect();
                          const isInside = lines.map((line) => line.getBoundingClientRect()).every((inner) =>
                            inner.left >= outer.left && inner.right <= outer.right
                            && inner.top >= outer.top && inner.bottom <= outer.bottom);
                          return isInside ? lines.reduce((sum, line) => sum + line.points.length, 0) : 0;
                        });
                        """, as: [Int].self)
                    #expect(
                        points.count == 7 && points.first == moments.count && points.last == 40, "\(kind): \(points)")
                    #expect(points.allSatisfy { $0 > 15 }, "\(kind): \(points)")
                }
            }
        }

        private static var newPath: String { NSTemporaryDirectory() + "callagent-report-\(UUID().uuidString).html" }

        /// The report of 40 calls that two workers place in half a minute; the last one fails.
        private static var page: String {
            get throws {
                var tally = LoadTally(isPair: true)
                let workers = [0, 1].map { LoadTally.Worker(member: 0, number: $0) }
                for second in 0..<30 { for worker in workers { tally.add(sample(second), from: worker) } }
                for number in 0..<40 { tally.add(.call(try call(number)), from: workers[number % 2]) }
                for worker in workers { tally.add(sample(30), from: worker) }
                return LoadPage(
                    LoadDocument(tally), tally,
                    arguments: ["load", "--pair", "--calls", "40", "--duration", "20s"], verdict: .fail
                ).html
            }
        }

        private static func sample(_ second: Int) -> LoadMessage {
            let calls = min(second * 2, 20)
            return .sample(
                LoadSample(
                    ms: Double(second) * 1_000, connectedCalls: calls, ends: 2 * calls,
                    received: LoadRates(
                        videos: 2 * calls, framesPerSecond: Double(calls) * (second == 15 ? 40 : 59.5),
                        packetsReceived: 1_000, packetsLost: second % 5), setUps: [],
                    usage: ProcessUsage(
                        cpuSeconds: Double(second) * 0.8, contextSwitches: second * 9_000,
                        residentKB: 40_000 + calls * 20_000, threads: 20 + calls * 12, descriptors: 40 + calls * 4)))
        }

        private static func call(_ number: Int) throws -> LoadedCall {
            let fails = number == 39
            let failure = LoadedCall.Problem(Failure(.noMedia, "no video arrived: <b>caller</b> & callee"))
            return LoadedCall(
                caller: try end("caller", number, fails), callee: try end("callee", number, fails),
                failure: fails ? failure : nil)
        }

        private static func end(_ role: String, _ number: Int, _ fails: Bool) throws -> CallDocument {
            let setUp = 80 + Double(number * 37 % 100)
            let frames = fails ? 0 : 595 + number % 6
            let received = #"""
                "codec": "VP8", "kbitPerSecond": 810, "packetsReceived": 2000, "packetsLost": 0, "lossPercent": 0,
                "jitterMs": 1.5, "frameWidth": 640, "frameHeight": 360, "framesDecoded": \#(frames), "freezeCount": 0,
                "quality": {"longestFreezeMs": 0, "playoutDelayMs": 0}
                """#
            let text = """
                {"callId": "\(role)-\(number)", "role": "\(role)", "peer": "peer-\(number)", "media": {"audio": false, "video": true, "data": false},
                 "startedUnixMs": \(1_700_000_000_000 + number * 200), "state": "ended",
                 "end": {"reason": "localHangup", "code": 9000, "text": "", "by": "caller"},
                 "timelineMs": {"invited": 1, "ringing": 20, "accepted": 25, \(fails ? "" : #""connected": \#(setUp),"#)
                                "firstVideoFrame": \(setUp + 5), "ended": 20100},
                 "video": {"sent": {"codec": "VP8", "kbitPerSecond": 812, "packetsSent": 2000},
                           "received": {\(received)}},
                 "transport": {"selectedCandidatePairChanges": 1, "packetsLost": 0, "bytesSent": 1, "bytesReceived": 1,
                               "roundTripTimeMs": 2},
                 "hold": "none", "connectedMs": 20000, "offersCallAgain": false, "warnings": [], "records": []}
                """
            return try JSONDecoder().decode(CallDocument.self, from: Data(text.utf8))
        }
    }
}
