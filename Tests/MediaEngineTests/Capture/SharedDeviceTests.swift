import Logging
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("One device in several sizes at once") struct SharedDeviceTests {
        /// A device with white video that keeps a file open while it is open itself.
        ///
        /// `limit` keeps the device from delivering all the sizes that it claims to support.
        private static func device(limit: String = "") -> String {
            """
            # value choice: opened.location
            # value native: native.caps
            # value caps: format.caps
            videotestsrc name=source is-live=true pattern=white ! capsfilter name=native \(limit) ! videoconvert ! videoscale ! videorate skip-to-first=true ! capsfilter name=format
            filesrc name=opened ! fakesink async=false
            """
        }

        private struct Devices {
            let engine: Engine
            let folder: PipelineFolder

            /// `v4l2` is an exclusive device; `camera` can be opened any number of times.
            init(limit: String = "") async throws {
                let text = SharedDeviceTests.device(limit: limit)
                folder = try PipelineFolder([
                    "v4l2-video-source.launch": text,
                    "camera-video-source.launch": text.replacing("# value native: native.caps\n", with: ""),
                    "file": "x",
                ])
                var logger = Logger(label: "test")
                logger.logLevel = .critical
                let timing = CaptureTiming(silence: .seconds(2), firstRetry: .milliseconds(300))
                engine = try await Engine.start(
                    pipelineFolder: folder.path, captureTiming: timing, logger: logger)
            }

            func source(_ name: String, _ width: Int, _ height: Int, rate: Int = 30) -> VideoSource {
                VideoSource(
                    name: name, choice: folder.file("file"),
                    format: VideoFormat(width: width, height: height, framesPerSecond: rate))
            }

            func options(_ source: VideoSource) -> LoopbackCall.Options {
                var options = LoopbackCall.Options()
                options.kinds = [.video]
                options.engine = engine
                options.callerVideo = source
                return options
            }

            /// How many times the device is open.
            var timesOpen: Int { ProcessCensus.timesOpen(folder.file("file")) }

            func openFormat(_ source: VideoSource) async throws -> VideoFormat? {
                try await engine.capture(source).device.running?.capture.format
            }
        }

        @Test(
            "Two calls use one device in two sizes and rates: it is open once, and each call gets its format",
            arguments: ["v4l2", "camera"])
        func twoCalls(name: String) async throws {
            let devices = try await Devices()
            let small = devices.source(name, 320, 180, rate: 10)
            let large = devices.source(name, 640, 360)
            try await withCall(devices.options(small)) { first in
                try await first.connect()
                let seen = try await ReceivedLog(first.callee)
                try await eventually("the first call's frames") { (seen.last?.mean ?? 0) > 200 }
                #expect(try await devices.openFormat(small) == small.format)
                try await withCall(devices.options(large)) { second in
                    try await second.connect()
                    let other = try await ReceivedLog(second.callee)
                    try await eventually("the second call's frames") {
                        other.last.map { $0.width == 640 && $0.height == 360 && $0.mean > 200 } == true
                    }
                    try await eventually("it is open once") { devices.timesOpen == 1 }
                    #expect(try await devices.openFormat(small) == large.format)
                    // Never larger than what the device delivers.
                    #expect(other.frames.allSatisfy { $0.width <= 640 })
                    let (mine, theirs) = (seen.frames.count, other.frames.count)
                    try await eventually("two seconds of the fast one") { other.frames.count >= theirs + 60 }
                    let slow = seen.frames.count - mine
                    #expect(slow > 5 && slow < 40, "\(slow) frames of 10 a second")
                }
                let before = seen.frames.count
                try await eventually("the first call goes on") { seen.frames.count > before + 10 }
                // Always the camera's own video, in the requested size.
                #expect(Set(seen.frames.map { [$0.width, $0.height] }) == [[320, 180]])
                #expect(seen.frames.dropFirst(3).allSatisfy { $0.mean > 200 })
                #expect(!first.caller.events.contains { if case .captureLost = $0 { true } else { false } })
            }
            #expect(devices.timesOpen == 0)
        }

        @Test("A size of another aspect ratio gets bars, and nothing is stretched")
        func shape() async throws {
            let devices = try await Devices()
            try await withCall(devices.options(devices.source("v4l2", 640, 360))) { wide in
                try await wide.connect()
                try await wide.callee.waitForFrames(3)
                try await withCall(devices.options(devices.source("v4l2", 320, 240))) { narrow in
                    try await narrow.connect()
                    let seen = try await ReceivedLog(narrow.callee)
                    // Three quarters of the frame are white.
                    try await eventually("bars; \(String(describing: seen.last))") {
                        seen.last.map { $0.width == 320 && $0.height == 240 && (150..<200).contains($0.mean) } == true
                    }
                    let last = try #require(seen.last)
                    #expect(abs(last.left - last.right) < 8 && abs(last.top - last.bottom) < 8)
                    #expect(devices.timesOpen == 1)
                }
            }
        }

        @Test("When the only call changes its size, the device changes to the same size")
        func changes() async throws {
            let devices = try await Devices()
            try await withCall(devices.options(devices.source("v4l2", 320, 180))) { call in
                try await call.connect()
                let seen = try await ReceivedLog(call.callee)
                for width in [640, 160, 480] {
                    let source = devices.source("v4l2", width, width * 9 / 16)
                    try await call.caller.peer.setSource(try devices.engine.capture(source))
                    try await eventually("\(width) columns") { seen.last.map { $0.width == width } == true }
                    #expect(try await devices.openFormat(source) == source.format)
                    #expect(devices.timesOpen == 1)
                }
                #expect(!call.caller.events.contains { if case .captureLost = $0 { true } else { false } })
            }
        }

        @Test("If the device cannot deliver a larger size, every call gets what it can deliver")
        func ceiling() async throws {
            let devices = try await Devices(limit: "! video/x-raw,width=[1,400]")
            let (small, large) = (devices.source("v4l2", 320, 180), devices.source("v4l2", 640, 360))
            try await withCall(devices.options(small)) { first in
                try await first.connect()
                let seen = try await ReceivedLog(first.callee)
                try await eventually("the first call's frames") { (seen.last?.mean ?? 0) > 200 }
                try await withCall(devices.options(large)) { second in
                    try await second.connect()
                    let other = try await ReceivedLog(second.callee)
                    try await eventually("what there is") {
                        other.last.map { $0.width == 320 && $0.height == 180 && $0.mean > 200 } == true
                    }
                    let before = seen.frames.count
                    try await eventually("the first call goes on") {
                        seen.frames.count > before + 10 && (seen.last?.mean ?? 0) > 200
                    }
                    #expect(devices.timesOpen == 1)
                }
            }
        }

        @Test("Captured frames and snapshots have the requested size, each with its own orientation")
        func looks() async throws {
            let devices = try await Devices()
            let large = try devices.engine.capture(devices.source("v4l2", 640, 360))
            let small = try devices.engine.capture(devices.source("v4l2", 320, 180))
            try await small.turn(.quarter)
            var looks: [FrameStream<VideoFrame>] = [try await small.frames(), try await large.frames()]
            for (look, size) in zip(looks, [[180, 320], [640, 360]]) {
                let isThere = try await inTime("\(size)") {
                    for await frame in look where [frame.width, frame.height] == size { return true }
                    return false
                }
                #expect(isThere)
            }
            #expect(devices.timesOpen == 1)
            let png = try await small.snapshot(.png)
            // The size follows the signature and the name of the first chunk.
            #expect(png[16..<24] == [0, 0, 0, 180, 0, 0, 1, 64])
            looks = []
            try await eventually("it is closed") { devices.timesOpen == 0 }
        }

        @Test("Formats are compared by width, height and rate, and fitted without changing the aspect ratio")
        func sizes() {
            let (hd, vga) = (VideoFormat(width: 1_280, height: 720), VideoFormat(width: 640, height: 480))
            #expect(hd.contains(vga) && !vga.contains(hd) && hd.contains(hd))
            #expect(!VideoFormat(width: 1_280, height: 720, framesPerSecond: 15).contains(vga))
            #expect(hd.union(VideoFormat(width: 320, height: 960)) == VideoFormat(width: 1_280, height: 960))
            #expect(hd.fitted(into: vga) == VideoFormat(width: 640, height: 360))
            #expect(vga.fitted(into: hd) == vga)
            #expect(
                hd.fitted(into: VideoFormat(width: 2_000, height: 100, framesPerSecond: 5))
                    == VideoFormat(width: 176, height: 100, framesPerSecond: 5))
            #expect(VideoFormat(width: 2, height: 4_000).fitted(into: vga).width >= 2)
        }
    }
}
