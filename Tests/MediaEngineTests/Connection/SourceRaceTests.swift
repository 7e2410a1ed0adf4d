import Logging
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Overlapping changes of the source") struct SourceRaceTests {
        private func withBrittleCall(_ body: (LoopbackCall, Engine, CaptureSource) async throws -> Void)
            async throws
        {
            let folder = try PipelineFolder(microphoneFromFile: "gone")
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            let engine = try await Engine.start(pipelineFolder: folder.path)
            options.engine = engine
            let gone = try engine.capture(AudioSource(name: "gone", choice: folder.file("nowhere")))
            try await withCall(options) { call in
                try await call.connect()
                try await body(call, engine, gone)
            }
        }

        @Test("A source that is turned off while another one fails to open stays off")
        func turnedOff() async throws {
            try await withBrittleCall { call, engine, gone in
                let present = try await call.capture(.caller, .audio)
                for _ in 1...10 {
                    let change = Task { try await call.caller.peer.setSource(gone) }
                    await call.caller.peer.setSending(.off, of: .audio)
                    // Either of the two may have been first.
                    _ = await change.result
                    // This change runs after all earlier ones.
                    try await call.caller.peer.setSource(present)
                    #expect(await !present.isOpen)
                    await call.caller.peer.setSending(.live, of: .audio)
                    try await eventually("it is open again") { await present.isOpen }
                }
                #expect(call.caller.failure == nil)
            }
        }

        @Test("A source that is chosen while another one fails to open is sent")
        func chosen() async throws {
            try await withBrittleCall { call, engine, gone in
                for hertz in [990.0, 550, 770] {
                    let next = try engine.capture(AudioSource.tone(hertz: hertz))
                    let failing = Task { try await call.caller.peer.setSource(gone) }
                    let working = Task { try await call.caller.peer.setSource(next) }
                    await #expect(throws: MediaError.self) { try await failing.value }
                    try await working.value
                    #expect(await next.isOpen)
                    let heard = try await DecodedWatch(call.callee, .audio)
                    #expect(try await abs(heard.steadyTone() - hertz) < 6)
                }
            }
        }

        @Test("A device that hangs on closing blocks neither its user nor the next one")
        func hangsOnClose() async throws {
            // Its streaming thread sleeps for 20 s when it should be joined.
            let folder = try PipelineFolder([
                "stuck-video-source.launch": "videotestsrc name=source is-live=true ! identity sleep-time=20000000\n"
            ])
            var timing = CaptureTiming()
            timing.longestStop = .milliseconds(100)
            let engine = try await Engine.start(
                pipelineFolder: folder.path, captureTiming: timing, logger: Logger(label: "test"))
            let source = try engine.capture(VideoSource(name: "stuck"))
            for _ in 1...2 {
                try await inTime("opening and closing") {
                    try await source.hold()
                    await source.release()
                }
            }
            #expect(await !source.isOpen)
        }

        @Test("A source that an application made for one call is freed after it")
        func applicationSources() async throws {
            let engine = try await TestEngine.shared()
            let before = engine.captures.count
            for _ in 1...1_000 { _ = try engine.capture(VideoInput(width: 16, height: 16).source()) }
            #expect(engine.captures.count <= before + 1)
            weak var input: VideoInput?
            do {
                let mine = try VideoInput(width: 320, height: 180)
                input = mine
                var options = LoopbackCall.Options()
                options.callerVideo = mine.source()
                try await withCall(options) { call in
                    try await call.connect()
                    let frame = [UInt8](repeating: 90, count: 320 * 180 * 3 / 2)
                    try await eventually("frames") {
                        try await mine.push(frame)
                        return try await call.callee.received(.video).decoded > 5
                    }
                }
            }
            try await eventually("it is gone") { engine.captures.count <= before + 1 && input == nil }
        }
    }
}
