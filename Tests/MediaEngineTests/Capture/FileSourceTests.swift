import Logging
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("A file that is sent") struct FileSourceTests {
        @Test("It is played round and round without a gap, its sound in step with its pictures")
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
                let pictures = try await call.capture(.caller, .video)
                let sound = try await call.capture(.caller, .audio)
                #expect(pictures.device === sound.device)
                #expect(try await call.callee.received(.video).width == 320)
                for flash in log.flashes.prefix(3) {
                    // The receiver's own buffers differ by less than what anybody notices.
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

        @Test("A file without sound leaves silence, one without pictures a test picture, and the other kind goes on")
        func half() async throws {
            let folder = try PipelineFolder()
            try await Clip.make(folder.file("mute.mkv"), hasSound: false)
            var options = LoopbackCall.Options()
            options.callerVideo = try VideoSource(
                parsing: "file:" + folder.file("mute.mkv"), format: VideoFormat(width: 320, height: 240))
            options.callerAudio = try AudioSource(parsing: "file:" + folder.file("mute.mkv"))
            options.engine = try await MediaEngine.start(
                pipelineFolder: nil, captureTiming: CaptureTiming(silence: .seconds(1)), logger: .init(label: "test"))
            try await withCall(options) { call in
                try await call.connect()
                let log = try await ReceivedLog(call.callee, [.video, .audio])
                try await eventually("two rounds, and silence") { log.flashes.count >= 2 && log.sounds.count > 20 }
                let lost = call.caller.events.filter { if case .captureLost(.audio, _) = $0 { true } else { false } }
                #expect(lost.count == 1)
                #expect(log.sounds.allSatisfy { !$0.isLoud })
            }
        }

        @Test("Sound that pauses is lost, and restored in the next round, while the pictures go on")
        func pausing() async throws {
            let folder = try PipelineFolder()
            try await Clip.make(folder.file("short.mkv"), tone: .milliseconds(100))
            var options = LoopbackCall.Options()
            options.callerVideo = try VideoSource(
                parsing: "file:" + folder.file("short.mkv"), format: VideoFormat(width: 320, height: 240))
            options.callerAudio = try AudioSource(parsing: "file:" + folder.file("short.mkv"))
            var logger = Logger(label: "test")
            logger.logLevel = .error
            options.engine = try await MediaEngine.start(
                pipelineFolder: nil, captureTiming: CaptureTiming(silence: .milliseconds(500)), logger: logger)
            try await withCall(options) { call in
                try await call.connect()
                let log = try await ReceivedLog(call.callee, [.video, .audio])
                try await eventually("the sound goes and comes back") {
                    call.caller.count(.captureRestored(.audio)) >= 2
                }
                let beeps = log.beeps.count
                try await eventually("it is heard again") { log.beeps.count > beeps }
                #expect(log.flashes.count >= 2)
                #expect(!call.caller.events.contains { if case .captureLost(.video, _) = $0 { true } else { false } })
            }
        }

        @Test("One that is not there, or is no film, is told before the call or as an event")
        func unusable() async throws {
            let engine = try await TestEngine.shared()
            let missing = try VideoSource(parsing: "file:/nowhere/clip.mkv")
            let error = await #expect(throws: MediaError.self) { try await engine.check(missing) }
            #expect("\(try #require(error))".contains("there is no '/nowhere/clip.mkv'"))
            let folder = try PipelineFolder(["text.mkv": String(repeating: "no film ", count: 2_000)])
            let text = try VideoSource(parsing: "file:" + folder.file("text.mkv"))
            await #expect(throws: MediaError.self) { try await engine.capture(text).hold() }
        }
    }
}

extension Duration {
    /// Without its sign.
    var magnitude: Duration { self < .zero ? .zero - self : self }
}
