import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Changing the source during a call") struct SourceChangeTests {
        @Test("Size, rate and content change without a new negotiation, and back", arguments: [Codec.vp8, .vp9, .h264])
        func video(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.videoCodecs = [codec]
            options.callerVideo = .test(.ball, format: VideoFormat(width: 240, height: 136))
            try await withCall(options) { call in
                let engine = try await TestEngine.shared()
                try await call.connect()
                try await call.callee.waitForFrames(5)
                let other = try engine.capture(
                    VideoSource.test(.smpte, format: VideoFormat(width: 480, height: 272, framesPerSecond: 15)))
                let log = try await ReceivedLog(call.callee)
                for (source, width, rate) in [
                    (other, 480, 15.0), (try await call.capture(.caller, .video), 240, 30.0),
                ] {
                    try await call.caller.peer.setSource(source)
                    let known = log.frames.count
                    let seen = try await DecodedWatch(call.callee, .video)
                    try await eventually("a second of frames \(width) wide, which move") {
                        log.frames.count { $0.width == width } > Int(rate) + 2 && seen.changes >= 10
                    }
                    let frames = log.frames
                    let late = frames[known...].prefix { $0.width != width }.count
                    // The peer sees a change within 300 ms, which is 9 frames at 30 a second.
                    #expect(late <= 9, "\(late) frames later")
                    // Without the first frame, which was captured before it was needed. A busy machine drops frames, so
                    // the shorter steps show the rate.
                    let times = frames.reversed().prefix { $0.width == width }.reversed().dropFirst().map(\.at)
                    let steps: [Double] = zip(times, times.dropFirst()).map { ($1 - $0) / .seconds(1) }.sorted()
                    let measured = 1 / steps[steps.count / 4]
                    #expect(measured > rate * 0.8 && measured < rate * 1.25, "\(measured) frames a second")
                }
                #expect(await !other.isOpen)
            }
        }

        @Test("Another tone is heard, also after muting, and a source that fails to open leaves the current one")
        func audio() async throws {
            let folder = try PipelineFolder(microphoneFromFile: "gone")
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            try await withCall(options) { call in
                let engine = try #require(options.engine)
                try await call.connect()
                let heard = try await DecodedWatch(call.callee, .audio)
                #expect(try await abs(heard.steadyTone() - 440) < 5)
                try await call.caller.peer.setSource(try engine.capture(AudioSource.tone(hertz: 880)))
                try await eventually("the other tone") {
                    heard.listenAnew()
                    return try await abs(heard.steadyTone() - 880) < 5
                }
                let gone = try engine.capture(AudioSource(name: "gone", choice: folder.file("nowhere")))
                await #expect(throws: MediaError.self) { try await call.caller.peer.setSource(gone) }
                try await eventually("the tone that was there before") { try await abs(heard.steadyTone() - 880) < 5 }

                await call.caller.send(.blank)
                try await eventually("silence") { heard.silentRun > 20 }
                try await call.caller.peer.setSource(try engine.capture(AudioSource.tone(hertz: 550)))
                try await eventually("silence still") { heard.silentRun > 60 }
                await call.caller.send(.live)
                #expect(try await abs(heard.steadyTone() - 550) < 5)
            }
        }

        @Test(
            "A new source whose frame times are earlier is shown completely",
            arguments: [Codec.vp8, .h264])
        func earlierTimes(codec: Codec) async throws {
            let format = VideoFormat(width: 320, height: 180)
            let input = try VideoInput(width: format.width, height: format.height, pixelFormat: .gray8)
            let white = [UInt8](repeating: 255, count: input.byteCount)
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.videoCodecs = [codec]
            options.callerVideo = input.source(format: format)
            try await withCall(options) { call in
                let engine = try await TestEngine.shared()
                try await call.connect()
                let log = try await ReceivedLog(call.callee)
                try await eventually("white frames from the future") {
                    try await input.push(white, at: .nanoseconds(Pipeline.now) + .milliseconds(600))
                    return (log.last?.mean ?? 0) > 220
                }
                // The same size, so that the encoder is not rebuilt.
                try await call.caller.peer.setSource(try engine.capture(VideoSource.test(.ball, format: format)))
                let seen = try await DecodedWatch(call.callee, .video)
                try await eventually("a ball on black, without anything white below") { (log.last?.mean ?? 255) < 60 }
                try await eventually("which moves") { seen.changes >= 10 }
            }
        }

        @Test("An end that began without a source can start to send")
        func firstSource() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.callerHasSources = false
            try await withCall(options) { call in
                let engine = try await TestEngine.shared()
                try await call.connect()
                try await call.caller.waitForFrames(5)
                try await call.caller.peer.setSource(try engine.capture(options.callerVideo))
                try await call.callee.waitForFrames(10)
                #expect(try await call.callee.received(.video).distinctFrames ?? 0 > 5)
            }
            let peer = try await TestEngine.peer(kinds: [.audio])
            let engine = try await TestEngine.shared()
            try await peer.setSource(try engine.capture(AudioSource.tone(hertz: 700)))
            #expect(await peer.configuration.tracks[.audio]?.source?.toneHz == 700, "used at the negotiation")
            await #expect(throws: MediaError.self) { try await peer.setSource(try engine.capture(VideoSource.test())) }
            await peer.close()
        }
    }
}
