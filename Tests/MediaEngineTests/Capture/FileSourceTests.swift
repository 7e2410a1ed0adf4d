import Logging
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("A file as the source") struct FileSourceTests {
        @Test("A file loops without a gap, with its audio and video in sync")
        func loop() async throws {
            let folder = try PipelineFolder()
            try await Clip.make(folder.file("clip with spaces.mkv"))
            var options = LoopbackCall.Options()
            options.callerVideo = try VideoSource(
                parsing: "file:" + folder.file("clip with spaces.mkv"), format: VideoFormat(width: 320, height: 240))
            options.callerAudio = try AudioSource(parsing: "file:" + folder.file("clip with spaces.mkv"))
            try await TestEngine.shared().check(options.callerVideo)
            try await TestEngine.shared().check(options.callerAudio)
            try await withCall(options) { call in
                try await call.connect()
                let log = try await ReceivedLog(call.callee, [.video, .audio])
                try await eventually("three rounds") { log.flashes.count >= 3 && log.beeps.count >= 3 }
                let frames = try await call.capture(.caller, .video)
                let audio = try await call.capture(.caller, .audio)
                #expect(frames.device === audio.device)
                #expect(try await call.callee.received(.video).width == 320)
                for flash in log.flashes.prefix(3) {
                    // The receiver's own buffers add an offset that nobody notices.
                    let distances: [Duration] = log.beeps.map { ($0 - flash).magnitude }
                    #expect(try #require(distances.min()) < Duration.milliseconds(200))
                }
                for (one, next) in zip(log.flashes, log.flashes.dropFirst()) {
                    let excess: Duration = (next - one) - Duration.seconds(2)
                    #expect(excess.magnitude < Duration.milliseconds(200))
                }
                #expect(!call.caller.events.contains { if case .captureLost = $0 { true } else { false } })
            }
        }

        @Test("A file whose demuxer cannot loop is opened again at its end, and nothing is lost")
        func transportStream() async throws {
            let folder = try PipelineFolder()
            try await Clip.make(folder.file("clip.ts"), isTransportStream: true)
            var options = LoopbackCall.Options()
            options.callerVideo = try VideoSource(
                parsing: "file:" + folder.file("clip.ts"), format: VideoFormat(width: 320, height: 240))
            options.callerAudio = try AudioSource(parsing: "file:" + folder.file("clip.ts"))
            try await withCall(options) { call in
                try await call.connect()
                let log = try await ReceivedLog(call.callee, [.video, .audio])
                try await eventually("three rounds") { log.flashes.count >= 3 && log.beeps.count >= 3 }
                #expect(!call.caller.events.contains { if case .captureLost = $0 { true } else { false } })
            }
        }

        @Test("A still image as a file is sent ten times a second, not as often as it can be decoded")
        func stillImage() async throws {
            let folder = try PipelineFolder()
            try await Clip.makeImage(folder.file("image.png"))
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.callerVideo = try VideoSource(
                parsing: "file:" + folder.file("image.png"), format: VideoFormat(width: 320, height: 240))
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(2)
                let (first, begin) = (try await call.caller.sent(.video).frames, ContinuousClock.now)
                try await call.callee.waitForMoreFrames(20)
                let sent = try await call.caller.sent(.video).frames - first
                #expect(Double(sent) / ((ContinuousClock.now - begin) / .seconds(1)) < 15)
            }
        }

        @Test("A file without audio sends silence, and its video continues")
        func half() async throws {
            let folder = try PipelineFolder()
            try await Clip.make(folder.file("mute.mkv"), hasAudioSample: false)
            var options = LoopbackCall.Options()
            options.callerVideo = try VideoSource(
                parsing: "file:" + folder.file("mute.mkv"), format: VideoFormat(width: 320, height: 240))
            options.callerAudio = try AudioSource(parsing: "file:" + folder.file("mute.mkv"))
            options.engine = try await Engine.start(
                pipelineFolder: nil, captureTiming: CaptureTiming(silence: .seconds(1)), logger: .init(label: "test"))
            try await withCall(options) { call in
                try await call.connect()
                let log = try await ReceivedLog(call.callee, [.video, .audio])
                try await eventually("two rounds, and silence") { log.flashes.count >= 2 && log.audio.count > 20 }
                let lost = call.caller.events.filter { if case .captureLost(.audio, _) = $0 { true } else { false } }
                #expect(lost.count == 1)
                #expect(log.audio.allSatisfy { !$0.isLoud })
            }
        }

        @Test("Audio that pauses is reported lost and is restored in the next round, while the video continues")
        func pausing() async throws {
            let folder = try PipelineFolder()
            try await Clip.make(folder.file("short.mkv"), tone: .milliseconds(100))
            var options = LoopbackCall.Options()
            options.callerVideo = try VideoSource(
                parsing: "file:" + folder.file("short.mkv"), format: VideoFormat(width: 320, height: 240))
            options.callerAudio = try AudioSource(parsing: "file:" + folder.file("short.mkv"))
            var logger = Logger(label: "test")
            logger.logLevel = .error
            options.engine = try await Engine.start(
                pipelineFolder: nil, captureTiming: CaptureTiming(silence: .milliseconds(500)), logger: logger)
            try await withCall(options) { call in
                try await call.connect()
                let log = try await ReceivedLog(call.callee, [.video, .audio])
                try await eventually("the audio goes and comes back") {
                    call.caller.count(.captureRestored(.audio)) >= 2
                }
                let beeps = log.beeps.count
                try await eventually("it is heard again") { log.beeps.count > beeps }
                #expect(log.flashes.count >= 2)
                #expect(!call.caller.events.contains { if case .captureLost(.video, _) = $0 { true } else { false } })
            }
        }

        @Test("A missing file is refused by the check, and a file without media when it opens")
        func unusable() async throws {
            let engine = try await TestEngine.shared()
            let missing = try VideoSource(parsing: "file:/nowhere/clip.mkv")
            let error = await #expect(throws: MediaError.self) { try await engine.check(missing) }
            #expect("\(try #require(error))".contains("there is no file '/nowhere/clip.mkv'"))
            let folder = try PipelineFolder(["text.mkv": String(repeating: "no film ", count: 2_000)])
            let text = try VideoSource(parsing: "file:" + folder.file("text.mkv"))
            await #expect(throws: MediaError.self) { try await engine.capture(text).hold() }
        }
    }
}

extension Duration {
    /// The absolute value.
    var magnitude: Duration { self < .zero ? .zero - self : self }
}
