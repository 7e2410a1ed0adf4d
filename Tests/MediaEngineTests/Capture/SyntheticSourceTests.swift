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

        /// Before GStreamer 1.22.3, audiotestsrc does not write the first sample of a syllable: it is whatever the memory held before.
        @Test("Speech does not end when a sample of it is no number")
        func damagedSpeech() async throws {
            try GStreamerLibrary.initialize()
            let source = try SourceBlueprint(source: .audio(.speech), catalog: PipelineCatalog()).build()
            let pipeline = try Pipeline(name: "speech", timeBase: .ownStart)
            defer { pipeline.stop() }
            let sink = try Element("fakesink")
            for element in [source.bin, sink] { pipeline.bin.add(element) }
            try source.bin.link(to: sink)
            let damaged = Shared(0)
            try #require(source.bin.child("source")).pad("src").probe { buffer in
                // As a number of 32 bits, these are not one.
                let bytes = buffer.reference.withBytes { [0xff, 0xff, 0xff, 0xff] + $0.dropFirst(4) }
                guard let copy = bytes?.withUnsafeBytes({ BufferRef(copying: $0) }) else { return .pass }
                copy.present(at: buffer.reference.presented)
                damaged.update { $0 += 1 }
                return .replace(copy)
            }
            let meter = Shared(SpeechMeter(samplesPerSecond: 48_000))
            try sink.pad("sink").probe { buffer in
                _ = buffer.reference.withBytes { bytes in
                    meter.update { $0.add(bytes.bindMemory(to: Int16.self), channels: 1) }
                }
                return .pass
            }
            try pipeline.bin.setState(.playing)
            try await eventually("ten syllables; so far \(String(describing: meter.value.result))") {
                meter.value.result?.syllables ?? 0 >= 10
            }
            #expect(damaged.value > 10)
        }
    }
}

@Suite("Frame stamps") struct FrameStampTests {
    private let time = 1_763_900_000_123

    private func stamped(_ width: Int, _ height: Int, _ number: UInt32) -> [UInt8] {
        var bytes = [UInt8](repeating: 90, count: FrameMark.stride(width) * height * 3 / 2)
        bytes.withUnsafeMutableBytes {
            FrameStamp.stamp($0, width: width, height: height, number: number, unixMs: time)
        }
        return bytes
    }

    @Test(
        "A mark is read as it was written",
        arguments: [(128, 72), (320, 180), (638, 360), (480, 270), (640, 480), (1280, 720)])
    func roundTrip(width: Int, height: Int) throws {
        for number in [0, 1, 0xbead_ee, FrameMark.numbers - 1] as [UInt32] {
            let bytes = stamped(width, height, number)
            let mark = try #require(bytes.withUnsafeBytes { FrameMark(luma: $0, width: width, height: height) })
            #expect(mark == FrameMark(number: number, time: UInt32(truncatingIfNeeded: time)))
        }
    }

    @Test(
        "A mark is read after the frame was made smaller", arguments: [(1280, 720, 2), (1280, 720, 4), (480, 270, 2)])
    func scaled(width: Int, height: Int, by factor: Int) throws {
        let (bytes, stride) = (stamped(width, height, 77), FrameMark.stride(width))
        let (smallWidth, smallHeight) = (width / factor, height / factor)
        var small = [UInt8](repeating: 0, count: FrameMark.stride(smallWidth) * smallHeight)
        for y in 0..<smallHeight {
            for x in 0..<smallWidth {
                small[y * FrameMark.stride(smallWidth) + x] = bytes[y * factor * stride + x * factor]
            }
        }
        let mark = small.withUnsafeBytes { FrameMark(luma: $0, width: smallWidth, height: smallHeight) }
        #expect(mark?.number == 77)
    }

    @Test("A frame with a wrong bit, a black one, a white one and a grey one have no mark")
    func unreadable() {
        var bytes = stamped(320, 180, 5)
        // The block of the lowest bit of the time.
        for y in 10..<20 { for x in 310..<320 { bytes[y * 320 + x] = bytes[y * 320 + x] > 128 ? 16 : 235 } }
        for frame in [bytes] + [0, 16, 128, 235, 255].map({ [UInt8](repeating: $0, count: 320 * 180 * 3 / 2) }) {
            #expect(frame.withUnsafeBytes { FrameMark(luma: $0, width: 320, height: 180) } == nil)
        }
    }

    @Test(
        "A frame that is too small or too short is not changed",
        arguments: [(64, 72, 6_912), (320, 10, 4_800), (320, 180, 10)])
    func small(width: Int, height: Int, count: Int) {
        var bytes = [UInt8](repeating: 90, count: count)
        bytes.withUnsafeMutableBytes {
            FrameStamp.stamp($0, width: width, height: height, number: 7, unixMs: time)
        }
        #expect(bytes.allSatisfy { $0 == 90 })
        #expect(bytes.withUnsafeBytes { FrameMark(luma: $0, width: width, height: height) } == nil)
    }

    private func difference(_ bytes: [UInt8], _ width: Int, _ height: Int, _ number: UInt32) -> ReferenceBand
        .Difference?
    {
        let band = ReferenceBand(of: number, width: width, height: height)
        return bytes.withUnsafeBytes { band?.difference(to: $0) }
    }

    @Test(
        "The band of waves is what it should be, and is not that of another frame",
        arguments: [(192, 108), (320, 180), (638, 360), (480, 270), (1280, 720)])
    func band(width: Int, height: Int) throws {
        let bytes = stamped(width, height, 1_234_567)
        let same = try #require(difference(bytes, width, height, 1_234_567))
        #expect(same.meanSquare == 0 && same.psnr == 60 && abs(same.similarity - 1) < 0.000_1)
        let other = try #require(difference(bytes, width, height, 1_234_567 + 20))
        #expect(other.psnr < 15 && other.similarity < 0.8)
        // The next frame differs a little, as does a picture whose brightness changed.
        #expect(try #require(difference(bytes, width, height, 1_234_568)).psnr < 45)
        let brighter = try #require(difference(bytes.map { $0 &+ 5 }, width, height, 1_234_567))
        #expect(abs(brighter.psnr - 34.15) < 0.01 && brighter.similarity > 0.9)
    }

    @Test("A frame that was scaled down has the band of its size")
    func scaledBand() throws {
        let (width, height) = (640, 360)
        let large = stamped(width, height, 77)
        // The mean of four pixels.
        let half = (0..<(height / 2)).flatMap { y in
            (0..<(width / 2)).map { x -> UInt8 in
                let place = 2 * y * width + 2 * x
                let sum = [place, place + 1, place + width, place + width + 1].map { Int(large[$0]) }.reduce(0, +)
                return UInt8((sum + 2) / 4)
            }
        }
        #expect(try #require(difference(half, width / 2, height / 2, 77)).psnr > 45)
    }

    @Test("A frame without room for a band is not compared", arguments: [(128, 72), (64, 36), (320, 180)])
    func noBand(width: Int, height: Int) {
        let short = [UInt8](repeating: 90, count: width * height / 2)
        #expect(difference(short, width, height, 7) == nil)
        #expect(width > 128 || difference(stamped(width, height, 7), width, height, 7) == nil)
    }
}
