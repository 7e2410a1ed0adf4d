import Testing

@testable import MediaEngine

@Suite("The playout delay") struct PlayoutDelayTests {
    /// Plays video at 30 frames a second, with these latenesses in ms, one after the other.
    private func play(_ delay: inout PlayoutDelay, from start: Int, _ latenesses: [Int]) -> Int {
        var now = start
        for late in latenesses {
            delay.note(Int64(late) * 1_000_000, of: .video, at: Int64(now) * 1_000_000)
            delay.note(2_000_000, of: .audio, at: Int64(now) * 1_000_000)
            delay.note(2_000_000, of: .audio, at: Int64(now + 10) * 1_000_000)
            now += 33
        }
        return now
    }

    /// Every 25th frame waits for a repeated packet, and so do the three behind it.
    private func lossy(seconds: Int, late: Int) -> [Int] {
        (0..<30 * seconds).map { $0 % 25 < 4 ? late - $0 % 25 * 33 : 3 }
    }

    @Test("It is short on a path where nothing is late, and changes slowly")
    func clean() {
        var delay = PlayoutDelay()
        #expect(delay.value == Double(PlayoutDelay.initial))
        var now = play(&delay, from: 0, Array(repeating: 3, count: 30 * 5))
        #expect(delay.value == Double(PlayoutDelay.initial), "not known yet")
        now = play(&delay, from: now, Array(repeating: 3, count: 30 * 10))
        #expect(delay.value == Double(PlayoutDelay.minimum))
        // A single late frame in ten seconds is not worth a delay of all.
        now = play(&delay, from: now, [300] + Array(repeating: 3, count: 30 * 10))
        #expect(delay.value == Double(PlayoutDelay.minimum))
    }

    @Test("It covers a repeated packet while there are any, and falls again behind them")
    func losses() {
        var delay = PlayoutDelay()
        var now = play(&delay, from: 0, Array(repeating: 3, count: 30 * 15))
        var last = delay.value
        for _ in 0..<20 {
            now = play(&delay, from: now, lossy(seconds: 1, late: 130))
            #expect(delay.value - last <= 100_000_000, "at most a tenth of the time")
            last = delay.value
        }
        #expect((130_000_000...150_000_000).contains(delay.value), "\(delay.value)")
        for _ in 0..<20 {
            now = play(&delay, from: now, Array(repeating: 3, count: 30))
            #expect(last - delay.value <= 21_000_000, "at most a fiftieth of the time")
            last = delay.value
        }
        #expect(delay.value == Double(PlayoutDelay.minimum))
    }

    @Test(
        "It covers two requests and no more, and never more than half a second",
        arguments: [0.0, 80, 1_000, .infinity])
    func limits(roundTripMs: Double) {
        var delay = PlayoutDelay()
        delay.follow(roundTripMs: roundTripMs)
        _ = play(&delay, from: 0, lossy(seconds: 40, late: 900))
        #expect(delay.value / 1e6 == min(2 * roundTripMs + 100, 500))
    }

    @Test("Late audio delays the video, too, and video that has ended delays nothing")
    func inStep() {
        var delay = PlayoutDelay()
        var now = play(&delay, from: 0, lossy(seconds: 20, late: 200))
        #expect(delay.value > 180_000_000)
        for number in 0..<2_000 {
            now += 20
            delay.note(number % 10 == 0 ? 90_000_000 : 0, of: .audio, at: Int64(now) * 1_000_000)
        }
        #expect((90_000_000...110_000_000).contains(delay.value), "\(delay.value)")
        for _ in 0..<1_000 {
            now += 20
            delay.note(0, of: .audio, at: Int64(now) * 1_000_000)
        }
        #expect(delay.value == Double(PlayoutDelay.minimum))
    }
}

@Suite("Audio that is moved to another delay") struct AudioPlayoutTests {
    private let packet: UInt64 = 20_000_000

    /// Plays packets in time and returns what happened to each.
    private func play(
        _ audio: inout AudioPlayout, _ numbers: Range<UInt64>, to target: UInt64, isQuiet: Bool, late: UInt64 = 0
    ) -> [AudioPlayout.Verdict] {
        numbers.map { number in
            audio.judge(
                presentedAt: number * packet, duration: packet, now: number * packet + late, target: target,
                isQuiet: { isQuiet })
        }
    }

    @Test("Quiet packets are played twice or left out until the delay is reached")
    func quiet() {
        var audio = AudioPlayout()
        #expect(play(&audio, 0..<5, to: 80_000_000, isQuiet: true) == Array(repeating: .play, count: 5))
        let growing = play(&audio, 5..<15, to: 145_000_000, isQuiet: true)
        #expect(growing.count { $0 == .playTwice } == 3 && growing.count { $0 == .play } == 7)
        #expect(audio.shift == 140_000_000)
        let shrinking = play(&audio, 15..<25, to: 20_000_000, isQuiet: true)
        #expect(shrinking.count { $0 == .skip } == 6 && audio.shift == 20_000_000)
    }

    @Test("Loud audio changes once in two seconds, unless it is late already")
    func loud() {
        var audio = AudioPlayout()
        _ = play(&audio, 0..<1, to: 80_000_000, isQuiet: false)
        #expect(play(&audio, 1..<101, to: 140_000_000, isQuiet: false).allSatisfy { $0 == .play })
        #expect(play(&audio, 101..<102, to: 140_000_000, isQuiet: false) == [.playTwice])
        #expect(play(&audio, 102..<202, to: 140_000_000, isQuiet: false).allSatisfy { $0 == .play })
        let late = play(&audio, 202..<204, to: 140_000_000, isQuiet: false, late: 110_000_000)
        #expect(late == [.playLater, .play] && audio.shift == 140_000_000)
    }
}
