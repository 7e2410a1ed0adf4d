import Testing

@testable import MediaEngine

@Suite("Which frames are decoded") struct DecodingScheduleTests {
    /// Judges 30 frames a second with a key frame every `interval` frames; returns the seconds at which frames were decoded, and the requests.
    private func run(
        _ policy: DecodingPolicy, seconds: Int, keyFrameEvery interval: Int, answersRequests: Bool = false,
        isWatched: (Double) -> Bool = { _ in false }
    ) -> (decoded: [Double], began: [Double], requested: [Double]) {
        var schedule = DecodingSchedule(policy, seed: 0)
        var (decoded, began, requested): ([Double], [Double], [Double]) = ([], [], [])
        var isRequested = false
        for frame in 0..<(seconds * 30) {
            let now = Double(frame) / 30
            let isKeyFrame = frame % interval == 0 || isRequested
            isRequested = false
            switch schedule.judge(
                isKeyFrame: isKeyFrame, hasDecoded: !decoded.isEmpty, isWatched: isWatched(now), at: now)
            {
            case .decode: decoded.append(now)
            case .decodeAgain:
                decoded.append(now)
                began.append(now)
            case .skip: break
            case .skipAndRequest:
                requested.append(now)
                isRequested = answersRequests
            }
        }
        return (decoded, began, requested)
    }

    @Test("All of it: each frame, and no request") func all() {
        let result = run(.all, seconds: 30, keyFrameEvery: 1_000_000)
        #expect(result.decoded.count == 900)
        #expect(result.requested.isEmpty)
    }

    @Test("The first frame, and nothing later") func first() {
        let result = run(.first, seconds: 30, keyFrameEvery: 30)
        #expect(result.decoded == [0])
        #expect(result.requested.isEmpty)
    }

    @Test("Samples of one second in ten begin with a key frame, which they ask for if none comes") func sampled() {
        let result = run(.sampled, seconds: 40, keyFrameEvery: 1_000_000, answersRequests: true)
        #expect(result.began.count == 3)
        // The first second, and the samples.
        #expect((119...124).contains(result.decoded.count))
        #expect(result.requested.count == 3)
        for (began, period) in zip(result.began, 1...) {
            #expect((Double(period) * 10 + 0.5...Double(period) * 10 + 0.6).contains(began))
        }
    }

    @Test("A key frame that somebody else asked for begins a sample without a request") func others() {
        let result = run(.sampled, seconds: 40, keyFrameEvery: 10)
        #expect(result.requested.isEmpty)
        #expect(result.began.count == 3)
    }

    @Test("A sample without any key frame is left out, and asks once a second") func none() {
        let result = run(.sampled, seconds: 20, keyFrameEvery: 1_000_000)
        #expect(result.decoded.last ?? 2 <= 1.1)
        #expect(result.requested.count == 2)
    }

    @Test("Who looks gets every frame from the next key frame on, which is asked for at once")
    func watched() throws {
        for policy in [DecodingPolicy.first, .sampled] {
            let result = run(policy, seconds: 9, keyFrameEvery: 1_000_000, answersRequests: true) { $0 >= 3 && $0 < 6 }
            #expect(try #require(result.began.first) < 3.1)
            #expect(result.decoded.count { $0 >= 3 && $0 < 6 } == 89)
            #expect(result.requested.count == 1)
        }
    }

    @Test("Receivers sample at different times") func phases() {
        var schedules = (0..<5).map { DecodingSchedule(.sampled, seed: $0) }
        for index in schedules.indices {
            _ = schedules[index].judge(isKeyFrame: true, hasDecoded: false, isWatched: false, at: 100)
            _ = schedules[index].judge(isKeyFrame: false, hasDecoded: true, isWatched: false, at: 109)
        }
        let begins = schedules.indices.map { index in
            (0..<100).map { 110 + Double($0) / 10 }.first {
                schedules[index].judge(isKeyFrame: true, hasDecoded: true, isWatched: false, at: $0) == .decodeAgain
            }
        }
        #expect(begins == [110, 112, 114, 116, 118])
    }
}
