import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The orientation of what is sent") struct OrientationTests {
        /// Pictures of which one half is white.
        private static func half(_ width: Int, _ height: Int) -> [UInt8] {
            (0..<width * height).map { $0 / width < height / 2 ? 235 : 16 }
        }

        @Test("Pictures arrive as they are turned, at the beginning and during the call, without a negotiation")
        func turns() async throws {
            let input = try VideoInput(width: 320, height: 192, pixelFormat: .gray8)
            var source = input.source(format: VideoFormat(width: 320, height: 192))
            source.orientation = .half
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.callerVideo = source
            try await withCall(options) { call in
                let pushing = Task {
                    while (try? await Task.sleep(for: .milliseconds(30))) != nil {
                        _ = try await input.push(Self.half(320, 192))
                    }
                }
                defer { pushing.cancel() }
                try await call.connect()
                let log = try await ReceivedLog(call.callee)
                let capture = try await call.capture(.caller, .video)
                let isBright: [VideoOrientation: @Sendable (ReceivedLog.Picture) -> Bool] = [
                    .half: { $0.bottom > 180 && $0.top < 70 && $0.width == 320 },
                    .upright: { $0.top > 180 && $0.bottom < 70 && $0.width == 320 },
                    // A quarter turn clockwise brings the top to the right.
                    .quarter: { $0.right > 180 && $0.left < 70 && $0.width == 192 && $0.height == 320 },
                    .threeQuarters: { $0.left > 180 && $0.right < 70 && $0.width == 192 && $0.height == 320 },
                    .flipped: { $0.bottom > 180 && $0.top < 70 && $0.width == 320 },
                    .mirrored: { $0.top > 180 && $0.bottom < 70 && $0.width == 320 },
                    .automatic: { $0.top > 180 && $0.bottom < 70 && $0.width == 320 },
                ]
                let first = try #require(isBright[.half])
                try await eventually("upside down") { log.last.map(first) == true }
                for orientation in [VideoOrientation.quarter, .upright, .threeQuarters, .flipped, .mirrored, .automatic] {
                    try await capture.turn(orientation)
                    let fits = try #require(isBright[orientation])
                    let count = log.pictures.count
                    try await eventually("\(orientation); \(String(describing: log.last))") {
                        log.pictures.count > count + 3 && log.last.map(fits) == true
                    }
                }
                #expect(call.caller.failure == nil && call.callee.failure == nil)
            }
        }
    }
}
