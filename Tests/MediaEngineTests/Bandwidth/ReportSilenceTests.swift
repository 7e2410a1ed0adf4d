import Foundation
import Testing

@testable import MediaEngine

@Suite("Reports that stay away") struct ReportSilenceTests {
    private func silence(interval: Double = 0.05) -> ReportSilence {
        var silence = ReportSilence()
        for index in 0...100 { silence.note(at: Double(index) * interval, isDelayed: false) }
        silence.noteSent(at: 100 * interval)
        return silence
    }

    @Test("Nothing is reduced before the first report")
    func before() {
        #expect(ReportSilence().factor(at: 1_000) == 1)
    }

    @Test("A silence halves what is sent again and again, down to a fiftieth; the next report ends it")
    func halves() {
        var silence = silence()
        #expect(silence.factor(at: 5.14) == 1)
        #expect([5.16, 5.36, 5.56, 14].map(silence.factor) == [0.5, 0.25, 0.125, 0.02])
        silence.note(at: 14, isDelayed: false)
        // Not all at once.
        var now = 14.0
        var factors: [Double] = []
        while now < 17 {
            now += 0.05
            factors.append(silence.factor(at: now))
            silence.note(at: now, isDelayed: false)
        }
        #expect(zip(factors, factors.dropFirst()).allSatisfy { $1 >= $0 } && factors[5] < 0.05 && factors.last == 1)
        #expect(factors.firstIndex(of: 1).map { 30...36 ~= $0 } == true)
    }

    @Test("The report of a packet that waited does not end it, and holds it up for a second at most")
    func delayed() {
        var silence = silence()
        silence.note(at: 5.3, isDelayed: true)
        #expect(silence.factor(at: 5.31) == 0.5)
        silence.note(at: 5.4, isDelayed: true)
        #expect(silence.factor(at: 5.6) == 0.5)
        // Another silence adds to it.
        silence.noteSent(at: 5.4)
        #expect(silence.factor(at: 5.56) == 0.25)
        silence.note(at: 5.62, isDelayed: true)
        for index in 0...10 { silence.note(at: 5.7 + Double(index) / 20, isDelayed: true) }
        #expect(silence.factor(at: 6.29) == 0.25)
        #expect(abs(silence.factor(at: 6.39) / (0.25 * pow(2, 0.3)) - 1) < 1e-9)
    }

    @Test("An end that sends nothing gets no reports, and a peer that reports no more cannot be asked")
    func ends() {
        var silence = silence()
        #expect(!silence.isIdle(at: 5.9) && silence.isPresent(at: 5.9))
        #expect(!silence.isPresent(at: 16) && silence.factor(at: 16) == 1)
        silence.note(at: 20, isDelayed: false)
        #expect(!silence.isIdle(at: 20.5) && silence.isIdle(at: 21.5) && silence.factor(at: 60) == 1)
    }

    @Test("A peer that reports rarely is not silent between its reports")
    func rare() {
        let silence = silence(interval: 0.19)
        #expect(silence.factor(at: 19.5) == 1)
        #expect(silence.factor(at: 19.6) == 0.5)
    }
}
