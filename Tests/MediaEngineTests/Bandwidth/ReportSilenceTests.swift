import Foundation
import Testing

@testable import MediaEngine

@Suite("Reports that stay away") struct ReportSilenceTests {
    private func silence(interval: Double = 0.05) -> ReportSilence {
        var silence = ReportSilence()
        for index in 0...100 {
            silence.noteFrame(at: (Double(index) - 0.5) * interval)
            silence.note(at: Double(index) * interval, isDelayed: false)
        }
        silence.noteFrame(at: 100 * interval)
        return silence
    }

    @Test("Nothing is reduced before the first report")
    func before() {
        var silence = ReportSilence()
        for frame in 1...90 { silence.noteFrame(at: Double(frame) / 30) }
        #expect(silence.reduction(at: 3).factor == 1 && !silence.reduction(at: 3).isSilent)
        silence.note(at: 3, isDelayed: false)
        silence.noteFrame(at: 3.03)
        #expect(silence.reduction(at: 3.3).factor == 0.5)
    }

    @Test("A silence halves what is sent again and again, down to a fiftieth; the next report ends it")
    func halves() {
        var silence = silence()
        #expect(silence.reduction(at: 5.19).factor == 1)
        #expect([5.21, 5.41, 5.61].map { silence.reduction(at: $0).factor } == [0.5, 0.25, 0.125])
        for index in 1...270 { silence.noteFrame(at: 5 + Double(index) / 30) }
        #expect(silence.reduction(at: 14).factor == 0.02)
        silence.note(at: 14, isDelayed: false)
        // Not all at once.
        var now = 14.0
        var factors: [Double] = []
        while now < 17 {
            now += 0.05
            factors.append(silence.reduction(at: now).factor)
            silence.note(at: now, isDelayed: false)
        }
        #expect(zip(factors, factors.dropFirst()).allSatisfy { $1 >= $0 } && factors[5] < 0.05 && factors.last == 1)
        #expect(factors.firstIndex(of: 1).map { 30...36 ~= $0 } == true)
    }

    @Test("On another path nothing is reduced until its first report; the peer's usual interval stays")
    func path() {
        var silence = silence(interval: 0.2)
        silence.noteFrame(at: 20.9)
        #expect(silence.reduction(at: 21).isSilent)
        silence.changePath()
        silence.noteFrame(at: 22)
        #expect(!silence.reduction(at: 23).isSilent && silence.reduction(at: 23).factor == 1)
        silence.noteFrame(at: 22.9)
        silence.note(at: 23, isDelayed: false)
        silence.noteFrame(at: 23.03)
        #expect(silence.reduction(at: 23.6).factor == 1 && silence.reduction(at: 23.7).isSilent)
    }

    @Test("The report of a packet that waited does not end it, and holds it up for a second at most")
    func delayed() {
        var silence = silence()
        silence.note(at: 5.3, isDelayed: true)
        #expect(silence.reduction(at: 5.31).factor == 0.5)
        silence.note(at: 5.4, isDelayed: true)
        #expect(silence.reduction(at: 5.6).factor == 0.5)
        // Another silence adds to it.
        silence.noteFrame(at: 5.4)
        #expect(silence.reduction(at: 5.61).factor == 0.25)
        silence.note(at: 5.62, isDelayed: true)
        for index in 0...10 { silence.note(at: 5.7 + Double(index) / 20, isDelayed: true) }
        #expect(silence.reduction(at: 6.29).factor == 0.25)
        #expect(abs(silence.reduction(at: 6.39).factor / (0.25 * pow(2, 0.3)) - 1) < 1e-9)
    }

    @Test("An end that sends nothing any more gets no reports")
    func ends() {
        var silence = silence()
        silence.noteFrame(at: 5.5)
        #expect(silence.reduction(at: 5.9).isSilent)
        // The last frame got no report.
        #expect(!silence.reduction(at: 6.6).isSilent && silence.reduction(at: 6.6).factor == 1)
        // After the pause the next report may take any time.
        silence.noteFrame(at: 6.7)
        #expect(!silence.reduction(at: 7.6).isSilent)
        silence.note(at: 7.6, isDelayed: false)
        silence.noteFrame(at: 7.63)
        #expect(silence.reduction(at: 7.82).factor == 1 && silence.reduction(at: 7.84).isSilent)
    }

    @Test("A peer that reports no more cannot be asked: after ten seconds nothing is reduced, and that is noticed")
    func patience() {
        var silence = silence()
        var looks: [Double] = []
        for index in 1...600 {
            let now = 5 + Double(index) / 30
            if silence.noteFrame(at: now) { looks.append(now) }
        }
        #expect(
            silence.reduction(at: 15.1).factor == 0.02 && silence.reduction(at: 15.3).factor == 1
                && !silence.reduction(at: 15.3).isSilent)
        // Each 100 ms from the first step on, and once when the patience ends.
        #expect(looks.first.map { 5.2...5.25 ~= $0 } == true && looks.last.map { 15.2...15.35 ~= $0 } == true)
        #expect(zip(looks, looks.dropFirst()).allSatisfy { 0.099...0.14 ~= $1 - $0 }, "\(looks)")
    }

    @Test("A peer that reports rarely is not silent between its reports")
    func rare() {
        let silence = silence(interval: 0.19)
        #expect(silence.reduction(at: 19.5).factor == 1)
        #expect(silence.reduction(at: 19.6).factor == 0.5)
    }
}
