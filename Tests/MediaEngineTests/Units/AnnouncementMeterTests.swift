import Testing

@testable import MediaEngine

@Suite("What arrives against an announcement") struct AnnouncementMeterTests {
    private let begin = ContinuousClock.now
    private let tolerance = Duration.seconds(1)

    private func at(_ seconds: Double) -> ContinuousClock.Instant { begin + .seconds(seconds) }

    /// Something arrives every 20 ms.
    private func feed(_ meter: inout AnnouncementMeter, from: Double, to: Double) {
        for step in Int((from * 50).rounded())..<Int((to * 50).rounded()) {
            meter.note(1, at: at(Double(step) / 50), tolerance: tolerance)
        }
    }

    private func total(_ meter: AnnouncementMeter, _ mode: SendMode, at seconds: Double = 1_000) -> Double {
        meter.total(of: mode, at: at(seconds), tolerance: tolerance)
    }

    private func expect(_ meter: inout AnnouncementMeter, _ mode: SendMode, at seconds: Double, said: Double? = nil) {
        meter.expect(mode, announcedAt: at(said ?? seconds), now: at(seconds), tolerance: tolerance)
    }

    @Test("Nothing counts within the tolerance after an announcement")
    func beginning() {
        var meter = AnnouncementMeter()
        expect(&meter, .off, at: 5)
        feed(&meter, from: 5, to: 5.98)
        expect(&meter, .live, at: 10)
        feed(&meter, from: 10, to: 10.98)
        for mode in SendMode.allCases { #expect(total(meter, mode) == 0) }
    }

    @Test("What was to arrive in a time is the part of it that was live, but for the tolerance")
    func liveTime() {
        var meter = AnnouncementMeter()
        func live(_ seconds: Double, until end: Double) -> Duration {
            meter.liveTime(within: .seconds(seconds), at: at(end), tolerance: tolerance)
        }
        #expect(live(3, until: 10) == .seconds(3))
        expect(&meter, .off, at: 10)
        #expect(live(3, until: 10) == .seconds(2) && live(3, until: 20) == .zero)
        // An outage of five seconds before the media was off stays one.
        #expect(live(15, until: 20) == .seconds(4))
        expect(&meter, .live, at: 20)
        #expect(live(10, until: 20.9) == .zero && live(10, until: 23) == .seconds(2))
        #expect(live(1, until: 23) == .seconds(1) && live(18, until: 23) == .seconds(6))
    }

    @Test("Media is live before the first announcement; a mute that begins the call excuses what came before it")
    func first() {
        var meter = AnnouncementMeter()
        feed(&meter, from: 0, to: 5)
        #expect(abs(total(meter, .live, at: 5) - 200) <= 5, "without the last second")
        #expect(total(meter, .live) == 250)
        meter = AnnouncementMeter()
        feed(&meter, from: 0, to: 0.5)
        expect(&meter, .blank, at: 0.5)
        #expect(total(meter, .live) == 0)
    }

    @Test(
        "What arrives later counts for the mode that was announced, and for no other",
        arguments: [SendMode.off, .closed, .blank])
    func broken(mode: SendMode) {
        var meter = AnnouncementMeter()
        expect(&meter, mode, at: 0)
        feed(&meter, from: 0, to: 3)
        for other in SendMode.allCases { #expect(total(meter, other) == (other == mode ? 100 : 0)) }
    }

    @Test("Media that overtakes the next announcement does not count, however late that is")
    func overtaken() {
        for (late, counted) in [(0.0, 0.0), (5, 0), (6.6, 0)] {
            var meter = AnnouncementMeter()
            expect(&meter, .closed, at: 0)
            // The peer resumes 10 s after the announcement.
            feed(&meter, from: 9.1, to: 10 + late)
            expect(&meter, .live, at: 10 + late, said: 10)
            feed(&meter, from: 10 + late, to: 30)
            #expect(total(meter, .closed) == counted)
        }
    }

    @Test("What came before the tolerance of the next announcement counts, and stays when other modes follow")
    func kept() {
        var meter = AnnouncementMeter()
        expect(&meter, .blank, at: 0)
        feed(&meter, from: 0, to: 4)
        expect(&meter, .off, at: 4)
        #expect(abs(total(meter, .blank) - 100) <= 5, "of 2 s")
        expect(&meter, .blank, at: 10)
        expect(&meter, .live, at: 20)
        #expect(abs(total(meter, .blank) - 100) <= 5 && total(meter, .off) == 0)
    }

    @Test("A repeated announcement is the same one")
    func repeated() {
        var meter = AnnouncementMeter()
        expect(&meter, .off, at: 0)
        for second in 1...6 {
            expect(&meter, .off, at: Double(second))
            feed(&meter, from: Double(second), to: Double(second) + 0.5)
        }
        #expect(total(meter, .off) == 150)
    }

    @Test("A report counts only what no announcement on its way can excuse, and the total never jumps ahead")
    func soFar() {
        var meter = AnnouncementMeter()
        expect(&meter, .off, at: 0)
        feed(&meter, from: 0, to: 3)
        #expect(total(meter, .off, at: 2) == 0)
        #expect(abs(total(meter, .off, at: 3) - 50) <= 5)
        #expect(total(meter, .off, at: 4.2) == 100)
    }

    @Test("A peer that breaks its word for hours fills no memory, and all of it counts")
    func bound() {
        var meter = AnnouncementMeter()
        expect(&meter, .off, at: 0)
        feed(&meter, from: 1, to: 1_000)
        #expect(total(meter, .off, at: 2_000) == 999 * 50)
        // What is too old for that counts even if a later announcement excuses it.
        expect(&meter, .live, at: 2_000, said: 0)
        #expect((800...900).contains(total(meter, .off) / 50), "all but a hundred seconds")
    }

    @Test("A black frame is black after coding; a small bright thing, a dark picture and a mark are none")
    func black() {
        let (width, height) = (322, 180)
        let stride = FrameMark.stride(width)
        var luma = [UInt8](repeating: 16, count: stride * height * 3 / 2)
        func isBlack() -> Bool? { luma.withUnsafeBytes { BlankMedia.isBlack(luma: $0, width: width, height: height) } }
        #expect(isBlack() == true)
        for index in Swift.stride(from: 0, to: luma.count, by: 3) { luma[index] = 36 }
        #expect(isBlack() == true, "noise of coding")
        for row in 100..<112 { for column in 50..<62 { luma[row * stride + column] = 200 } }
        #expect(isBlack() == false, "a box of 12 x 12 pixels")
        luma = [UInt8](repeating: 60, count: luma.count)
        #expect(isBlack() == false)
        luma = [UInt8](repeating: 16, count: luma.count)
        let mark = FrameMark(number: 5, time: 7)
        #expect(luma.withUnsafeMutableBytes { mark.write(to: $0, width: width, height: height) })
        #expect(isBlack() == false)
        luma.removeLast(luma.count / 2)
        #expect(isBlack() == nil, "no whole frame")
        #expect(luma.withUnsafeBytes { BlankMedia.isBlack(luma: $0, width: 0, height: 0) } == nil)
    }

    @Test("Weak noise is silence, a quiet voice is not")
    func silence() {
        func isSilent(_ samples: [Int16]) -> Bool { samples.withUnsafeBufferPointer { BlankMedia.isSilent($0) } }
        #expect(isSilent([]) && isSilent([0, 3, -100, 128]))
        #expect(!isSilent([0, 0, -300, 0]) && !isSilent([.min]))
    }
}
