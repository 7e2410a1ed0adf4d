import Testing

@testable import MediaEngine

@Suite("Reports that stay away") struct ReportSilenceTests {
    private func silence(interval: Double = 0.05) -> ReportSilence {
        var silence = ReportSilence()
        for index in 0...100 { silence.note(at: Double(index) * interval, isDelayed: false) }
        return silence
    }

    @Test("Nothing is reduced before the first report")
    func before() {
        #expect(ReportSilence().factor(at: 1_000) == 1)
    }

    @Test("A silence halves what is sent again and again, down to a tenth; the next report ends it")
    func halves() {
        var silence = silence()
        #expect(silence.factor(at: 5.19) == 1)
        #expect([5.21, 5.41, 5.61, 60].map(silence.factor) == [0.5, 0.25, 0.125, 0.1])
        silence.note(at: 60, isDelayed: false)
        #expect(silence.factor(at: 60.01) == 1)
    }

    @Test("The report of a packet that waited does not end it, for a second at most")
    func delayed() {
        var silence = silence()
        silence.note(at: 5.3, isDelayed: true)
        #expect(silence.factor(at: 5.31) == 0.5)
        silence.note(at: 5.4, isDelayed: true)
        #expect(silence.factor(at: 5.41) == 0.5)
        // Another silence adds to it.
        #expect(silence.factor(at: 5.61) == 0.25)
        silence.note(at: 5.62, isDelayed: true)
        for index in 0...10 { silence.note(at: 5.7 + Double(index) / 20, isDelayed: true) }
        #expect(silence.factor(at: 6.31) == 1)
    }

    @Test("A peer that reports rarely is not silent between its reports")
    func rare() {
        let silence = silence(interval: 0.19)
        #expect(silence.factor(at: 19.5) == 1)
        #expect(silence.factor(at: 19.6) == 0.5)
    }
}
