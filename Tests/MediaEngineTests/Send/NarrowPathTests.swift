import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("A very narrow path") struct NarrowPathTests {
        /// Reports of the packets of one key frame, on a path that takes 150 kbit/s.
        private let reports = (0..<20).map {
            PacketReport(number: UInt16($0), sent: 0, received: 1 + Double($0) * 0.064, bytes: 1_200)
        }

        @Test("The first frame of a call does not fill the queue: no packet is lost, and small video moves")
        func firstFrame() async throws {
            var options = LoopbackCall.Options()
            options.callerVideo = .test(.ball, format: VideoFormat(width: 1_280, height: 720))
            options.callerVideo.name = "busy"
            let configure = options.configure
            options.configure = { configuration in
                configure(&configuration)
                var conditions = NetworkConditions()
                (conditions.delayMs, conditions.queueMs) = (40, 1_500)
                if configuration.label == "caller" { conditions.bitrate = 150_000 }
                configuration.network = NetworkEmulator(conditions)
            }
            try await withCall(options) { call in
                try await call.connect()
                try await eventually("small video that moves", within: .seconds(20)) {
                    let received = await call.callee.peer.statistics().received[.video]
                    return received?.decoded ?? 0 > 10 && received?.width == 320
                }
                #expect(await call.callee.peer.statistics().received[.video]?.packetsLost == 0)
            }
        }

        @Test("Video pauses and moves on with few bits; audio gets by with less until the video is off")
        func shares() async throws {
            var options = LoopbackCall.Options()
            options.callerVideo = .test(.ball, format: VideoFormat(width: 640, height: 360))
            // The only reports on packets are those of the test.
            options.tuning.sendsTransportFeedback = false
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                let (caller, media) = (call.caller.peer, try #require(await call.caller.peer.media))
                #expect(await caller.statistics().sent[.audio]?.targetBitrate ?? 0 > 24_000)
                let video = try #require(media.sending[.video]?.rate)
                for report in reports { media.bandwidth.note([report]) }
                #expect(video.isPaused)
                try await eventually("the limits") {
                    let sent = await caller.statistics().sent
                    return sent[.audio]?.targetBitrate == 24_000 && sent[.video]?.targetBitrate == 50_000
                }
                try await call.callee.waitForMoreFrames(10)
                await caller.setSending(.off, of: .video)
                try await eventually("the former rate of audio") {
                    await caller.statistics().sent[.audio]?.targetBitrate ?? 0 > 24_000
                }
            }
        }
    }
}
