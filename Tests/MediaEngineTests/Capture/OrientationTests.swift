import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The orientation of what is sent") struct OrientationTests {
        /// Pictures of which one half is white.
        private static func half(_ width: Int, _ height: Int) -> [UInt8] {
            let half = width * height / 2
            return [UInt8](repeating: 235, count: half) + [UInt8](repeating: 16, count: half)
        }

        /// Whether the white half is where it belongs; a quarter turn clockwise brings the top to the right.
        private static func fits(_ picture: ReceivedLog.Picture, _ orientation: VideoOrientation) -> Bool {
            let (bright, dark, width): (Int, Int, Int)
            switch orientation {
            case .upright, .mirrored, .automatic: (bright, dark, width) = (picture.top, picture.bottom, 320)
            case .half, .flipped: (bright, dark, width) = (picture.bottom, picture.top, 320)
            case .quarter: (bright, dark, width) = (picture.right, picture.left, 192)
            case .threeQuarters: (bright, dark, width) = (picture.left, picture.right, 192)
            }
            return bright > 180 && dark < 70 && picture.width == width
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
                try await eventually("upside down") { log.last.map { Self.fits($0, .half) } == true }
                for orientation in [
                    VideoOrientation.quarter, .upright, .threeQuarters, .flipped, .mirrored, .automatic,
                ] {
                    try await capture.turn(orientation)
                    let count = log.pictures.count
                    try await eventually("\(orientation); \(String(describing: log.last))") {
                        guard let last = log.last, log.pictures.count > count + 3 else { return false }
                        return Self.fits(last, orientation)
                    }
                    let late = log.pictures[count...].prefix { !Self.fits($0, orientation) }.count
                    // 300 ms at 30 pictures a second.
                    #expect(late <= 9, "\(late) pictures later")
                }
                #expect(call.caller.failure == nil && call.callee.failure == nil)
            }
        }

        @Test("Automatic, they are turned as their file or device says", arguments: ["tilted", "file"])
        func automatic(name: String) async throws {
            let folder = try PipelineFolder()
            // Bars from white to blue; a camera that was held a quarter turn counter-clockwise says so.
            let bars =
                "videotestsrc is-live=true pattern=smpte75 name=source ! taginject tags=image-orientation=rotate-90"
            try folder.write(
                Array("# value caps: format.caps\n\(bars) ! capsfilter name=format\n".utf8),
                to: "tilted-video-source.launch")
            let clip = folder.file("clip.mp4")
            if name == "file" { try await Clip.makeTilted(clip) }
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.engine = try await MediaEngine.start(pipelineFolder: folder.path)
            options.callerVideo = VideoSource(
                name: name, choice: name == "file" ? clip : nil, format: VideoFormat(width: 320, height: 192))
            options.callerVideo.orientation = .automatic
            try await withCall(options) { call in
                try await call.connect()
                let log = try await ReceivedLog(call.callee)
                let capture = try await call.capture(.caller, .video)
                for (orientation, width) in [(VideoOrientation.automatic, 192), (.upright, 320), (.automatic, 192)] {
                    try await capture.turn(orientation)
                    // A quarter turn clockwise brings the left to the top.
                    try await eventually("\(orientation); \(String(describing: log.last))") {
                        guard let last = log.last, last.width == width else { return false }
                        return width == 192 ? last.top > last.bottom + 40 : last.left > last.right + 40
                    }
                }
            }
        }
    }
}
