import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The orientation of sent video") struct OrientationTests {
        /// A frame with a white top half and a black bottom half.
        private static func half(_ width: Int, _ height: Int) -> [UInt8] {
            let half = width * height / 2
            return [UInt8](repeating: 235, count: half) + [UInt8](repeating: 16, count: half)
        }

        /// Whether the white half is in the right place; a quarter turn clockwise moves the top to the right.
        private static func fits(_ frame: ReceivedLog.Frame, _ orientation: VideoOrientation) -> Bool {
            let (bright, dark, width): (Int, Int, Int)
            switch orientation {
            case .upright, .mirrored, .automatic: (bright, dark, width) = (frame.top, frame.bottom, 320)
            case .half, .flipped: (bright, dark, width) = (frame.bottom, frame.top, 320)
            case .quarter: (bright, dark, width) = (frame.right, frame.left, 192)
            case .threeQuarters: (bright, dark, width) = (frame.left, frame.right, 192)
            }
            return bright > 180 && dark < 70 && frame.width == width
        }

        @Test("Video arrives turned, at the start and after each change, without a new negotiation")
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
                try await eventually("upside down") { log.last.map { Self.fits($0, .half) } == true }
                for orientation in [
                    VideoOrientation.quarter, .upright, .threeQuarters, .flipped, .mirrored, .automatic,
                ] {
                    try await capture.turn(orientation)
                    let count = log.frames.count
                    try await eventually("\(orientation); \(String(describing: log.last))") {
                        guard let last = log.last, log.frames.count > count + 3 else { return false }
                        return Self.fits(last, orientation)
                    }
                    let late = log.frames[count...].prefix { !Self.fits($0, orientation) }.count
                    // 9 frames are 300 ms at 30 frames a second.
                    #expect(late <= 9, "\(late) frames later")
                }
                #expect(call.caller.failure == nil && call.callee.failure == nil)
            }
        }

        @Test("Automatic video is turned as its file or device reports", arguments: ["tilted", "file"])
        func automatic(name: String) async throws {
            let folder = try PipelineFolder()
            // Bars from white to blue, tagged like video of a camera that was held a quarter turn counter-clockwise.
            let bars =
                "videotestsrc is-live=true pattern=smpte75 name=source ! taginject tags=image-orientation=rotate-90"
            try folder.write(
                Array("# value caps: format.caps\n\(bars) ! capsfilter name=format\n".utf8),
                to: "tilted-video-source.launch")
            let clip = folder.file("clip.mp4")
            if name == "file" { try await Clip.makeTilted(clip) }
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            options.callerVideo = VideoSource(
                name: name, choice: name == "file" ? clip : nil, format: VideoFormat(width: 320, height: 192))
            options.callerVideo.orientation = .automatic
            try await withCall(options) { call in
                try await call.connect()
                let log = try await ReceivedLog(call.callee)
                let capture = try await call.capture(.caller, .video)
                for (orientation, width) in [(VideoOrientation.automatic, 192), (.upright, 320), (.automatic, 192)] {
                    try await capture.turn(orientation)
                    // A quarter turn clockwise moves the left to the top.
                    try await eventually("\(orientation); \(String(describing: log.last))") {
                        guard let last = log.last, last.width == width else { return false }
                        return width == 192 ? last.top > last.bottom + 40 : last.left > last.right + 40
                    }
                }
            }
        }
    }
}
