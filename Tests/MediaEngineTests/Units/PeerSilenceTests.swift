import Testing

@testable import MediaEngine

/// When silence is reported, and how often somebody has to look for it.
struct PeerSilenceTests {
    private let start = ClockReading.now

    /// Looks whenever it is due until `end`, in ms, while media arrives every 20 ms in these ranges, and a report every second in those; returns what it reports, and when.
    private func looks(
        media: [Range<Int>], reports intervals: [Range<Int>] = [], until end: Int, lateAt late: Int? = nil,
        changesPathAt change: Int? = nil
    ) -> (reports: [(at: Int, PeerConnectionEvent.Kind)], checks: [Int], count: Int) {
        var (silence, rhythm) = (PeerSilence(TransportTuning()), PeerRhythm())
        let packets = media.flatMap { stride(from: $0.lowerBound, to: $0.upperBound, by: 20) }
            .map { (at: $0, packet: PeerRhythm.Packet.media) }
        let reports = intervals.flatMap { stride(from: $0.lowerBound + 500, to: $0.upperBound, by: 1_000) }
            .map { (at: $0, packet: PeerRhythm.Packet.report) }
        var arrivals = (packets + reports).sorted { $0.at < $1.at }[...]
        var (now, count) = (0, 0)
        var (change, late) = (change, late)
        var (looked, checks): ([(Int, PeerConnectionEvent.Kind)], [Int]) = ([], [])
        while now < end {
            var read = now
            // The machine stands still: this look comes late, and before what arrived meanwhile is read.
            if let standstill = late, now >= standstill { (read, now, late) = (now, now + 500, nil) }
            while let arrival = arrivals.first, arrival.at <= read {
                rhythm.note(arrival.packet, at: start + .milliseconds(arrival.at))
                arrivals.removeFirst()
            }
            if let moment = change, now >= moment {
                silence.changePath(at: start + .milliseconds(moment))
                change = nil
            }
            let look = silence.look(at: start + .milliseconds(now), rhythm)
            looked += look.reports.map { (now, $0) }
            if look.checksPath { checks.append(now) }
            count += 1
            now += Int((look.pause / .milliseconds(1)).rounded(.up))
        }
        return (looked, checks, count)
    }

    @Test("While media arrives, ten looks a second are enough, nothing is reported, and no path is checked")
    func quiet() {
        let (reports, checks, count) = looks(media: [0..<60_000], until: 60_000)
        #expect(reports.isEmpty && checks.isEmpty)
        #expect(count <= 600)
    }

    @Test(
        "A silent path is checked before another one is looked for, then ever more slowly, and again after the next packet"
    )
    func checks() throws {
        let (_, checks, _) = looks(media: [0..<8_000, 20_000..<21_000], until: 21_600)
        let silence = checks.filter { $0 < 20_000 }.map { $0 - 7_980 }
        #expect((120...170).contains(try #require(silence.first)), "\(silence)")
        #expect((2...4).contains(silence.count { $0 < 300 }))
        for (check, next) in zip(silence, silence.dropFirst()) {
            #expect(next - check >= 60 && next - check <= max(110, check / 4 + 60), "\(silence)")
        }
        #expect((7...30).contains(silence.count))
        // A path that was silent for so long is given more time.
        #expect((400...450).contains(try #require(checks.first { $0 > 20_000 }) - 20_980), "\(checks)")
    }

    @Test("The first packet after a silence ends it at once, and nothing passes after the end")
    func resumed() {
        let activity = PacketActivity(TransportTuning())
        for time in stride(from: 0, to: 2_000, by: 20) {
            #expect(activity.note(.media, at: start + .milliseconds(time)) == [])
            _ = activity.look(at: start + .milliseconds(time))
        }
        var reports: [PeerConnectionEvent.Kind] = []
        for time in stride(from: 2_000, to: 12_000, by: 100) {
            reports += activity.look(at: start + .milliseconds(time))?.reports ?? []
        }
        #expect(reports.count { $0 == .interrupted } == 1 && !reports.contains(.resumed))
        #expect(activity.note(.media, at: start + .milliseconds(11_910)) == [.resumed])
        #expect(activity.note(.media, at: start + .milliseconds(11_930)) == [])
        activity.end()
        #expect(activity.note(.media, at: start + .milliseconds(11_950)) == nil)
    }

    @Test("Silence asks for another path at the same pace twice, then ever more slowly, and interrupts once")
    func silent() throws {
        let reports = looks(media: [0..<8_000, 20_000..<21_000], until: 21_000).reports
        let paths = reports.filter { Self.isOfPath($0.1) }.map(\.at)
        let waits = zip([7_980] + paths, paths).map { $1 - $0 }
        #expect(waits.count == 7)
        for (wait, expected) in zip(waits, [300, 300, 600, 1_200, 2_400, 3_000, 3_000]) {
            #expect((expected...expected + 110).contains(wait), "\(waits)")
        }
        let others = reports.filter { !Self.isOfPath($0.1) && $0.1 != .pathChecked }
        #expect(others.map(\.1) == [.interrupted, .resumed])
        #expect(reports.count { $0.1 == .pathChecked } == 1)
        let (lost, back) = (try #require(others.first).at, try #require(others.last).at)
        #expect((9_980...10_090).contains(lost) && (20_000...21_000).contains(back))
    }

    private static func isOfPath(_ kind: PeerConnectionEvent.Kind) -> Bool {
        [.mediaMissing, .pathSilent].contains(kind)
    }

    /// A peer that holds the call is silent like this.
    @Test("When only the media stops, only media is missing; when the reports stop, too, the path is silent")
    func mediaStops() throws {
        let reports = looks(media: [0..<8_000], reports: [0..<20_000], until: 30_000).reports
        let missing = reports.filter { $0.1 == .mediaMissing }.map(\.at)
        let silent = reports.filter { $0.1 == .pathSilent }.map(\.at)
        // The last report is at 19,500; it could be three intervals to the next one.
        #expect(
            (8_280...8_400).contains(try #require(missing.first)) && missing.allSatisfy { $0 < 10_000 }, "\(missing)")
        #expect((22_500...22_610).contains(try #require(silent.first)), "\(silent)")
    }

    @Test("When media and reports stop together, the path is silent after three intervals of the reports")
    func everythingStops() throws {
        let reports = looks(media: [0..<8_000], reports: [0..<8_000], until: 20_000).reports
        let paths = reports.filter { Self.isOfPath($0.1) }
        #expect(paths.allSatisfy { ($0.1 == .mediaMissing) == ($0.at < 7_980 + 3_000) }, "\(paths)")
        #expect(paths.first?.1 == .mediaMissing && paths.last?.1 == .pathSilent)
    }

    @Test("A path that stays silent is given up at the same pace twice, then ever more slowly")
    func furtherSearches() {
        let waits = (0..<9).map { PeerSilence.patience(.milliseconds(300), $0) }
        #expect(waits == [300, 300, 600, 1_200, 2_400, 3_000, 3_000, 3_000, 3_000].map { .milliseconds($0) })
    }

    @Test("Another path gets as much time as the former one")
    func change() {
        let paths = looks(media: [0..<8_000], until: 8_650, changesPathAt: 8_200).reports
            .filter { Self.isOfPath($0.1) }.map(\.at)
        #expect(paths.count == 1 && (8_500...8_610).contains(paths[0]), "\(paths)")
    }

    @Test("A machine that stood still reports nothing before it has read what arrived")
    func standstill() {
        #expect(looks(media: [0..<30_000], until: 30_000, lateAt: 10_000).reports.isEmpty)
        // The look that is due within 120 ms comes 500 ms later; only the next one counts.
        let late = looks(media: [0..<10_000], until: 11_000, lateAt: 10_000).reports.map(\.at)
        #expect(late.first == 10_630, "\(late)")
    }
}
