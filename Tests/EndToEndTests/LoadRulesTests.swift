import Foundation
import Testing

@testable import callagent_cli

extension EndToEnd {
    /// When the calls of a load begin.
    @Suite struct LoadPacingTests {
        @Test("Calls come in equal distances, and the workers take turns")
        func even() {
            let times = [0, 1].map { index in
                var pacing = LoadPacing(
                    rate: 4, ramp: .zero, arrivals: .even, share: WorkerShare(index: index, count: 2))
                return (0..<3).map { _ in pacing.next() / .milliseconds(1) }
            }
            #expect(times[0] == [0, 500, 1_000])
            #expect(times[1] == [250, 750, 1_250])
        }

        @Test("A ramp begins slowly and ends at the rate")
        func ramp() {
            var pacing = LoadPacing(
                rate: 10, ramp: .seconds(4), arrivals: .even, share: WorkerShare(index: 0, count: 1))
            let times = (0..<40).map { _ in pacing.next() / .seconds(1) }
            // A ramp of 4 s to 10 a second has 20 calls.
            #expect(abs(times[20] - 4) < 0.001)
            #expect(times[1] > 0.8 && times[1] < 1)
            #expect(abs(times[39] - times[38] - 0.1) < 0.001)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        }

        @Test("Poisson arrivals have the mean rate and random distances")
        func poisson() {
            var pacing = LoadPacing(
                rate: 20, ramp: .zero, arrivals: .poisson, share: WorkerShare(index: 1, count: 2))
            // Evenly spread numbers in no order.
            let times = (0..<10_000).map { number in
                pacing.next(random: (Double(number) * 0.618_033_988_75).truncatingRemainder(dividingBy: 1))
                    / .seconds(1)
            }
            #expect(abs(times[9_999] / 1_000 - 1) < 0.05)
            let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
            // Of an exponential distribution the deviation is the mean.
            let mean = gaps.reduce(0, +) / Double(gaps.count)
            let deviation = (gaps.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(gaps.count)).squareRoot()
            #expect(abs(deviation / mean - 1) < 0.1)
        }

        @Test("After a wait for a free place the calls keep their distance")
        func postponed() {
            var pacing = LoadPacing(rate: 1, ramp: .zero, arrivals: .even, share: WorkerShare(index: 0, count: 1))
            _ = pacing.next()
            pacing.postpone(by: .seconds(10))
            let times = [pacing.next(), pacing.next()]
            #expect(times == [.seconds(11), .seconds(12)])
        }

        @Test("The parts of the workers make up the whole", arguments: [1, 2, 3, 7], [0, 1, 5, 40])
        func shares(count: Int, number: Int) {
            let parts = (0..<count).map { WorkerShare(index: $0, count: count).part(of: number) }
            #expect(parts.reduce(0, +) == number && (parts.max() ?? 0) - (parts.min() ?? 0) <= 1)
        }

        @Test("A rate is calls a second or a minute", arguments: [("5", 5), ("5/s", 5), ("30/m", 0.5), ("0.5", 0.5)])
        func rate(text: String, perSecond: Double) { #expect(CallRate(argument: text)?.perSecond == perSecond) }

        @Test("Other words are no rate", arguments: ["", "x", "0", "-1/s", "5/h", "5/s/s", "1e9", "nan"])
        func noRate(text: String) { #expect(CallRate(argument: text) == nil) }
    }

    /// What the process that started the workers adds up.
    @Suite struct LoadTallyTests {
        private func sample(
            _ ms: Double, cpu: Double, fps: Double, received: Int = 100, lost: Int = 0, calls: Int = 1,
            setUps: [Double] = []
        ) -> LoadMessage {
            .sample(
                LoadSample(
                    ms: ms, connectedCalls: calls, ends: 2 * calls,
                    received: LoadRates(videos: 2, framesPerSecond: fps, packetsReceived: received, packetsLost: lost),
                    setUps: setUps,
                    usage: ProcessUsage(
                        cpuSeconds: cpu, contextSwitches: Int(ms), residentKB: 102_400, threads: 10, descriptors: 20)))
        }

        /// The only worker of a member of the load.
        private func worker(_ member: Int) -> LoadTally.Worker { LoadTally.Worker(member: member, number: 0) }

        @Test("A moment has the samples of all workers")
        func moment() throws {
            var tally = LoadTally(isPair: true)
            for (number, cpu) in [(0, 0.0), (1, 1)] { tally.add(sample(0, cpu: cpu, fps: 0), from: worker(number)) }
            for (number, cpu) in [(0, 0.5), (1, 1.25)] {
                let sample = sample(
                    1_000, cpu: cpu, fps: 60, received: 90, lost: 10, setUps: [Double(number + 1) * 100])
                tally.add(sample, from: worker(number))
            }
            let isNew = tally.add(sample(2_000, cpu: 1, fps: 60), from: worker(0))
            #expect(isNew && tally.moments.count == 2)
            let moment = try #require(tally.moments.last)
            #expect(moment.connectedCalls == 2 && moment.ends == 4)
            #expect(moment.framesPerSecond == 30 && moment.lossPercent == 10)
            #expect(moment.usage.cpuPercent == 75 && moment.usage.residentMB == 200)
            #expect(moment.usage.threads == 20 && moment.usage.contextSwitchesPerSecond == 2_000)
            #expect(
                tally.statusLine.hasPrefix(
                    "1 s: 2 calls up, 0 ended, 0 failed, set-up p50 150 p95 200 ms, 30.0 fps, 10.0 % lost, CPU 75 %"))
        }

        @Test("A sample of another machine whose time does not grow is ignored")
        func badClock() throws {
            var tally = LoadTally(isPair: true)
            for (ms, cpu) in [(1_000, 0), (1_500, 0.5), (1_000.000_000_1, 1e12), (1_600, 0.6), (2_100, 1.1)] {
                tally.add(sample(ms, cpu: cpu, fps: 30), from: worker(0))
            }
            tally.add(sample(2_600, cpu: 1.6, fps: 30), from: worker(0))
            #expect(tally.moments.map(\.usage.cpuPercent).allSatisfy { $0 <= 100 }, "\(tally.moments)")
            #expect(tally.statusLine.contains("CPU 100 %"))
        }

        @Test("A worker that has ended runs nothing any more")
        func ended() throws {
            var tally = LoadTally(isPair: true)
            for number in [0, 1] { tally.add(sample(0, cpu: 0, fps: 60), from: worker(number)) }
            tally.end(of: 1)
            tally.add(sample(1_000, cpu: 0, fps: 60), from: worker(0))
            tally.end(of: 0)
            #expect(tally.moments.map(\.connectedCalls) == [2, 1])
        }

        @Test("The first failure of a worker counts")
        func failure() {
            var tally = LoadTally(isPair: true)
            tally.add(.failed(status: 3, line: "refused"), from: worker(0))
            tally.add(.failed(status: 7, line: "other"), from: worker(1))
            #expect(tally.failure?.status == .signaling && tally.failure?.line == "refused")
        }

        @Test("A plot has the scale of its values, and gaps where there are none")
        func plot() {
            let plot = LinePlot(title: "x < y", points: [(0, 1), (1_000, nil), (2_000, 30), (3_000, 20)])
            #expect(plot.html.components(separatedBy: "<polyline").count == 3)
            #expect(plot.html.contains("x &lt; y") && plot.html.contains(">50</text>"))
            #expect(LinePlot(title: "none", points: [(0, nil)]).html.isEmpty)
            #expect(LinePlot.ceiling(0.03) == 0.05 && LinePlot.ceiling(100) == 100 && LinePlot.ceiling(0) == 1)
        }
    }
}
