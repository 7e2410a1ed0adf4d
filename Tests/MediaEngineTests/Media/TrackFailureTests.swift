import BuiltInPipelines
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("When an element fails") struct TrackFailureTests {
        /// A built-in description with an element in front of `element` that fails at its `count`th buffer.
        private static func brittle(
            _ builtIn: String, as file: String? = nil, before element: String, after count: Int
        ) throws -> [String: String] {
            let text = String(decoding: try #require(BuiltInPipelines.files[builtIn]), as: UTF8.self)
            #expect(text.contains(element))
            return [file ?? builtIn: text.replacing(element, with: "identity error-after=\(count) ! \(element)")]
        }

        private static func failures(_ end: CallEnd) -> [TrackFailure] {
            end.events.compactMap { if case .trackFailed(let failure) = $0 { failure } else { nil } }
        }

        @Test("An encoder that fails ends only the video, is reported with its cause, and the camera closes")
        func encoder() async throws {
            let folder = try PipelineFolder(
                Self.brittle("vp8-encoder.launch", as: "brittle-vp8-encoder.launch", before: "rtpvp8pay", after: 20))
            var options = LoopbackCall.Options()
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            options.callerVideo = .test(.smpte, format: VideoFormat(width: 320, height: 180))
            options.configure = { if $0.label == "caller" { $0.tracks[.video]?.encoders = ["brittle-vp8"] } }
            try await withCall(options) { call in
                try await call.connect()
                try await eventually("the failure") { !Self.failures(call.caller).isEmpty }
                let failure = try #require(Self.failures(call.caller).first)
                #expect(failure.track == .video && failure.direction == .sending && failure.codec == .vp8)
                #expect(failure.element.hasPrefix("GstIdentity:"))
                #expect(failure.text.hasPrefix("Failed after iterations as requested."))
                #expect("\(failure)".hasPrefix("no video is sent any more: GstIdentity:"))
                let camera = try await call.capture(.caller, .video)
                try await eventually("the camera is closed") { await !camera.isOpen }
                // Turning the video on again does not restart it.
                await call.caller.peer.setSending(.blank, of: .video)
                await call.caller.peer.setSending(.live, of: .video)
                try await call.caller.waitForMoreFrames(30)
                for end in call.ends { try await end.waitForTone() }
                #expect(try await call.callee.received(.video).decoded < 20)
                #expect(await !camera.isOpen)
                #expect(Self.failures(call.caller).count == 1 && Self.failures(call.callee).isEmpty)
                #expect(call.ends.allSatisfy { $0.failure == nil })
            }
        }

        @Test("Received video that is too large ends only the video", arguments: [Codec.vp8, .h264])
        func tooLarge(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.videoCodecs = [codec]
            options.callerVideo = VideoSource(
                name: "test", choice: "black", format: VideoFormat(width: 4_112, height: 4_096, framesPerSecond: 1))
            try await withCall(options) { call in
                try await call.connect()
                try await eventually("the failure") { !Self.failures(call.callee).isEmpty }
                let failure = try #require(Self.failures(call.callee).first)
                #expect(failure.track == .video && failure.direction == .receiving)
                #expect(failure.text == "frames of 4112x4096 are too large; at most 16777216 pixels")
                #expect(try await call.callee.received(.video).decoded == 0)
                for end in call.ends { try await end.waitForTone() }
                try await call.caller.waitForMoreFrames(10)
            }
        }

        @Test("A video decoder that fails leaves the audio and the sent media unchanged")
        func decoder() async throws {
            let folder = try PipelineFolder(
                Self.brittle("vp8-decoder.launch", before: "vp8dec", after: 20))
            var options = LoopbackCall.Options()
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await eventually("the failure") { !Self.failures(end).isEmpty }
                    let heard = try await end.received(.audio).decoded
                    try await end.wait("more audio") { ($0.received[.audio]?.decoded ?? 0) > heard + 48_000 }
                    try await end.waitForTone()
                    let failures = Self.failures(end)
                    #expect(failures.map(\.direction) == [.receiving] && failures.map(\.track) == [.video])
                    #expect(
                        failures.first?.remedy
                            == "choose another codec than VP8, or a pipeline description with another decoder")
                    #expect(end.failure == nil)
                }
                #expect(try await call.caller.received(.video).decoded == 19)
            }
        }

        @Test("An audio decoder that fails at its first packet leaves the video")
        func firstPacket() async throws {
            let folder = try PipelineFolder(
                Self.brittle("opus-decoder.launch", before: "opusdec", after: 1))
            var options = LoopbackCall.Options()
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForFrames(60)
                    #expect(Self.failures(end).map(\.track) == [.audio])
                    #expect(end.count(.firstFrame(.audio)) == 0 && end.failure == nil)
                }
            }
        }

        @Test("When no track is left, the connection fails with the last element's message")
        func everything() async throws {
            let decoder = try Self.brittle("opus-decoder.launch", before: "opusdec", after: 20)
            let encoder = try Self.brittle("opus-encoder.launch", before: "rtpopuspay", after: 40)
            let folder = try PipelineFolder(decoder.merging(encoder) { $1 })
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    let error = try await end.waitForFailure()
                    guard case .elementFailed(let element, let message, _) = error else {
                        Issue.record("\(error)")
                        return
                    }
                    #expect(element.contains("GstIdentity:") && message == "Failed after iterations as requested.")
                    #expect(Self.failures(end).map(\.direction) == [.receiving])
                }
            }
        }
    }
}
