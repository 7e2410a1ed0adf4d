import Foundation
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("A sink") struct SinkTests {
        @Test("Sink arguments are parsed like source arguments")
        func words() throws {
            #expect(try VideoSink(parsing: "discard") == .discard)
            #expect(try VideoSink(parsing: "v4l2:/dev/video9") == VideoSink(name: "v4l2", choice: "/dev/video9"))
            #expect(try AudioSink(parsing: "alsa:hw:1") == AudioSink(name: "alsa", choice: "hw:1"))
            #expect(try AudioSink(parsing: "speaker") == .speaker)
            for wrong in ["", ":"] {
                #expect(throws: MediaError.self) { try VideoSink(parsing: wrong) }
                #expect(throws: MediaError.self) { try AudioSink(parsing: wrong) }
            }
        }

        @Test("A sink that cannot work is refused before a call")
        func checks() async throws {
            let engine = try await TestEngine.shared()
            try await engine.check(VideoSink.discard)
            try await engine.check(AudioSink.discard)
            try await engine.check(AudioSink.speaker)
            for sink in [VideoSink(name: "nothing"), VideoSink(name: "v4l2", choice: "/dev/video99")] {
                await #expect(throws: MediaError.self) { try await engine.check(sink) }
            }
            let window = SinkBlueprint(VideoSink.window, engine.catalog)
            #expect(
                throws: MediaError.sinkFailed(sink: "window", text: "neither DISPLAY nor WAYLAND_DISPLAY is set")
            ) { try window.check(environment: [:]) }
            try window.check(environment: ["DISPLAY": ":0"])
        }

        @Test("A virtual camera gets the peer's video in a pixel format of cameras, and in one size")
        func virtualCamera() async throws {
            let engine = try await TestEngine.shared()
            // The device needs a kernel module. The rest of the description is the same with another sink.
            let text = try engine.catalog.description("v4l2", role: .videoSink).launch
            let folder = try PipelineFolder()
            let camera = "filesink name=sink buffer-mode=unbuffered location=\(folder.file("camera"))"
            try folder.write(
                Array(text.replacing("v4l2sink name=sink", with: camera).utf8), to: "v4l2-video-sink.launch")
            var options = LoopbackCall.Options()
            options.callerVideo = VideoSource(
                name: "test", choice: "white", format: VideoFormat(width: 320, height: 180))
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            let shape = Shared<[String: PropertyValue]>([:])
            options.calleeOutputs.videoSink = VideoSink(name: "v4l2")
            try await withCall(options) { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                let sink = try #require(call.callee.peer.outputs.sink(.video))
                try await eventually("frames at the sink") {
                    shape.set(await sink.shape ?? [:])
                    return !shape.value.isEmpty
                }
                #expect(shape.value["format"] == .string("YUY2"))
                #expect(shape.value["width"]?.intValue == 320)
                /// Whether the latest complete frame has this luma, which is every other byte.
                func shows(_ luma: ClosedRange<UInt8>) throws -> Bool {
                    let bytes = try folder.bytes(of: "camera")
                    let end = bytes.count / (320 * 180 * 2) * (320 * 180 * 2)
                    guard end > 0 else { return false }
                    return stride(from: end - 320 * 180 * 2, to: end, by: 2).allSatisfy { luma.contains(bytes[$0]) }
                }
                // White is 235 and black 16 (ITU-R BT.601).
                try await eventually("white frames in the camera") { try shows(225...245) }
                let engine = try #require(options.engine)
                var black = options.callerVideo
                black.choice = "black"
                black.format = VideoFormat(width: 160, height: 90)
                try await call.caller.peer.setSource(engine.capture(black))
                try await call.callee.wait("the other size") { $0.received[.video]?.width == 160 }
                try await eventually("black ones of the former size") { try shows(10...26) }
                #expect(await sink.shape?["width"]?.intValue == 320)
            }
        }

        @Test("Video waits for the buffer of the sound card, so that both are in step")
        func inStep() async throws {
            let folder = try PipelineFolder(["still-video-sink.launch": "fakesink name=sink sync=false async=false\n"])
            var options = LoopbackCall.Options()
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            // ALSA's own device that plays to nobody, with a real buffer of 80 ms.
            options.calleeOutputs.audioSink = AudioSink(name: "alsa", choice: "null")
            options.calleeOutputs.videoSink = VideoSink(name: "still")
            try await withCall(options) { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                let playout = call.callee.peer.outputs.playout
                try await eventually("a sound card") {
                    playout.shift(of: .video) >= playout.shift(of: .audio) + 60_000_000
                }
                let lead = Int(playout.shift(of: .video)) - Int(playout.shift(of: .audio))
                #expect(lead < 150_000_000, "\(lead) ns")
                #expect(!call.callee.events.contains { if case .sinkFailed = $0 { true } else { false } })
            }
        }

        @Test("A sink that fails during a call is reported once, and everything else continues")
        func failure() async throws {
            let folder = try PipelineFolder([
                "brittle-video-sink.launch": "identity error-after=10 ! fakesink name=sink sync=false\n",
                "brittle-audio-sink.launch": "identity error-after=10 ! fakesink name=sink sync=false\n",
            ])
            var options = LoopbackCall.Options()
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            options.calleeOutputs.videoSink = VideoSink(name: "brittle")
            options.calleeOutputs.audioSink = AudioSink(name: "brittle")
            try await withCall(options) { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                func failed(_ track: TrackID) -> Int {
                    call.callee.events.count { if case .sinkFailed(track, _) = $0 { true } else { false } }
                }
                try await eventually("both fail") { failed(.video) == 1 && failed(.audio) == 1 }
                try await call.callee.waitForMoreFrames(30)
                try await call.callee.waitForTone()
                #expect(call.callee.failure == nil && failed(.video) == 1 && failed(.audio) == 1)
                // The application still gets frames, too.
                let frames = call.callee.peer.outputs.frames()
                try await inTime("a frame") { for await _ in frames { break } }
            }
        }
    }
}
