import Testing

@testable import MediaEngine

@Suite("Regular times for an encoder") struct RegularTimesTests {
    private let frame: UInt64 = 33_333_333

    /// The times between the regular times of frames that are captured at these multiples of ``frame``.
    private func intervals(_ times: inout RegularTimes, _ frames: [UInt64], dropping: [UInt64: Int] = [:]) -> [Double] {
        let regular = frames.map { number in
            for _ in 0..<(dropping[number] ?? 0) { times.noteDropped() }
            let captured = 1_000_000_000_000 + number * frame
            let regular = times.regular(captured)
            #expect(times.captured(regular) == captured, "the time of capture comes back")
            return regular
        }
        return zip(regular, regular.dropFirst()).map { Double($1 - $0) / Double(frame) }
    }

    @Test("Frames that are regular stay so")
    func regular() {
        var times = RegularTimes()
        #expect(intervals(&times, Array(0..<100)).allSatisfy { abs($0 - 1) < 0.001 })
    }

    @Test("A gap of dropped frames, or a pause, does not show")
    func gaps() {
        var times = RegularTimes()
        let frames = Array(0..<30) + Array(45..<60) + Array(61..<90) + Array(400..<430) as [UInt64]
        let intervals = intervals(&times, frames, dropping: [45: 15, 61: 1])
        #expect(intervals.allSatisfy { abs($0 - 1) < 0.05 }, "\(intervals)")
    }

    @Test("A camera that gets slower, or frames that are left out on purpose, show within a second")
    func slower() throws {
        var times = RegularTimes()
        for step: UInt64 in [2, 5] {
            let frames = Array(0..<60) + (0..<30).map { 60 + $0 * step }
            let intervals = intervals(&times, frames)
            #expect(abs(try #require(intervals.last) - Double(step)) < 0.1, "\(intervals)")
        }
    }

    @Test("Times rise, are never ahead of the capture, and begin anew with a source that began later")
    func sources() {
        var times = RegularTimes()
        var last: UInt64 = 0
        /// Captures frames of a source that began at a time, all in frames.
        func capture(_ frames: Range<UInt64>, since begin: UInt64, dropped: Int = 0) {
            for number in frames {
                if number == frames.lowerBound { for _ in 0..<dropped { times.noteDropped() } }
                let captured = number * frame
                let regular = times.regular(captured, earliest: begin * frame)
                #expect(regular > last && regular <= captured && regular >= begin * frame)
                #expect(times.captured(regular) == captured)
                last = regular
            }
        }
        capture(100..<130, since: 90)
        capture(160..<190, since: 90, dropped: 30)
        #expect(last == 159 * frame, "a second behind")
        // Another source, and back to the first one.
        capture(200..<230, since: 195)
        #expect(last == 229 * frame)
        capture(240..<270, since: 90)
    }

    @Test("Frames that the encoder drops or holds do not mix up the others")
    func held() {
        var times = RegularTimes()
        let regular = (0..<200 as Range<UInt64>).map { times.regular(1_000 + $0 * frame) }
        #expect(times.captured(regular[150]) == 1_000 + 150 * frame)
        #expect(times.captured(regular[199]) == 1_000 + 199 * frame)
        #expect(times.captured(7) == 7, "unknown")
    }
}
