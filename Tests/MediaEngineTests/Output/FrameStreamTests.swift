import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Video and audio for the application") struct FrameStreamTests {
        private static let clock = VideoSource(name: "clock", format: VideoFormat(width: 320, height: 180))

        @Test("The peer's frames arrive with rising counters and times")
        func remoteVideo() async throws {
            var options = LoopbackCall.Options()
            options.callerVideo = Self.clock
            try await withCall(options) { call in
                let frames = call.callee.peer.outputs.frames(buffering: 1_000)
                try await call.connect()
                try await call.callee.waitForFrames(20)
                await call.callee.peer.setReceiving(true)
                let numbers = Shared<[UInt32]>([])
                try await inTime("thirty frames") {
                    var last: Duration?
                    for await frame in frames {
                        #expect((frame.width, frame.height, frame.pixelFormat) == (320, 180, .i420))
                        #expect(frame.bytes.count == 320 * 180 * 3 / 2)
                        #expect(frame.planes.map(\.offset) == [0, 320 * 180, 320 * 180 * 5 / 4])
                        #expect(frame.planes.map(\.bytesPerRow) == [320, 160, 160])
                        if let last { #expect(frame.time > last) }
                        last = frame.time
                        let number = frame.bytes.withUnsafeBytes {
                            FrameMark(luma: $0, width: 320, height: 180)?.number
                        }
                        numbers.update { $0.append(number ?? 0) }
                        if numbers.value.count == 30 { break }
                    }
                }
                let read = numbers.value
                #expect(!read.contains(0) && zip(read, read.dropFirst()).allSatisfy { $0 < $1 }, "\(read)")
                #expect(frames.dropped == 0)
            }
        }

        @Test("Nothing of the peer is delivered before the gate opens or after it closes")
        func closedGate() async throws {
            try await withCall { call in
                let (frameCount, sampleCount) = (Shared(0), Shared(0))
                let (frames, samples) = (call.callee.peer.outputs.frames(), call.callee.peer.outputs.samples())
                Task { for await _ in frames { frameCount.update { $0 += 1 } } }
                Task { for await _ in samples { sampleCount.update { $0 += 1 } } }
                try await call.connect()
                try await call.callee.waitForFrames(30)
                #expect(frameCount.value == 0 && sampleCount.value == 0)
                await #expect(throws: MediaError.noFrame) { try await call.callee.peer.outputs.snapshot(.png) }
                await call.callee.peer.setReceiving(true)
                try await eventually("both") { frameCount.value > 5 && sampleCount.value > 5 }
                await call.callee.peer.setReceiving(false)
                let before = frameCount.value
                try await call.callee.waitForMoreFrames(20)
                // One frame may have been in flight.
                #expect(frameCount.value <= before + 1)
            }
        }

        @Test("The peer's samples have the pitch of its tone", arguments: [Codec.opus, .pcmu, .g722])
        func remoteSamples(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.audioCodecs = [codec]
            try await withCall(options) { call in
                let stream = call.callee.peer.outputs.samples(buffering: 1_000)
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                let pitch = try await Self.pitch(of: stream)
                #expect(abs(pitch - 440) < 10)
                #expect(stream.dropped == 0)
            }
        }

        private static func pitch(of stream: FrameStream<AudioSamples>) async throws -> Double {
            try await inTime("a second of audio") {
                var meter: PitchMeter?
                var count = 0
                for await audio in stream {
                    if meter == nil { meter = PitchMeter(samplesPerSecond: audio.sampleRate) }
                    for index in stride(from: 0, to: audio.samples.count, by: audio.channels) {
                        meter?.add(audio.samples[index])
                        count += 1
                    }
                    if count >= 2 * audio.sampleRate { break }
                }
                return meter?.hertz ?? 0
            }
        }

        @Test("A slow reader gets the newest frames and the number of dropped ones")
        func backPressure() async throws {
            try await withCall { call in
                let frames = call.callee.peer.outputs.frames(.gray8, buffering: 2)
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                try await eventually("drops") { frames.dropped >= 5 }
                let read = try await inTime("what was left") {
                    var read: [Duration] = []
                    for await frame in frames {
                        read.append(frame.time)
                        if read.count == 2 { break }
                    }
                    return read
                }
                #expect(read.count == 2 && read[0] < read[1])
            }
        }

        @Test("A stream ends with its connection, also one that starts after the end")
        func end() async throws {
            let streams = Shared<[FrameStream<VideoFrame>]>([])
            try await withCall { call in
                try await call.connect()
                streams.update { $0.append(call.callee.peer.outputs.frames()) }
                await call.callee.peer.close()
                streams.update { $0.append(call.callee.peer.outputs.frames()) }
            }
            for stream in streams.value { try await inTime("the end") { for await _ in stream {} } }
        }

        @Test(
            "Captured frames are readable before a call in every pixel format, and the device closes afterwards",
            arguments: PixelFormat.allCases)
        func localVideo(format: PixelFormat) async throws {
            let source = try await TestEngine.shared().capture(
                VideoSource(name: "clock", format: VideoFormat(width: 322, height: 182)))
            await #expect(throws: MediaError.noFrame) { try await source.snapshot(.png) }
            do {
                let frames = try await source.frames(format)
                let frame = try await inTime("two frames") {
                    var read: [VideoFrame] = []
                    for await frame in frames {
                        read.append(frame)
                        if read.count == 2 { break }
                    }
                    return read
                }
                #expect(frame.count == 2 && frame[0].bytes != frame[1].bytes)
                #expect((frame[0].width, frame[0].height, frame[0].pixelFormat) == (322, 182, format))
                let plane = frame[0].planes[0]
                let width: [PixelFormat: Int] = [.rgb: 968, .rgbx: 1_288, .bgrx: 1_288]
                #expect(plane.bytesPerRow == width[format] ?? 324)
                #expect(try await source.snapshot(.jpeg).starts(with: [0xFF, 0xD8]))
            }
            try await eventually("the device closes") { await !source.isOpen }
        }

        @Test("Captured audio is readable without a call")
        func localSamples() async throws {
            let source = try await TestEngine.shared().capture(AudioSource.tone(hertz: 700))
            #expect(try await abs(Self.pitch(of: source.samples(buffering: 500)) - 700) < 10)
            await #expect(throws: MediaError.noFrame) { try await source.frames() }
        }

        @Test("A snapshot is an image in the size of the video", arguments: ImageFormat.allCases)
        func snapshots(format: ImageFormat) async throws {
            let folder = try PipelineFolder()
            try await withCall { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                try await call.callee.wait("a frame") { $0.received[.video]?.shown ?? 0 > 0 }
                let bytes = try await call.callee.peer.outputs.snapshot(format)
                let magic: [UInt8] = format == .png ? [0x89, 0x50, 0x4E, 0x47] : [0xFF, 0xD8, 0xFF]
                #expect(bytes.starts(with: magic))
                try folder.write(bytes, to: "frame")
            }
            let frame = try await RecordedFile(folder.file("frame")).frames.first
            #expect(frame?.width == 320 && frame?.height == 180)
            // A white ball on black.
            #expect(frame?.sample.contains { $0 > 200 } == true && (frame?.mean ?? 255) < 100)
            #expect(throws: MediaError.self) { try ImageFormat(path: "frame.gif") }
            #expect(try ImageFormat(path: "a.b/c.JPG") == .jpeg)
        }
    }
}
