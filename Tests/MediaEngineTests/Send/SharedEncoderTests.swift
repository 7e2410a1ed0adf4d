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

        private func waitForSharing(_ ends: [CallEnd], _ isShared: Bool = true, _ kinds: [MediaKind] = [.audio, .video])
            async throws
        {
            for end in ends {
                try await end.wait("\(isShared ? "a shared encoder" : "its own encoder")") { statistics in
                    kinds.allSatisfy { statistics.sent[$0]?.sharesEncoder == isShared }
                }
            }
        }

        /// All frames of a call arrive once, in order, and the tone goes on.
        private func expectWholeMedia(_ end: CallEnd) async throws {
            try await end.waitForMoreFrames(30)
            let video = try await end.received(.video)
            let quality = try #require(video.quality)
            #expect(quality.framesMissing == 0)
            #expect(quality.framesRepeated == 0)
            #expect(quality.framesReordered == 0)
            #expect(video.freezes == 0)
            let audio = try await end.received(.audio)
            #expect(abs((audio.toneHz ?? 0) - 440) < 5)
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
    }
}
