import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Another source during a call") struct SourceChangeTests {
        @Test("Size, rate and picture change without a negotiation, and back", arguments: [Codec.vp8, .vp9, .h264])
        func video(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.videoCodecs = [codec]
            options.callerVideo = .test(.ball, format: VideoFormat(width: 240, height: 136))
            try await withCall(options) { call in
                let engine = try await TestEngine.shared()
                try await call.connect()
                try await call.callee.waitForPictures(5)
                let other = try engine.capture(
                    VideoSource.test(.smpte, format: VideoFormat(width: 480, height: 272, framesPerSecond: 15)))
                for (source, width) in [(other, 480), (try await call.capture(.caller, .video), 240)] {
                    let log = try await ReceivedLog(call.callee)
                    let begin = ContinuousClock.now
                    try await call.caller.peer.setSource(source)
                    try await eventually("pictures \(width) wide") { log.last?.width == width }
                    let first = try #require(log.pictures.first { $0.width == width }).at - begin
                    // 8 to 32 ms when the machine has nothing else to do; a user may expect 300.
                    #expect(first < .seconds(2))
                    let seen = try await DecodedWatch(call.callee, .video)
                    try await eventually("pictures that move") { seen.changes >= 10 }
                }
                #expect(await !other.isOpen)
            }
        }

        @Test("Another tone is heard, muted or not, and a source that does not open leaves the present one")
        func audio() async throws {
            let folder = try PipelineFolder([
                "gone-audio-source.launch": """
                # value choice: source.location
                filesrc name=source ! capsfilter caps=audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved
                """
            ])
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.engine = try await MediaEngine.start(pipelineFolder: folder.path)
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

        @Test("An end that began without a source can begin to send")
        func firstSource() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.callerHasSources = false
            try await withCall(options) { call in
                let engine = try await TestEngine.shared()
                try await call.connect()
                try await call.caller.waitForPictures(5)
                try await call.caller.peer.setSource(try engine.capture(options.callerVideo))
                try await call.callee.waitForPictures(10)
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
