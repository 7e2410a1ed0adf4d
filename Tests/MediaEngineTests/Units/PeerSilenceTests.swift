import Testing

@testable import MediaEngine

/// When silence is reported, and how often somebody has to look for it.
struct PeerSilenceTests {
    private let start = ClockReading.now

    /// Looks whenever it is due until `end`, in ms, while media arrives every 20 ms in these ranges; returns what it reports, and when.
    private func looks(
        media: [Range<Int>], until end: Int, lateAt late: Int? = nil, changesPathAt change: Int? = nil
    ) -> (reports: [(at: Int, PeerConnectionEvent.Kind)], count: Int) {
        var (silence, rhythm) = (PeerSilence(TransportTuning()), PeerRhythm())
        var arrivals = media.flatMap { stride(from: $0.lowerBound, to: $0.upperBound, by: 20) }[...]
        var (now, count) = (0, 0)
        var (change, late) = (change, late)
        var reports: [(Int, PeerConnectionEvent.Kind)] = []
        while now < end {
            var read = now
            // The machine stands still: this look comes late, and before what arrived meanwhile is read.
            if let standstill = late, now >= standstill { (read, now, late) = (now, now + 500, nil) }
            while let arrival = arrivals.first, arrival <= read {
                rhythm.note(.media, at: start + .milliseconds(arrivals.removeFirst()))
            }
            if let moment = change, now >= moment {
                silence.changePath(at: start + .milliseconds(moment))
                change = nil
            }
            let (news, pause) = silence.look(at: start + .milliseconds(now), rhythm)
            reports += news.map { (now, $0) }
            count += 1
            now += Int((pause / .milliseconds(1)).rounded(.up))
        }
        return (reports, count)
    }

    @Test("While media arrives, four looks a second are enough, and nothing is reported")
    func quiet() {
        let (reports, count) = looks(media: [0..<60_000], until: 60_000)
        #expect(reports.isEmpty)
        #expect(count <= 240)
    }

    @Test("Silence asks for another path at the same pace twice, then ever more slowly, and interrupts once")
    func silent() throws {
        let reports = looks(media: [0..<8_000, 20_000..<21_000], until: 21_000).reports
        let paths = reports.filter { $0.1 == .pathSilent }.map(\.at)
        let waits = zip([7_980] + paths, paths).map { $1 - $0 }
        #expect(waits.count == 7)
        for (wait, expected) in zip(waits, [300, 300, 600, 1_200, 2_400, 3_000, 3_000]) {
            #expect((expected...expected + 110).contains(wait), "\(waits)")
        }
        let others = reports.filter { $0.1 != .pathSilent }
        #expect(others.map(\.1) == [.interrupted, .resumed])
        let (lost, back) = (try #require(others.first).at, try #require(others.last).at)
        #expect((9_980...10_090).contains(lost) && (20_000...21_000).contains(back))
    }

    @Test("A path that stays silent is given up at the same pace twice, then ever more slowly")
    func furtherSearches() {
        let waits = (0..<9).map { PeerSilence.patience(.milliseconds(300), $0) }
        #expect(waits == [300, 300, 600, 1_200, 2_400, 3_000, 3_000, 3_000, 3_000].map { .milliseconds($0) })
    }

    @Test("Another path gets as much time as the former one")
    func change() {
        let paths = looks(media: [0..<8_000], until: 8_650, changesPathAt: 8_200).reports.map(\.at)
        #expect(paths.count == 1 && (8_500...8_610).contains(paths[0]), "\(paths)")
    }

    @Test("A machine that stood still reports nothing before it has read what arrived")
    func standstill() {
        #expect(looks(media: [0..<30_000], until: 30_000, lateAt: 10_000).reports.isEmpty)
        // The look that is due at 10,200 comes at 10,700; only the next one counts.
        let late = looks(media: [0..<10_000], until: 11_000, lateAt: 10_000).reports.map(\.at)
        #expect(late.first == 10_800, "\(late)")
    }
}
