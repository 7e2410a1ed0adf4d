import Logging
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("A source that fails during a call") struct OutageTests {
        /// Devices that fail in different ways and work again when they are reopened.
        private static let devices = [
            "unplugged-video-source.launch": """
            # value caps: format.caps
            videotestsrc name=source is-live=true pattern=white ! identity error-after=20 ! capsfilter name=format
            """,
            "ending-video-source.launch": """
            # value caps: format.caps
            videotestsrc name=source is-live=true num-buffers=20 pattern=white ! capsfilter name=format
            """,
            "silent-video-source.launch": """
            # value caps: format.caps
            videotestsrc name=source is-live=true pattern=white ! identity drop-probability=1 ! capsfilter name=format
            """,
            "unplugged-audio-source.launch": """
            # value caps: format.caps
            audiotestsrc name=source is-live=true freq=880 samplesperbuffer=480 ! identity error-after=60 ! capsfilter name=format
            """,
        ]

        private func withDevice(
            _ video: String?, _ audio: String?, _ body: (LoopbackCall) async throws -> Void
        ) async throws {
            let folder = try PipelineFolder(Self.devices)
            var options = LoopbackCall.Options()
            options.kinds = video == nil ? [.audio] : [.video]
            let timing = CaptureTiming(silence: .milliseconds(800), firstRetry: .milliseconds(300))
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            options.engine = try await Engine.start(
                pipelineFolder: folder.path, captureTiming: timing, logger: logger)
            if let video {
                options.callerVideo = VideoSource(name: video, format: VideoFormat(width: 320, height: 180))
            }
            if let audio { options.callerAudio = AudioSource(name: audio) }
            try await withCall(options) { call in
                try await call.connect()
                try await body(call)
            }
        }

        private func losses(_ end: CallEnd) -> [SourceFault] {
            end.events.compactMap {
                if case .captureLost(_, .sourceFailed(_, let fault, _)) = $0 { fault } else { nil }
            }
        }

        @Test(
            "The far end sees a moving test pattern, then the source again, and both ends stay connected",
            arguments: [("unplugged", SourceFault.lost), ("ending", .ended)])
        func comesBack(name: String, fault: SourceFault) async throws {
            try await withDevice(name, nil) { call in
                let log = try await ReceivedLog(call.callee)
                let watch = try await DecodedWatch(call.callee, .video)
                try await eventually("the source's white frames") { (log.last?.mean ?? 0) > 200 }
                try await eventually("the stand-in's dark ones") { (log.last?.mean ?? 255) < 100 }
                let changes = watch.changes
                try await eventually("the source again") {
                    call.caller.count(.captureRestored(.video)) > 0 && (log.last?.mean ?? 0) > 200
                }
                #expect(watch.changes > changes + 3, "the stand-in moves")
                #expect(losses(call.caller).first == fault)
                try await eventually("the second loss") { losses(call.caller).count >= 2 }
                #expect(call.caller.failure == nil && call.callee.failure == nil)
                let sizes = Set(log.frames.map { [$0.width, $0.height] })
                #expect(sizes == [[320, 180]])
            }
        }

        @Test("A source that is open but delivers nothing is replaced, too")
        func silent() async throws {
            try await withDevice("silent", nil) { call in
                try await call.callee.waitForFrames(10)
                #expect(losses(call.caller) == [.silent])
                let watch = try await DecodedWatch(call.callee, .video)
                try await eventually("frames that move") { watch.changes >= 10 }
            }
        }

        @Test("A lost microphone is replaced by silence, and is heard again when it is back")
        func audio() async throws {
            try await withDevice(nil, "unplugged") { call in
                let heard = try await DecodedWatch(call.callee, .audio)
                try await eventually("audio") { heard.loudRun > 5 }
                try await eventually("silence that flows") { heard.silentRun > 5 }
                try await eventually("audio again") { heard.loudRun > 5 }
                #expect(losses(call.caller).first == .lost)
                #expect(call.caller.count(.captureRestored(.audio)) > 0)
            }
        }

        @Test("Nothing stays open when a call ends while its source is lost")
        func endMeanwhile() async throws {
            try await withDevice("ending", nil) { call in
                try await eventually("the loss") { losses(call.caller).count > 0 }
                let source = try await call.capture(.caller, .video)
                await call.close()
                try await eventually("everything is closed") { await !source.isOpen }
                #expect(await !source.device.isWanted)
                #expect(await source.device.outage == nil)
            }
        }
    }
}
