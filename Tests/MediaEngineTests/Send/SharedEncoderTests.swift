import BuiltInPipelines
import Foundation
import Logging
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("One encoder for several calls") struct SharedEncoderTests {
        /// Frames that name themselves, and one tone for all.
        private static var options: LoopbackCall.Options {
            var options = LoopbackCall.Options()
            let source = VideoSource(name: "clock", format: VideoFormat(width: 320, height: 180))
            (options.callerVideo, options.calleeVideo) = (source, source)
            options.calleeAudio = options.callerAudio
            return options
        }

        /// Two calls whose four ends send the same.
        private func withTwoCalls(
            _ options: LoopbackCall.Options = options, _ body: (LoopbackCall, LoopbackCall) async throws -> Void
        ) async throws {
            try await withCall(options) { first in
                try await first.connect()
                try await withCall(options) { second in
                    try await second.connect()
                    try await body(first, second)
                }
            }
        }

        private func waitForSharing(
            _ ends: [CallEnd], _ isShared: Bool = true, _ tracks: [TrackID] = [.audio, .video]
        )
            async throws
        {
            for end in ends {
                try await end.wait("\(isShared ? "a shared encoder" : "its own encoder")") { statistics in
                    tracks.allSatisfy { statistics.sent[$0]?.sharesEncoder == isShared }
                }
            }
        }

        /// Half a second of it.
        private func waitForMoreAudio(_ end: CallEnd) async throws {
            let samples = try await end.received(.audio).decoded
            try await end.wait("audio") { $0.received[.audio]?.decoded ?? 0 > samples + 24_000 }
        }

        /// All frames of a call arrive once, in order, and the tone goes on.
        private func expectWholeMedia(_ end: CallEnd) async throws {
            try await expectWholeVideo(end)
            let audio = try await end.received(.audio)
            #expect(abs((audio.toneHz ?? 0) - 440) < 5)
        }

        private func expectWholeVideo(_ end: CallEnd) async throws {
            try await end.waitForMoreFrames(30)
            let video = try await end.received(.video)
            let quality = try #require(video.quality)
            #expect(quality.framesMissing == 0)
            #expect(quality.framesRepeated == 0)
            #expect(quality.framesReordered == 0)
            #expect(video.freezes == 0)
        }

        @Test("Calls of one source change to one encoder: each frame arrives once, in order, and the tone goes on")
        func allFramesArrive() async throws {
            try await withTwoCalls { first, second in
                let ends = first.ends + second.ends
                try await waitForSharing(ends)
                for end in ends { try await expectWholeMedia(end) }
                let sent = try await first.caller.sent(.video)
                #expect(sent.width == 320)
                #expect(sent.height == 180)
            }
        }

        @Test("Each call packs bytes of its own: sharing them would be a lock between all streaming threads")
        func bytes() async throws {
            try await withTwoCalls { first, second in
                let ends = [first.caller, second.caller]
                try await waitForSharing(ends)
                // They are kept, so that no memory is used again.
                let frames = Shared<[[UInt64: BufferRef]]>([[:], [:]])
                for (index, end) in ends.enumerated() {
                    let bin = try #require(await end.peer.media?.pipeline.bin)
                    try #require(bin.child(madeBy: "rtpvp8pay")).pad("sink").observe { buffer, pad in
                        frames.update { $0[index][pad.runningTime(of: buffer) ?? 0] = buffer }
                    }
                }
                let common: @Sendable () -> [(BufferRef, BufferRef)] = {
                    frames.value[0].compactMap { time, frame in frames.value[1][time].map { (frame, $0) } }
                }
                try await eventually("30 frames of both calls") { common().count >= 30 }
                #expect(
                    common().allSatisfy {
                        $0.hasSameBytes(as: $1) && $0.isDelta == $1.isDelta && $0.address != $1.address
                    })
            }
        }

        @Test("A muted call has its own encoder, whose frames are black; it shares again when it is unmuted")
        func mute() async throws {
            try await withTwoCalls { first, second in
                try await waitForSharing(first.ends + second.ends)
                let seen = try await ReceivedLog(first.callee)
                try await eventually("bright frames") { (seen.last?.mean ?? 0) > 20 }
                await first.caller.peer.setSending(.blank, of: .video)
                try await eventually("black frames") { (seen.last?.mean ?? 255) < 18 }
                #expect(try await first.caller.sent(.video).sharesEncoder == false)
                // The others go on.
                try await expectWholeMedia(second.callee)

                await first.caller.peer.setSending(.live, of: .video)
                try await eventually("bright frames") { (seen.last?.mean ?? 0) > 20 }
                try await waitForSharing([first.caller])
                try await first.callee.waitForMoreFrames(10)
            }
        }

        @Test(
            "Nothing passes after a hold, and after the hold the call shares again", arguments: [SendMode.closed, .off])
        func hold(mode: SendMode) async throws {
            try await withTwoCalls { first, second in
                try await waitForSharing(first.ends + second.ends)
                await first.caller.send(mode)
                let sent = try await first.caller.sent(.video).frames
                try await second.callee.waitForMoreFrames(30)
                #expect(try await first.caller.sent(.video).frames == sent)
                // Those that were under way.
                let decoded = try await first.callee.received(.video).decoded
                #expect(decoded <= sent + 1)

                await first.caller.send(.live)
                try await first.callee.waitForMoreFrames(10)
                try await waitForSharing([first.caller])
                let shared = try await first.caller.sent(.video).frames
                try await first.callee.waitForMoreFrames(10)
                #expect(try await first.caller.sent(.video).frames > shared)
            }
        }

        @Test(
            "A call on a narrow path has its own encoder at a lower rate, and shares again when the path takes everything"
        )
        func narrowPath() async throws {
            try await withTwoCalls { first, second in
                try await waitForSharing(first.ends + second.ends)
                let track = try #require(await first.caller.peer.media?.sending[.video])
                track.rate?.limit(toKbit: 200)
                try await waitForSharing([first.caller], false, [.video])
                #expect(track.encoder.targetBitrate == 200_000)
                try await first.callee.waitForMoreFrames(30)
                #expect(try await second.caller.sent(.video).sharesEncoder)

                track.rate?.limit(toKbit: nil)
                try await waitForSharing([first.caller])
                try await expectWholeMedia(first.callee)
            }
        }

        @Test("Audio that is quiet when a call shares and loud when it has its own encoder again is never too loud")
        func level() async throws {
            let input = try AudioInput()
            let amplitude = Shared(0.01)
            let pushing = Task {
                let begin = ContinuousClock.now
                for number in 0... {
                    try await Task.sleep(until: begin + .milliseconds(20 * number))
                    try input.push(
                        (0..<960).map {
                            Int16(sin(Double(number * 960 + $0) * .pi * 440 / 24_000) * amplitude.value * 32_767)
                        })
                }
            }
            defer { pushing.cancel() }
            var options = Self.options
            (options.kinds, options.callerAudio) = ([.audio], input.source)
            try await withTwoCalls(options) { first, second in
                for rate in [32, 48] {
                    amplitude.set(0.01)
                    try await waitForSharing([first.caller, second.caller], true, [.audio])
                    amplitude.set(0.5)
                    try await waitForMoreAudio(first.callee)
                    try await first.caller.peer.setBitrate(rate, of: .audio)
                    try await waitForSharing([first.caller], false, [.audio])
                    try await waitForMoreAudio(first.callee)
                    try await second.caller.peer.setBitrate(rate, of: .audio)
                }
                for end in [first.callee, second.callee] {
                    #expect(try await end.received(.audio).clippedSeconds == 0)
                }
            }
        }

        @Test("Calls of different rates share nothing, and calls of the same rate do")
        func rates() async throws {
            var options = Self.options
            options.kinds = [.video]
            options.configureCallee = { $0.tracks[.video]?.sharesEncoder = false }
            try await withTwoCalls(options) { first, second in
                try await waitForSharing([first.caller, second.caller], true, [.video])
                try await first.caller.peer.setBitrate(500, of: .video)
                try await waitForSharing([first.caller], false, [.video])
                #expect(await first.caller.peer.media?.sending[.video]?.encoder.targetBitrate == 500_000)
                try await first.callee.waitForMoreFrames(30)
                #expect(try await first.caller.sent(.video).sharesEncoder == false)

                try await second.caller.peer.setBitrate(500, of: .video)
                try await waitForSharing([first.caller, second.caller], true, [.video])
                try await [first.callee, second.callee].waitForMoreFrames(30)
                for end in [first.callee, second.callee] {
                    #expect(try await end.sent(.video).sharesEncoder == false)
                }
            }
        }

        @Test(
            "One peer's request for a key frame is answered for all, and does not make more of them than one encoder may"
        )
        func keyFrames() async throws {
            var options = Self.options
            options.kinds = [.video]
            try await withTwoCalls(options) { first, second in
                try await waitForSharing(first.ends + second.ends, true, [.video])
                let before = try await second.callee.received(.video).keyFramesReceived ?? 0
                for _ in 1...20 { await first.callee.peer.media?.receiving[.video]?.requestKeyFrame() }
                try await second.callee.wait("a key frame that the other peer asked for") {
                    ($0.received[.video]?.keyFramesReceived ?? 0) > before
                }
                try await second.callee.waitForMoreFrames(30)
                #expect((try await second.callee.received(.video).keyFramesReceived ?? 0) <= before + 3)
                try await expectWholeVideo(first.callee)
            }
        }

        @Test("A source that is replaced leaves the group, and joins that of the new source")
        func sources() async throws {
            var options = Self.options
            options.kinds = [.video]
            try await withTwoCalls(options) { first, second in
                try await waitForSharing(first.ends + second.ends, true, [.video])
                let engine = try await TestEngine.shared()
                let white = try engine.capture(
                    VideoSource(name: "test", choice: "white", format: VideoFormat(width: 160, height: 90)))
                let seen = try await ReceivedLog(first.callee)
                try await first.caller.peer.setSource(white)
                try await eventually("the white frames") { seen.last.map { $0.width == 160 && $0.mean > 200 } == true }
                try await second.caller.peer.setSource(white)
                try await waitForSharing([first.caller, second.caller], true, [.video])
                #expect(try await first.caller.sent(.video).width == 160)
                try await [first.callee, second.callee].waitForMoreFrames(10)
            }
        }

        @Test("The shared encoder ends with the last call, and leaves nothing behind")
        func end() async throws {
            let source = try await TestEngine.shared().capture(Self.options.callerVideo)
            for _ in 1...3 {
                try await withTwoCalls { first, second in
                    try await waitForSharing(first.ends + second.ends)
                    #expect(source.encoders.count == 1)
                    await first.close()
                    try await second.callee.waitForMoreFrames(10)
                    #expect(source.encoders.count == 1)
                }
                try await eventually("no encoder") { source.encoders.count == 0 }
            }
            try await eventually("the closed device") { await !source.isOpen }
        }

        /// Two calls of the video of a folder's descriptions, with their callers sharing an encoder.
        private func withCallers(
            of source: VideoSource, _ files: [String: String], encoder: String? = nil,
            _ body: (LoopbackCall, LoopbackCall) async throws -> Void
        ) async throws {
            let folder = try PipelineFolder(files)
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            var options = Self.options
            options.kinds = [.video]
            options.engine = try await Engine.start(
                pipelineFolder: folder.path, captureTiming: CaptureTiming(firstRetry: .milliseconds(300)),
                logger: logger)
            options.callerVideo = source
            if let encoder { options.configure = { $0.tracks[.video]?.encoders = [encoder] } }
            options.configureCallee = { $0.tracks[.video]?.encoders = [] }
            try await withTwoCalls(options) { first, second in
                try await waitForSharing([first.caller, second.caller], true, [.video])
                try await body(first, second)
            }
        }

        @Test(
            "A source that is lost is reported to all calls that share its encoder, and all see the test pattern meanwhile"
        )
        func lostSource() async throws {
            let device = """
                # value caps: format.caps
                videotestsrc name=source is-live=true pattern=white ! identity error-after=60 ! capsfilter name=format
                """
            let source = VideoSource(name: "unplugged", format: VideoFormat(width: 320, height: 180))
            try await withCallers(of: source, ["unplugged-video-source.launch": device]) { first, second in
                let logs = [try await ReceivedLog(first.callee), try await ReceivedLog(second.callee)]
                for (log, call) in zip(logs, [first, second]) {
                    try await eventually("the loss") {
                        call.caller.events.contains { if case .captureLost = $0 { true } else { false } }
                    }
                    try await eventually("the dark test pattern") { log.frames.contains { $0.mean < 100 } }
                    try await eventually("the source again") {
                        call.caller.count(.captureRestored(.video)) > 0 && (log.last?.mean ?? 0) > 200
                    }
                }
            }
        }

        @Test("When a shared encoder fails, each call goes on with its own")
        func failure() async throws {
            let vp8 = String(decoding: try #require(BuiltInPipelines.files["vp8-encoder.launch"]), as: UTF8.self)
            let brittle = vp8.replacing("rtpvp8pay", with: "identity error-after=90 ! rtpvp8pay")
            try await withCallers(
                of: Self.options.callerVideo, ["brittle-vp8-encoder.launch": brittle], encoder: "brittle-vp8"
            ) { first, second in
                try await waitForSharing([first.caller, second.caller], false, [.video])
                for call in [first, second] {
                    try await call.callee.waitForMoreFrames(30)
                    #expect(call.caller.events.allSatisfy { if case .trackFailed = $0 { false } else { true } })
                }
            }
        }

        @Test("A mute that is taken back at once leaves the call with media")
        func shortMute() async throws {
            var options = Self.options
            options.kinds = [.video]
            try await withTwoCalls(options) { first, second in
                try await waitForSharing(first.ends + second.ends, true, [.video])
                for _ in 1...20 {
                    await first.caller.peer.setSending(.blank, of: .video)
                    await first.caller.peer.setSending(.live, of: .video)
                }
                try await first.callee.waitForMoreFrames(30)
                try await waitForSharing([first.caller], true, [.video])
                try await first.callee.waitForMoreFrames(30)
            }
        }

        @Test("The device stays open when the last call leaves a shared encoder")
        func openDevice() async throws {
            let device = """
                # value caps: format.caps
                videotestsrc name=source is-live=true pattern=white ! capsfilter name=format
                """
            let source = VideoSource(name: "camera", format: VideoFormat(width: 320, height: 180))
            try await withCallers(of: source, ["camera-video-source.launch": device]) { first, second in
                let track = try #require(await first.caller.peer.media?.sending[.video])
                let device = try #require(track.source?.device)
                let capture = try #require(await device.running).number
                await second.close()
                await first.caller.peer.setSending(.blank, of: .video)
                try await waitForSharing([first.caller], false, [.video])
                try await eventually("no encoder") { track.source?.encoders.count == 0 }
                try await first.callee.waitForMoreFrames(10)
                #expect(await device.running?.number == capture)
            }
        }

        @Test("A source that cannot be opened is refused, and the shared one goes on")
        func unopenableSource() async throws {
            var options = Self.options
            options.kinds = [.video]
            try await withTwoCalls(options) { first, second in
                try await waitForSharing(first.ends + second.ends, true, [.video])
                let missing = try await TestEngine.shared().capture(VideoSource(name: "file", choice: "/missing.mkv"))
                await #expect(throws: MediaError.self) { try await first.caller.peer.setSource(missing) }
                try await expectWholeVideo(second.callee)
                try await waitForSharing([first.caller], true, [.video])
                try await first.callee.waitForMoreFrames(30)
            }
        }

        @Test("A peer that asks for key frames again and again gets an encoder of its own, and harms no other call")
        func eagerPeer() async throws {
            var options = Self.options
            options.kinds = [.video]
            options.tuning.keyFrameIntervalMs = 50
            try await withTwoCalls(options) { first, second in
                try await waitForSharing(first.ends + second.ends, true, [.video])
                try await eventually("its own encoder") {
                    await first.callee.peer.media?.receiving[.video]?.requestKeyFrame()
                    return try await !first.caller.sent(.video).sharesEncoder
                }
                #expect(try await second.caller.sent(.video).sharesEncoder)
                try await first.callee.waitForMoreFrames(30)
                try await expectWholeVideo(second.callee)
            }
        }
    }
}
