import Foundation
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Outputs outlive a connection")
    struct MediaOutputsTests {
        @Test(
            "A connection that replaces another one continues its recording, its streams and its sink",
            arguments: [Codec.vp8, .h264])
        func continued(codec: Codec) async throws {
            let folder = try PipelineFolder([
                "counting-video-sink.launch": "fakesink name=sink sync=false async=false\n"
            ])
            var options = LoopbackCall.Options()
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            options.videoCodecs = [codec]
            options.calleeOutputs.recordingPath = folder.file("call.mkv")
            options.calleeOutputs.videoSink = VideoSink(name: "counting")
            let first = try await LoopbackCall(options)
            let outputs = first.callee.peer.outputs
            let times = Shared<[Duration]>([])
            let frames = outputs.frames(.gray8, buffering: 1_000)
            async let watching: Void = { for await frame in frames { times.update { $0.append(frame.time) } } }()
            try await first.connect()
            await first.callee.peer.setReceiving(true)
            try await eventually("frames of the first connection") { times.value.count > 60 }

            options.continuedOutputs = outputs
            let second = try await LoopbackCall(options)
            try await second.connect()
            try await second.callee.waitForFrames(10)
            let shownBefore = times.value.count
            try await eventually("frames of the first one until the second is shown") {
                times.value.count > shownBefore + 10
            }
            await second.callee.peer.setReceiving(true)
            // The first one still receives, and is not seen any more.
            let end = try #require(times.value.last)
            try await eventually("a second of frames of the second connection") {
                (times.value.last ?? .zero) > end + .seconds(1)
            }
            await first.caller.peer.close()
            await first.callee.peer.close()
            try await second.callee.waitForMoreFrames(30)
            #expect(await outputs.sink(.video)?.shape != nil, "the window stays")
            #expect(!second.callee.events.contains { if case .sinkFailed = $0 { true } else { false } })
            await second.close()
            await outputs.close()
            await watching
            let shown = times.value
            #expect(shown == shown.sorted(), "no frame of one connection between those of the other")
            let parts = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".mkv") }
            #expect(parts == ["call.mkv"])
            let file = try await RecordedFile(folder.file("call.mkv"))
            #expect(file.frames.count > 120 && file.changes > 100)
            #expect(abs(file.toneHz - 440) < 10)
            let gaps = zip(file.frames, file.frames.dropFirst()).map { $1.time - $0.time }
            #expect(try #require(gaps.max()) < 2, "the recording goes on")
            #expect(try #require(file.frames.last).time > 4)
        }

        @Test("A connection that is given up after it was shown leaves the outputs to the one before")
        func givenUp() async throws {
            var options = LoopbackCall.Options()
            let first = try await LoopbackCall(options)
            let outputs = first.callee.peer.outputs
            let times = Shared<[Duration]>([])
            let frames = outputs.frames(.gray8, buffering: 1_000)
            async let watching: Void = { for await frame in frames { times.update { $0.append(frame.time) } } }()
            try await first.connect()
            await first.callee.peer.setReceiving(true)
            options.continuedOutputs = outputs
            let second = try await LoopbackCall(options)
            try await second.connect()
            // Its gate opens late: after the call has gone back to the first one.
            await first.callee.peer.setReceiving(true)
            await second.callee.peer.setReceiving(true)
            let (shown, shownFirst) = (times.value.count, try await first.callee.received(.video).shown)
            try await eventually("frames of the second one") { times.value.count > shown + 10 }
            await second.close()
            let before = times.value.count
            try await eventually("frames of the first one again") { times.value.count > before + 10 }
            #expect(try await first.callee.received(.video).shown > shownFirst)
            #expect(times.value == times.value.sorted())
            await first.close()
            await outputs.close()
            await watching
        }

        @Test("The window closes with the last connection that has video, and a later one opens it again")
        func windowComesBack() async throws {
            let folder = try PipelineFolder([
                "counting-video-sink.launch": "fakesink name=sink sync=false async=false\n"
            ])
            var options = LoopbackCall.Options()
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            options.calleeOutputs.videoSink = VideoSink(name: "counting")
            let first = try await LoopbackCall(options)
            let outputs = first.callee.peer.outputs
            let window = try #require(outputs.sink(.video))
            options.continuedOutputs = outputs
            func show(_ call: LoopbackCall) async throws {
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                try await call.callee.waitForTone()
            }
            try await show(first)
            try await eventually("the window") { await window.shape != nil }
            options.kinds = [.audio]
            let second = try await LoopbackCall(options)
            try await show(second)
            try await eventually("no window") { await window.shape == nil }
            await #expect(throws: MediaError.noFrame) { try await outputs.snapshot(.png) }
            for end in first.ends { await end.peer.close() }
            options.kinds = [.audio, .video]
            let third = try await LoopbackCall(options)
            try await show(third)
            try await eventually("the window again") { await window.shape != nil }
            #expect(try await outputs.snapshot(.png).count > 1_000)
            #expect(!third.callee.events.contains { if case .sinkFailed = $0 { true } else { false } })
            await second.close()
            await third.close()
            await outputs.close()
        }

        @Test("A failed output is reported by the connection that feeds it")
        func failure() async throws {
            let folder = try PipelineFolder()
            var options = LoopbackCall.Options()
            options.calleeOutputs.recordingPath = "/nonexistent/folder/call.mkv"
            let first = try await LoopbackCall(options)
            try await first.connect()
            options.continuedOutputs = first.callee.peer.outputs
            try await withCall(options) { second in
                try await second.connect()
                await second.callee.peer.setReceiving(true)
                try await eventually("the failure") { !second.callee.recordingFailures.isEmpty }
                #expect(first.callee.recordingFailures.isEmpty)
            }
            await first.close()
            withExtendedLifetime(folder) {}
        }

        @Test("Two connections with the same loudspeaker both remove its echo from what they send")
        func twoMicrophones() async throws {
            let folder = try PipelineFolder([
                "loud-audio-sink.launch": "fakesink name=sink sync=true async=false\n"
            ])
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            options.calleeOutputs.audioSink = AudioSink(name: "loud")
            options.configureCallee = { $0.tracks[.audio]?.processing = .voice }
            let first = try await LoopbackCall(options)
            let probes = try #require(first.callee.peer.outputs.probes)
            try await first.connect()
            await first.callee.peer.setReceiving(true)
            try await first.caller.waitForTone()
            options.continuedOutputs = first.callee.peer.outputs
            // More than there are probes at a time; each connection gives its own back.
            for _ in 1...4 {
                try await withCall(options) { next in
                    try await next.connect()
                    await next.callee.peer.setReceiving(true)
                    for end in next.ends { try await end.waitForTone() }
                    #expect(next.callee.failure == nil)
                }
            }
            let free = try [#require(probes.take()), #require(probes.take())]
            #expect(Set(free).count == 2 && probes.take() == nil, "the first connection has the third")
            await first.close()
        }

        @Test("Outputs that were closed give nothing, and close again without harm")
        func closed() async throws {
            let outputs = MediaOutputs()
            let frames = outputs.frames()
            #expect(await outputs.close())
            for await _ in frames { Issue.record("a frame") }
            for await _ in outputs.samples() { Issue.record("audio") }
            await #expect(throws: MediaError.noFrame) { try await outputs.snapshot(.png) }
            #expect(await outputs.close())
        }
    }
}
