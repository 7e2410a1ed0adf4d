import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Sources that the engine generates") struct SyntheticSourceTests {
        @Test("The frame counter in the video arrives readable", arguments: [Codec.vp8, .h264])
        func stamped(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.videoCodecs = [codec]
            options.callerVideo = try VideoSource(parsing: "clock:smpte", format: VideoFormat(width: 320, height: 180))
            try await withCall(options) { call in
                try await call.connect()
                let log = try await ReceivedLog(call.callee)
                try await eventually("30 frames") { log.frames.count >= 30 }
                let numbers = log.frames.compactMap(\.number)
                #expect(numbers.count >= log.frames.count - 2)
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
                #expect(try #require(numbers.last) < 500)
            }
        }

        @Test("Speech has 3 to 6 syllables a second, and silence is silent")
        func speech() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.callerAudio = .speech
            options.calleeAudio = .silence
            try await withCall(options) { call in
                try await call.connect()
                let spoken = try await ReceivedLog(call.callee, [.audio])
                let silent = try await ReceivedLog(call.caller, [.audio])
                try await eventually("two seconds") { spoken.audio.count > 100 && silent.audio.count > 100 }
                let turns = zip(spoken.audio, spoken.audio.dropFirst()).count { $0.isLoud != $1.isLoud }
                let (first, last) = (try #require(spoken.audio.first), try #require(spoken.audio.last))
                let seconds: Double = (last.at - first.at) / Duration.seconds(1)
                let syllables = Double(turns) / 2 / seconds
                #expect((3...6).contains(syllables), "\(syllables) a second")
                #expect(silent.audio.allSatisfy { !$0.isLoud })
            }
        }
    }
}

@Suite("Frame stamps") struct FrameStampTests {
    @Test("A stamp is read as it was written", arguments: [(128, 72), (320, 180), (638, 360), (1280, 720)])
    func roundTrip(width: Int, height: Int) {
        var bytes = [UInt8](repeating: 90, count: (width + 3) / 4 * 4 * height * 3 / 2)
        for number in [0, 1, 0xdead_beef, UInt32.max] {
            bytes.withUnsafeMutableBytes {
                FrameStamp.stamp($0, width: width, height: height, number: number, time: "12:34:56.789")
            }
            #expect(bytes.withUnsafeBytes { FrameStamp.read($0, width: width, height: height) } == number)
        }
    }

    @Test(
        "A frame that is too small or too short is not changed",
        arguments: [(64, 64, 6_144), (320, 10, 4_800), (320, 180, 10)])
    func small(width: Int, height: Int, count: Int) {
        var bytes = [UInt8](repeating: 90, count: count)
        bytes.withUnsafeMutableBytes {
            FrameStamp.stamp($0, width: width, height: height, number: 7, time: "12:34:56.789")
        }
        #expect(bytes.allSatisfy { $0 == 90 })
        #expect(bytes.withUnsafeBytes { FrameStamp.read($0, width: width, height: height) } == nil)
    }
}
