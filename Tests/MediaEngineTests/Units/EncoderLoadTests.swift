import Testing

@testable import MediaEngine

@Suite("The load of an encoder") struct EncoderLoadTests {
    private let capture = VideoLadder.Capture(width: 1_280, height: 720, rate: 30)

    /// Captures 30 frames a second, of which this share is dropped; returns the steps taken and when, `most` of them.
    private func run(
        _ load: inout EncoderLoad, from start: Double, seconds: Double, dropping share: Double, most: Int = .max
    ) -> [(at: Double, step: VideoLadder.Step)] {
        var steps: [(at: Double, step: VideoLadder.Step)] = []
        var due = 0.0
        for frame in 0..<Int(seconds * 30) where steps.count < most {
            due += share
            if due >= 1 {
                due -= 1
                load.noteDropped()
                continue
            }
            let now = start + Double(frame) / 30
            if let step = load.noteFrame(of: capture, at: now) { steps.append((now, step)) }
        }
        return steps
    }

    @Test("An encoder that is too slow for six seconds gets smaller frames, and smaller ones again")
    func slow() {
        var load = EncoderLoad(.balanced)
        #expect(run(&load, from: 0, seconds: 3, dropping: 0.5).isEmpty, "a busy moment")
        #expect(run(&load, from: 3, seconds: 60, dropping: 0.05).isEmpty, "a frame now and then")
        let steps = run(&load, from: 63, seconds: 14, dropping: 0.3)
        #expect(steps.map(\.step) == [.init(scale: 0.75), .init(scale: 0.5)])
        #expect(steps.first.map { (67...71.5).contains($0.at) } == true)
    }

    @Test("There is a lowest step")
    func lowest() {
        for preference in DegradationPreference.allCases {
            var load = EncoderLoad(preference)
            _ = run(&load, from: 0, seconds: 100, dropping: 0.5)
            #expect(capture.allows(load.step) && load.step != .init(), "\(preference): \(load.step)")
            #expect(run(&load, from: 100, seconds: 100, dropping: 0.5).isEmpty)
        }
    }

    @Test("Large frames come back after a calm time, which is longer after each mistake")
    func recovery() {
        var load = EncoderLoad(.motion)
        var now = 0.0
        var waits: [Double] = []
        for _ in 0..<4 {
            #expect(run(&load, from: now, seconds: 8, dropping: 0.3).map(\.step) == [.init(scale: 0.75)])
            now += 8
            let back = run(&load, from: now, seconds: 170, dropping: 0, most: 1)
            #expect(back.map(\.step) == [.init()])
            waits.append((back.first?.at ?? 0) - now)
            now = (back.first?.at ?? 0) + 1.0 / 30
        }
        for (wait, expected) in zip(waits, [20.0, 40, 80, 160]) {
            #expect((expected - 2...expected + 4).contains(wait), "\(waits)")
        }
    }

    @Test("A pause is neither slow nor calm")
    func pause() {
        var load = EncoderLoad(.balanced)
        for round in 0..<5 {
            #expect(run(&load, from: Double(round) * 100, seconds: 5, dropping: 0.5).isEmpty)
        }
    }
}
