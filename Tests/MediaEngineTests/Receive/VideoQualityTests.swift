import Testing

@testable import MediaEngine

@Suite("Marks of frames") struct FrameMarkMeterTests {
    /// What a meter says about frames with these numbers, each decoded 40 ms after its capture; nil is a frame without a mark.
    ///
    /// `captured` has the times of capture, in frames of 33 ms; by default they are the numbers.
    private func quality(
        _ numbers: [UInt32?], captured: [UInt32]? = nil, delay: (Int) -> UInt32 = { _ in 40 }
    ) -> VideoQuality {
        var (meter, quality) = (FrameMarkMeter(), VideoQuality())
        // The clock passes 2^32 ms on its way.
        var now = UInt32.max &- 200
        for (index, number) in numbers.enumerated() {
            guard let number else {
                now &+= 33
                meter.add(nil, at: now)
                continue
            }
            let time = UInt32.max &- 200 &+ (captured?[index] ?? number) &* 33
            now = time &+ delay(index)
            meter.add(FrameMark(number: number, time: time), at: now)
        }
        meter.report(into: &quality)
        return quality
    }

    private func counts(_ numbers: [UInt32?], captured: [UInt32]? = nil) -> [Int?] {
        let quality = quality(numbers, captured: captured)
        return [quality.framesMissing, quality.framesRepeated, quality.framesReordered]
    }

    @Test("All frames in order have no fault")
    func perfect() {
        let quality = quality((7..<60).map { $0 })
        #expect(quality.framesMarked == 53 && quality.framesMissing == 0)
        #expect(quality.framesRepeated == 0 && quality.framesReordered == 0)
        #expect(quality.delayMs == .init(min: 40, median: 40, p95: 40, max: 40))
    }

    @Test("Each fault is counted as what it is")
    func faults() {
        #expect(counts([1, 2, 5, 6]) == [2, 0, 0])
        #expect(counts([1, 2, 2, 2, 3]) == [0, 2, 0])
        #expect(counts([1, 3, 2, 4]) == [0, 0, 1])
        #expect(counts([1, 2, 6, 4, 7]) == [2, 0, 1])
        // A damaged frame is neither missing nor a pause.
        #expect(counts([1, 2, nil, 4, 5]) == [0, 0, 0])
        #expect(counts([1, 2, nil, 9, 10]) == [5, 0, 0])
    }

    @Test("A pause, another source and the end of the numbers are no missing frames")
    func pauses() {
        #expect(counts([1, 2] + [UInt32?](repeating: nil, count: 10) + [90, 91]) == [0, 0, 0])
        #expect(counts([1_000, 1_001, 3, 4]) == [0, 0, 0])
        #expect(counts([90, 91, 1, 2, 3, 4], captured: [1, 2, 3, 4, 5, 6]) == [0, 0, 0])
        #expect(counts([1, 2, 5_000, 5_001]) == [0, 0, 0])
        #expect(counts([1, 2, 50, 51], captured: [1, 2, 400, 401]) == [0, 0, 0])
        let last = FrameMark.numbers - 1
        #expect(counts([last - 1, last, 0, 2], captured: [1, 2, 3, 5]) == [1, 0, 0])
    }

    @Test("The delay has its median and its worst")
    func delays() {
        let quality = quality((0..<100).map { $0 }, delay: { $0 < 50 ? 20 : $0 < 95 ? 60 : 900 })
        #expect(quality.delayMs == .init(min: 20, median: 20, p95: 60, max: 900))
    }

    @Test("Without marks, and with clocks that do not agree at all, nothing is known")
    func unknown() {
        #expect(quality([nil, nil]) == VideoQuality())
        #expect(quality([1, 2], delay: { _ in 3_600_000 }) == VideoQuality())
        // A clock that is a little behind shows, but harms nothing.
        #expect(quality([1, 2], delay: { _ in 0 &- 30 }).delayMs?.min == -30)
    }
}

extension RealPipelines {
    /// For each figure something that breaks exactly that, with a real encoder and a real decoder.
    @Suite("Quality of video") struct VideoQualityTests {
        /// What happens to half a second of the frames.
        enum Fault: Equatable, CaseIterable { case none, lost, frozen, black, late, repeated, reordered, noisy }

        @Test("A fault shows in its own figure and in no other", arguments: Fault.allCases)
        func judged(fault: Fault) async throws {
            let quality = try await quality(with: fault)
            let delay = try #require(quality.delayMs)
            #expect((fault == .late ? 250...700 : 0...240).contains(delay.median), "\(quality)")
            let missing = try #require(quality.framesMissing)
            switch fault {
            case .lost: #expect(missing == 15)
            case .frozen: #expect(missing == 30)
            default: #expect(missing == 0)
            }
            #expect(quality.framesRepeated == (fault == .repeated ? 30 : 0))
            #expect(quality.framesReordered == (fault == .reordered ? 1 : 0))
            #expect((quality.longestFreezeMs > 400) == (fault == .frozen), "\(quality)")
            let (psnr, ssim) = (try #require(quality.psnrDb), try #require(quality.ssim))
            if fault == .noisy {
                #expect(psnr.min < 25 && ssim.min < 0.8, "\(quality)")
            } else {
                #expect(psnr.min > 35, "\(quality)")
                #expect(ssim.min > 0.95, "\(quality)")
            }
            #expect(quality.framesMarked == [.lost: 105, .frozen: 90, .black: 90, .repeated: 150][fault, default: 120])
        }

        /// Two seconds of marked frames, with the fault in the middle.
        private func quality(with fault: Fault) async throws -> VideoQuality {
            try GStreamerLibrary.initialize()
            let pipeline = try Pipeline(name: "quality", timeBase: .ownStart)
            defer { pipeline.stop() }
            let caps = VideoFormat(width: 320, height: 180, framesPerSecond: 60).caps
            let delay = fault == .late ? "min-threshold-time=300000000" : ""
            let bin = try Element(
                launch: """
                    videotestsrc is-live=true num-buffers=120 ! capsfilter name=source caps=\(caps) \
                    ! identity name=before ! queue max-size-time=0 max-size-buffers=0 max-size-bytes=0 \(delay) \
                    ! vp8enc deadline=1 keyframe-max-dist=3000 target-bitrate=3000000 ! vp8dec ! identity name=after \
                    ! fakesink name=sink sync=false async=false
                    """, description: "quality", hasGhostPads: false)
            pipeline.bin.add(bin)
            FrameStamp().write(at: try #require(bin.child("source")).pad("sink"))
            try damage(bin, fault)
            let meter = DecodedMeter(kind: .video, playout: Playout())
            meter.measure([.frameMarks])
            try meter.watch(#require(bin.child("sink")).pad("sink")) {}
            let isDone = Shared(false)
            pipeline.bus.watch { if $0 == .endOfStream { isDone.set(true) } }
            try pipeline.bin.setState(.playing)
            try await eventually("the end") { isDone.value }
            var received = PeerStatistics.Received(codec: .vp8)
            meter.report(into: &received)
            return try #require(received.quality)
        }

        private func damage(_ bin: Element, _ fault: Fault) throws {
            let (before, after) = (try #require(bin.child("before")), try #require(bin.child("after")))
            // The encoder loses frames, and what is behind the decoder repeats them or mixes them up.
            let isBefore = [.lost, .frozen].contains(fault)
            let output = try after.pad("src")
            let (count, held) = (Shared(0), Shared<BufferRef?>(nil))
            try (isBefore ? before : after).pad("sink").probe { buffer in
                let number = count.update { count in
                    defer { count += 1 }
                    return count
                }
                guard (45..<75).contains(number) else { return .pass }
                switch fault {
                case .lost: return number % 2 == 0 ? .drop : .pass
                case .frozen: return .drop
                case .repeated: output.push(buffer.reference)
                case .reordered where number == 50:
                    held.set(buffer.reference)
                    return .drop
                case .reordered where number == 52: if let frame = held.value { output.push(frame) }
                default: break
                }
                return .pass
            }
            guard [.black, .noisy].contains(fault) else { return }
            let frames = Shared(0)
            try (fault == .black ? before : after).pad("src").edit { bytes, _ in
                let number = frames.update { count in
                    defer { count += 1 }
                    return count
                }
                guard (45..<75).contains(number) else { return }
                if fault == .black {
                    bytes.initializeMemory(as: UInt8.self, repeating: 16)
                    return
                }
                // Every third byte is off by 40.
                for index in stride(from: 0, to: bytes.count, by: 3) {
                    bytes[index] = bytes[index] < 128 ? bytes[index] + 40 : bytes[index] - 40
                }
            }
        }
    }
}
