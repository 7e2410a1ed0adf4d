import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("An answering end that is built before the offer arrives") struct PreparedAnswerTests {
        /// Expects moving video and the right tone at both ends.
        private func expectMedia(_ call: LoopbackCall, video: Bool = true) async throws {
            try await call.connect()
            for end in call.ends {
                await end.peer.setReceiving(true)
                try await end.waitForTone()
                if video { try await end.waitForMoreFrames(10) }
            }
            let heard = try await DecodedWatch(call.callee, .audio)
            #expect(try await abs(heard.steadyTone() - 440) < 5)
            #expect(call.ends.allSatisfy { $0.failure == nil })
        }

        @Test(
            "It is used if the offer fits, with any payload types, and else rebuilt",
            arguments: 0..<3)
        func used(variant: Int) async throws {
            var options = LoopbackCall.Options()
            (options.videoCodecs, options.audioCodecs) = ([.vp8, .h264], [.opus, .pcmu])
            switch variant {
            case 1:
                options.configure = {
                    $0.payloadTypes = [
                        PayloadTypeRule(rtpmap: "VP8/90000", payloadType: 120),
                        PayloadTypeRule(rtpmap: "opus/48000/2", payloadType: 121),
                    ]
                }
            case 2:
                options.configure = {
                    $0.tracks[.video]?.codecs = [.h264]
                    $0.tracks[.audio]?.codecs = [.pcmu]
                }
            default: break
            }
            options.configureCallee = {
                $0.payloadTypes = []
                $0.tracks[.video]?.codecs = [.vp8, .h264]
                $0.tracks[.audio]?.codecs = [.opus, .pcmu]
            }
            try await withCall(options) { call in
                try await call.callee.peer.prepareAnswer()
                let built = try #require(await call.callee.peer.media)
                try await expectMedia(call)
                #expect(await (call.callee.peer.media === built) == (variant < 2))
            }
        }

        @Test("An offer with other m-lines rebuilds it, and the first one is freed")
        func notUsed() async throws {
            var options = LoopbackCall.Options()
            options.configure = { $0.tracks[.video] = nil }
            let video = options.calleeVideo
            let engine = try await TestEngine.shared()
            options.configureCallee = {
                $0.tracks[.video] = (try? engine.capture(video)).map { TrackConfiguration(source: $0, codecs: [.vp8]) }
            }
            try await withCall(options) { call in
                try await call.callee.peer.prepareAnswer()
                weak let built = await call.callee.peer.media
                #expect(built?.choices.count == 2)
                try await expectMedia(call, video: false)
                #expect(await call.callee.peer.media?.choices.count == 1)
                try await eventually("the first one is freed") { built == nil }
            }
        }

        @Test("One that is never used is closed like any other")
        func closed() async throws {
            let peer = try await TestEngine.peer(kinds: [.audio, .video])
            try await peer.prepareAnswer()
            await #expect(throws: MediaError.self) { try await peer.prepareAnswer() }
            await #expect(throws: MediaError.self) { _ = try await peer.createOffer() }
            await peer.close()
            #expect(await peer.media == nil)
        }
    }
}
