import Testing

@testable import MediaEngine

@Suite("The ladder of sent frames") struct VideoLadderTests {
    private let capture = VideoLadder.Capture(width: 1_280, height: 720, rate: 30)

    /// Runs in virtual time with an encoder that makes what it may, but not less than `floor` for all pixels; returns the steps.
    @discardableResult
    private func run(
        _ ladder: inout VideoLadder, limitKbit: Double?, seconds: Double, floor: Double = 0, use: Double = 1,
        from start: Double = 0, wantedKbit: Double = 2_000, _ capture: VideoLadder.Capture? = nil
    ) -> [(at: Double, step: VideoLadder.Step)] {
        var steps: [(at: Double, step: VideoLadder.Step)] = []
        for index in 0..<Int(seconds * 20) {
            let now = start + Double(index) / 20
            let sent = max((limitKbit ?? wantedKbit) * use, floor * ladder.step.share)
            let step = ladder.note(
                limitKbit: limitKbit, wantedKbit: wantedKbit, sentKbit: sent, of: capture ?? self.capture, at: now)
            if let step { steps.append((now, step)) }
        }
        return steps
    }

    @Test("Enough bits, a path that takes everything, and simple video: nothing changes")
    func enough() {
        for preference in DegradationPreference.allCases {
            var ladder = VideoLadder(preference)
            #expect(run(&ladder, limitKbit: nil, seconds: 60).isEmpty)
            #expect(run(&ladder, limitKbit: 700, seconds: 60, from: 60).isEmpty)
            #expect(run(&ladder, limitKbit: 200, seconds: 60, use: 0.4, from: 120).isEmpty)
        }
    }

    @Test(
        "Frames of another size begin with a key frame: one that would fill the path for long is not chosen",
        arguments: [(120.0, 0.25), (160, 0.5), (400, 0.75)])
    func keyFrames(limit: Double, scale: Double) {
        var ladder = VideoLadder(.balanced)
        let step = ladder.note(
            limitKbit: limit, wantedKbit: 4_000, sentKbit: 4_000, hasFallen: true, of: capture, at: 0)
        #expect(step?.scale == scale)
    }

    @Test(
        "With a few bits too few the frames get smaller, or fewer, by one step",
        arguments: DegradationPreference.allCases)
    func few(preference: DegradationPreference) throws {
        var ladder = VideoLadder(preference)
        let steps = run(&ladder, limitKbit: 600, seconds: 60)
        try #require(steps.count == 1)
        #expect(steps[0].at >= 1.9 && steps[0].step == (preference == .detail ? .init(every: 2) : .init(scale: 0.75)))
    }

    @Test("With far too few bits they fit at once", arguments: DegradationPreference.allCases)
    func farTooFew(preference: DegradationPreference) throws {
        var ladder = VideoLadder(preference)
        let steps = run(&ladder, limitKbit: 60, seconds: 60)
        try #require(steps.count == 1)
        #expect(steps[0].at < 0.5)
        switch preference {
        case .motion: #expect(steps[0].step == .init(scale: 0.25))
        case .detail: #expect(steps[0].step == .init(scale: 0.5, every: 5))
        case .balanced: #expect(steps[0].step == .init(scale: 0.25, every: 2))
        }
    }

    @Test("When the path takes far less all of a sudden, smaller frames do not wait", arguments: [true, false])
    func fall(hasFallen: Bool) {
        var ladder = VideoLadder(.balanced)
        run(&ladder, limitKbit: nil, seconds: 1)
        let step = ladder.note(
            limitKbit: 400, wantedKbit: 2_000, sentKbit: 2_000, hasFallen: hasFallen, of: capture, at: 1)
        #expect(step == (hasFallen ? .init(scale: 0.75) : nil))
    }

    @Test("Video that pauses for a queue again and again gets smaller all the same")
    func pauses() throws {
        var ladder = VideoLadder(.balanced)
        let steps = (0...4).compactMap {
            ladder.note(limitKbit: 400, wantedKbit: 2_000, sentKbit: 400, of: capture, at: Double($0) * 1.5)
        }
        try #require(steps.count == 1)
        #expect(steps[0] == .init(scale: 0.75))
    }

    @Test("An encoder that cannot make less gets smaller frames, and larger ones when there is room for what they need")
    func floor() {
        var ladder = VideoLadder(.motion)
        let steps = run(&ladder, limitKbit: 800, seconds: 30, floor: 1_300)
        #expect(steps.map(\.step) == [.init(scale: 0.75)] && steps[0].at >= 1.9)
        #expect(run(&ladder, limitKbit: 1_500, seconds: 30, floor: 1_300, from: 30).isEmpty)
        let up = run(&ladder, limitKbit: 2_000, seconds: 30, floor: 1_300, from: 60)
        #expect(up.map(\.step) == [.init()] && up[0].at > 64.9)
    }

    @Test("An encoder that cannot keep to the rate that is allowed gets smaller frames, although the path takes more")
    func allowedRate() {
        var ladder = VideoLadder(.motion)
        let steps = run(&ladder, limitKbit: nil, seconds: 58, floor: 400, wantedKbit: 150)
        #expect(steps.map(\.step) == [.init(scale: 0.375)] && (steps.first?.at ?? 0) >= 1.9)
        // A higher rate is allowed.
        let up = run(&ladder, limitKbit: nil, seconds: 30, floor: 400, from: 58, wantedKbit: 1_000)
        #expect(up.last?.step == .init())
        // A low rate alone is no reason.
        var simple = VideoLadder(.motion)
        #expect(run(&simple, limitKbit: nil, seconds: 60, floor: 70, wantedKbit: 60).isEmpty)
    }

    @Test("A path that takes everything again gets everything within seconds")
    func free() {
        var ladder = VideoLadder(.balanced)
        run(&ladder, limitKbit: 60, seconds: 30)
        let steps = run(&ladder, limitKbit: nil, seconds: 10, from: 30)
        #expect(steps.last?.step == .init() && ladder.step == .init())
        #expect(steps.last.map { $0.at < 36 } == true)
    }

    @Test("A step up that fails is tried later and later")
    func hysteresis() {
        var ladder = VideoLadder(.motion)
        run(&ladder, limitKbit: 400, seconds: 10)
        let before = ladder.step
        var waits: [Double] = []
        var now = 10.0
        // Room for the larger step that vanishes as soon as it is taken.
        for _ in 0..<4 {
            let begin = now
            while ladder.step == before, now < begin + 100 { now = step(&ladder, limitKbit: 900, at: now) }
            waits.append(now - begin)
            while ladder.step != before, now < begin + 200 { now = step(&ladder, limitKbit: 400, at: now) }
        }
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $1 > $0 * 1.8 }, "\(waits)")
    }

    @Test("A path that takes little more than the video is not filled again and again")
    func oscillation() {
        var ladder = VideoLadder(.motion)
        var ups = 0
        for index in 0..<2_000 {
            let now = Double(index) / 20
            let sent = max(300, 600 * ladder.step.share)
            // Full frames fill the queue; smaller ones leave room for all that is wanted.
            let limit: Double? = ladder.step == .init() ? 200 : nil
            let before = ladder.step.share
            if let step = ladder.note(limitKbit: limit, wantedKbit: 300, sentKbit: sent, of: capture, at: now),
                step.share > before
            {
                ups += 1
            }
        }
        #expect(1...6 ~= ups)
    }

    @Test("Simple video gets large frames again although it leaves most of a narrow path free")
    func simple() {
        var ladder = VideoLadder(.balanced)
        run(&ladder, limitKbit: 60, seconds: 10)
        #expect(ladder.step.share < 0.2)
        for index in 0..<600 {
            let now = 10 + Double(index) / 20
            let sent = 60 * ladder.step.share
            _ = ladder.note(limitKbit: 180, wantedKbit: 2_000, sentKbit: sent, of: capture, at: now)
        }
        #expect(ladder.step == .init())
    }

    @Test("A pause proves nothing")
    func pause() {
        var ladder = VideoLadder(.motion)
        #expect(ladder.note(limitKbit: 300, wantedKbit: 2_000, sentKbit: 900, of: capture, at: 0) == nil)
        #expect(ladder.note(limitKbit: 300, wantedKbit: 2_000, sentKbit: 900, of: capture, at: 60) == nil)
        #expect(ladder.note(limitKbit: nil, wantedKbit: 2_000, sentKbit: 900, of: capture, at: 60.5) == nil)
        #expect(ladder.note(limitKbit: 300, wantedKbit: 2_000, sentKbit: 900, of: capture, at: 61) == nil)
    }

    private func step(_ ladder: inout VideoLadder, limitKbit: Double, at now: Double) -> Double {
        _ = ladder.note(
            limitKbit: limitKbit, wantedKbit: 2_000, sentKbit: limitKbit, of: capture, at: now)
        return now + 0.05
    }

    @Test("Small captures stay large enough to see something, slow ones fast enough to move")
    func smallest() {
        var motion = VideoLadder(.motion)
        let small = VideoLadder.Capture(width: 320, height: 180, rate: 30)
        #expect(run(&motion, limitKbit: 1, seconds: 60, small).last?.step == .init(scale: 0.5))
        var detail = VideoLadder(.detail)
        let slow = VideoLadder.Capture(width: 640, height: 360, rate: 10)
        #expect(run(&detail, limitKbit: 1, seconds: 60, slow).last?.step == .init(every: 2))
    }

    @Test("Frames have even sizes")
    func sizes() {
        let odd = VideoLadder.Capture(width: 854, height: 480, rate: 25)
        #expect(odd.frames(.init(scale: 0.75, every: 2)) == .init(width: 640, height: 360, rate: 12.5))
        #expect(odd.frames(.init(scale: 0.375)) == .init(width: 320, height: 180, rate: 25))
        #expect(odd.frames(.init()) == .init(width: 854, height: 480, rate: 25))
    }
}
