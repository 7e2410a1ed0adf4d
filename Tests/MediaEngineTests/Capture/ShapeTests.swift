import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Frames of another aspect ratio") struct ShapeTests {
        @Test(
            "A pushed frame is scaled to fit, with bars at two sides",
            arguments: [
                // 4:3 in 16:9, 16:9 in 4:3, and the same aspect ratio.
                ([320, 240], [320, 180], [40, 0, 240, 180]), ([320, 180], [320, 240], [0, 30, 320, 180]),
                ([160, 120], [320, 240], [0, 0, 320, 240]),
            ])
        func pushed(size: [Int], sent: [Int], shown: [Int]) async throws {
            let input = try VideoInput(width: size[0], height: size[1], pixelFormat: .gray8)
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.callerVideo = input.source(format: VideoFormat(width: sent[0], height: sent[1]))
            let white = [UInt8](repeating: 255, count: input.byteCount)
            try await withCall(options) { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                let pushing = Task { while !Task.isCancelled { try await input.push(white) } }
                defer { pushing.cancel() }
                let box = try await BrightBox.first(of: call.callee)
                #expect(box.frameSize == sent)
                #expect(box.isNear(left: shown[0], top: shown[1], width: shown[2], height: shown[3]), "\(box)")
            }
        }

        @Test("A 4:3 file in 16:9 keeps its aspect ratio, also when it is turned")
        func file() async throws {
            let folder = try PipelineFolder()
            try await Clip.make(folder.file("clip.mkv"))
            for orientation in [VideoOrientation.upright, .quarter] {
                var options = LoopbackCall.Options()
                options.kinds = [.video]
                options.callerVideo = try VideoSource(
                    parsing: "file:" + folder.file("clip.mkv"), format: VideoFormat(width: 320, height: 180))
                options.callerVideo.orientation = orientation
                try await withCall(options) { call in
                    try await call.connect()
                    await call.callee.peer.setReceiving(true)
                    let box = try await BrightBox.first(of: call.callee)
                    if orientation == .upright {
                        #expect(box.isNear(left: 40, top: 0, width: 240, height: 180), "\(box)")
                    } else {
                        #expect(box.isNear(left: 0, top: 40, width: 180, height: 240), "\(box)")
                    }
                }
            }
        }
    }
}
