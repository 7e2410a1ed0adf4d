import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Decoding on demand") struct DecodingTests {
        @Test(
            "Only the first frame is decoded until somebody looks, and everything is counted",
            arguments: [Codec.vp8, .h264])
        func onDemand(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.videoCodecs = [codec]
            options.callerVideo = VideoSource(name: "clock", format: VideoFormat(width: 320, height: 180))
            options.configureCallee = { $0.decoding = .first }
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.wait(for: .firstFrame(.video))
                _ = await call.callee.peer.setReceiving(true)
                try await call.callee.wait("received frames") { ($0.received[.video]?.framesReceived ?? 0) >= 40 }
                let unseen = try await call.callee.received(.video)
                // The decoder may have been one frame behind.
                #expect((1...3).contains(unseen.decoded))
                #expect(unseen.framesDropped == 0)
                #expect(unseen.freezes == 0)
                #expect((unseen.framesPerSecond ?? 0) > 20)
                #expect(unseen.width == 320)

                #expect(await Self.readFrames(30, of: call.callee) == 30)
                let seen = try await call.callee.received(.video)
                #expect(seen.decoded >= unseen.decoded + 29)
                #expect(seen.keyFramesReceived == 2)
                #expect(seen.quality?.framesMissing == 0)
                #expect(seen.quality?.framesReordered == 0)
                #expect(seen.freezes == 0)

                // Nobody looks any more.
                try await call.callee.wait("frames that are not decoded") {
                    ($0.received[.video]?.framesReceived ?? 0) >= (seen.framesReceived ?? 0) + 40
                }
                #expect(try await call.callee.received(.video).decoded < seen.decoded + 10)
            }
        }

        /// Looks at the video until so many frames were seen.
        private static func readFrames(_ count: Int, of end: CallEnd) async -> Int {
            var seen = 0
            for await _ in end.peer.outputs.frames(.i420) {
                seen += 1
                if seen == count { break }
            }
            return seen
        }

        @Test("A recording has all frames, although they are not decoded")
        func recording() async throws {
            let folder = try PipelineFolder()
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.configureCallee = { $0.decoding = .first }
            options.calleeOutputs.recordingPath = folder.file("call.mkv")
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.wait(for: .firstFrame(.video))
                _ = await call.callee.peer.setReceiving(true)
                try await call.callee.wait("received frames") { ($0.received[.video]?.framesReceived ?? 0) >= 60 }
            }
            let file = try await RecordedFile(folder.file("call.mkv"))
            #expect(file.frames.count >= 50)
        }
    }
}
