import Foundation
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("A recording") struct RecorderTests {
        /// File names, each with a codec that fits the format.
        static let files: [(name: String, codec: Codec)] = [
            ("call.mkv", .vp8), ("call.mkv", .h264), ("call.webm", .vp9), ("call.mp4", .h264),
        ]

        @Test(
            "It contains the received media, and a second file the sent media, in every format",
            arguments: files + [("call.mkv", .h265)])
        func recordsBoth(name: String, codec: Codec) async throws {
            let folder = try PipelineFolder()
            var options = LoopbackCall.Options()
            options.videoCodecs = [codec]
            options.calleeOutputs.recordingPath = folder.file(name)
            options.calleeOutputs.recordsSent = true
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                await call.callee.peer.setReceiving(true)
                try await call.ends.waitForMoreFrames(60)
                #expect(call.callee.recordingFailures.isEmpty)
            }
            for (file, hertz) in [(name, 440.0), (name.beforeExtension(".sent"), 660)] {
                let file = try await RecordedFile(folder.file(file))
                #expect(file.frames.count >= 50 && file.changes >= 40)
                #expect(file.frames.allSatisfy { $0.width == 320 && $0.height == 180 })
                #expect(file.audio >= 50 && abs(file.toneHz - hertz) < 10)
            }
        }

        @Test("Video and audio are in sync from the beginning", arguments: files)
        func inStep(name: String, codec: Codec) async throws {
            let folder = try PipelineFolder()
            let clip = folder.file("clip.mkv")
            try await Clip.make(clip)
            var options = LoopbackCall.Options()
            options.videoCodecs = [codec]
            options.callerVideo = VideoSource(name: "file", choice: clip, format: VideoFormat(width: 320, height: 240))
            options.callerAudio = AudioSource(name: "file", choice: clip)
            options.calleeOutputs.recordingPath = folder.file(name)
            options.callerOutputs.recordingPath = folder.file("caller-" + name)
            (options.callerOutputs.recordsSent, options.calleeOutputs.recordsSent) = (true, true)
            try await withCall(options) { call in
                try await call.connect()
                let seen = try await ReceivedLog(call.callee)
                // In the clip, a flash is one second after the beginning.
                try await eventually("a dark frame") { (seen.last?.mean ?? 255) < 100 }
                for end in call.ends { await end.peer.setReceiving(true) }
                try await eventually("three flashes") { seen.flashes.count >= 3 }
            }
            for file in [name, "caller-" + name.beforeExtension(".sent")] {
                let file = try await RecordedFile(folder.file(file))
                let (flashes, beeps) = (file.flashes, file.beeps)
                #expect(flashes.count >= 2 && beeps.count >= 2)
                for flash in flashes.dropLast() {
                    // A frame lasts 67 ms, a packet of audio 20 ms.
                    #expect(beeps.contains { abs($0 - flash) < 0.1 }, "\(flashes) \(beeps)")
                }
                #expect(try #require(flashes.first) < 1.9, "the first second is there")
            }
        }

        @Test("What arrives before the receive gates open is not recorded")
        func closedGatesRecordNothing() async throws {
            let folder = try PipelineFolder()
            var options = LoopbackCall.Options()
            options.calleeOutputs.recordingPath = folder.file("call.mkv")
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(45)
                try await call.callee.waitForTone()
            }
            #expect(!FileManager.default.fileExists(atPath: folder.file("call.mkv")))
        }

        @Test("A call with audio only is recorded", arguments: ["call.mkv", "call.webm", "call.mp4"])
        func audioOnly(name: String) async throws {
            let folder = try PipelineFolder()
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.callerOutputs.recordingPath = folder.file(name)
            try await withCall(options) { call in
                try await call.connect()
                await call.caller.peer.setReceiving(true)
                try await call.caller.wait("a second of audio") { $0.received[.audio]?.shown ?? 0 >= 50 }
            }
            #expect(try await abs(RecordedFile(folder.file(name)).toneHz - 660) < 10)
        }

        @Test(
            "Audio without video is recorded; a new file begins when video starts and when it stops",
            arguments: ["call.mkv", "call.mp4"])
        func missingFrames(name: String) async throws {
            let folder = try PipelineFolder()
            var options = LoopbackCall.Options()
            options.videoCodecs = [.h264]
            options.opensSendGates = false
            options.calleeOutputs.recordingPath = folder.file(name)
            try await withCall(options) { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                await call.caller.peer.setSending(.live, of: .audio)
                func heard(_ seconds: Int) async throws {
                    let samples = try await call.callee.received(.audio).decoded + seconds * 48_000
                    try await call.callee.wait("\(seconds) s of audio") { $0.received[.audio]?.decoded ?? 0 >= samples }
                }
                try await heard(4)
                // A copy without an end: what a killed program leaves behind.
                try FileManager.default.copyItem(atPath: folder.file(name), toPath: folder.file("early-" + name))
                await call.caller.peer.setSending(.live, of: .video)
                try await call.callee.waitForFrames(30)
                await call.caller.peer.setSending(.closed, of: .video)
                try await heard(4)
                for part in 2...3 {
                    let file = name.beforeExtension(".part\(part)")
                    try FileManager.default.copyItem(atPath: folder.file(file), toPath: folder.file("early-" + file))
                }
            }
            let early = try await RecordedFile(folder.file("early-" + name))
            #expect(early.audioEnd > 1 && early.frames.isEmpty && abs(early.toneHz - 440) < 10)
            let second = try await RecordedFile(folder.file("early-" + name.beforeExtension(".part2")))
            #expect(second.changes > 15 && second.audio > 20)
            let third = try await RecordedFile(folder.file(name.beforeExtension(".part3")))
            #expect(third.audioEnd > 1 && third.frames.isEmpty)
        }

        @Test("Video that changes its size begins a new file, which replaces none", arguments: [Codec.vp8, .h264])
        func otherSize(codec: Codec) async throws {
            let folder = try PipelineFolder()
            try "mine".write(toFile: folder.file("call.part2.mkv"), atomically: true, encoding: .utf8)
            var options = LoopbackCall.Options()
            options.videoCodecs = [codec]
            options.calleeOutputs.recordingPath = folder.file("call.mkv")
            try await withCall(options) { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                try await call.callee.waitForFrames(30)
                let other = VideoSource.test(.ball, format: VideoFormat(width: 160, height: 120))
                try await call.caller.peer.setSource(try TestEngine.shared().capture(other))
                try await call.callee.wait("the other size") { $0.received[.video]?.width == 160 }
                try await call.callee.waitForMoreFrames(30)
            }
            for (name, width) in [("call.mkv", 320), ("call.part3.mkv", 160)] {
                let file = try await RecordedFile(folder.file(name))
                #expect(file.frames.count > 10 && file.frames.allSatisfy { $0.width == width })
                #expect(file.audio > 10)
            }
            #expect(try String(contentsOfFile: folder.file("call.part2.mkv"), encoding: .utf8) == "mine")
        }

        @Test(
            "At the file limit audio continues in a last file, or the recording ends"
        )
        func maximumFiles() async throws {
            for hasAudioSample in [true, false] {
                let folder = try PipelineFolder()
                var options = LoopbackCall.Options()
                if !hasAudioSample { options.kinds = [.video] }
                options.calleeOutputs.recordingPath = folder.file("call.mkv")
                options.calleeOutputs.maximumRecordingFiles = 2
                try await withCall(options) { call in
                    try await call.connect()
                    await call.callee.peer.setReceiving(true)
                    try await call.callee.waitForFrames(30)
                    for width in [160, 320, 160, 320] {
                        let other = VideoSource.test(.ball, format: VideoFormat(width: width, height: 180))
                        try await call.caller.peer.setSource(try TestEngine.shared().capture(other))
                        try await call.callee.wait("the other size") { $0.received[.video]?.width == width }
                        try await call.callee.waitForMoreFrames(20)
                    }
                    #expect(call.callee.recordingFailures.count == 1, "\(call.callee.recordingFailures)")
                }
                for (name, width) in [("call.mkv", 320), ("call.part2.mkv", 160)] {
                    let frames = try await RecordedFile(folder.file(name)).frames
                    #expect(frames.count > 10 && frames.allSatisfy { $0.width == width })
                }
                let last = folder.file("call.part3.mkv")
                if hasAudioSample {
                    let file = try await RecordedFile(last)
                    #expect(file.frames.isEmpty && file.audio > 50 && abs(file.toneHz - 440) < 10)
                } else {
                    #expect(!FileManager.default.fileExists(atPath: last))
                }
                #expect(!FileManager.default.fileExists(atPath: folder.file("call.part4.mkv")))
            }
        }

        @Test("A key frame is requested again until one arrives, and recording begins with it")
        func lostRequest() async throws {
            let pipeline = try Pipeline(name: "request", timeBase: .ownStart)
            let bin = try Element(
                launch: """
                    videotestsrc is-live=true ! video/x-raw,width=160,height=120,framerate=30/1 \
                    ! vp8enc name=encoder deadline=1 keyframe-max-dist=9999 ! identity name=path ! fakesink name=sink async=false
                    """, description: "request", hasGhostPads: false)
            let encoder = try #require(bin.child("encoder")).pad("src")
            let requests = Shared(0)
            try #require(bin.child("path")).pad("src").interceptKeyFrameRequests {
                // The first two are lost.
                requests.update { $0 += 1 }
                if requests.value == 3 { encoder.forceKeyFrame() }
            }
            let packets = Shared<[RecordedPacket]>([])
            let sink = try #require(bin.child("sink")).pad("sink")
            let passed = Shared(0)
            sink.probe { _ in
                passed.update { $0 += 1 }
                return .pass
            }
            let tap = RecordingTap(.video, .vp8, at: sink) { packet in
                packets.update { $0.append(packet) }
                return true
            }
            pipeline.bin.add(bin)
            try pipeline.bin.setState(.playing)
            defer { pipeline.stop() }
            // The key frame of the beginning is over.
            try await eventually("frames") { passed.value > 3 }
            tap.open()
            try await eventually("recorded frames") { packets.value.count > 3 }
            #expect(packets.value.map(\.isKey).prefix(3) == [true, false, false])
            #expect(requests.value >= 3)
        }

        @Test("Packets of the same format share one format string")
        func shapes() async throws {
            try GStreamerLibrary.initialize()
            let pipeline = try Pipeline(name: "shapes", timeBase: .ownStart)
            let bin = try Element(
                launch: "appsrc name=source format=time ! fakesink name=sink async=false", description: "shapes",
                hasGhostPads: false)
            let source = try #require(bin.child("source"))
            let packets = Shared<[RecordedPacket]>([])
            let tap = try RecordingTap(.audio, .opus, at: #require(bin.child("sink")).pad("sink")) { packet in
                packets.update { $0.append(packet) }
                return true
            }
            tap.open()
            pipeline.bin.add(bin)
            try pipeline.bin.setState(.playing)
            defer { pipeline.stop() }
            for (count, channels) in [(3, 1), (2, 2), (2, 1)] {
                try source.set("caps", "audio/x-raw,format=S16LE,rate=48000,layout=interleaved,channels=\(channels)")
                for _ in 0..<count {
                    let buffer = try #require(
                        [UInt8](repeating: 0, count: 4).withUnsafeBytes { BufferRef(copying: $0) })
                    buffer.present(at: 0)
                    _ = source.push(buffer)
                }
            }
            try await eventually("all") { packets.value.count == 7 }
            let shapes = packets.value.map(\.shape)
            #expect(shapes.map { $0.contains("channels=(int)2") } == [false, false, false, true, true, false, false])
            // Copies of one string share its storage.
            let places = shapes.map { $0.utf8.withContiguousStorageIfAvailable { Int(bitPattern: $0.baseAddress) } }
            #expect(places.allSatisfy { $0 != nil } && Set(places).count == 3)
        }

        @Test(
            "A file that cannot be written, or a full disk, is reported, and the call continues",
            arguments: [true, false])
        func unwritable(isFull: Bool) async throws {
            let folder = try PipelineFolder()
            var options = LoopbackCall.Options()
            options.calleeOutputs.recordingPath = isFull ? folder.file("call.mkv") : "/nonexistent/folder/call.mkv"
            try FileManager.default.createSymbolicLink(
                atPath: folder.file("call.mkv"), withDestinationPath: "/dev/full")
            try await withCall(options) { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                try await eventually("the failure") { !call.callee.recordingFailures.isEmpty }
                try await call.callee.waitForMoreFrames(30)
                try await call.callee.waitForTone()
                #expect(call.callee.recordingFailures.count == 1)
            }
        }

        @Test("An unknown file type is refused before the call, and a codec that does not fit is reported")
        func misfits() async throws {
            #expect(throws: MediaError.self) { try RecordingFormat(path: "call.avi") }
            #expect(throws: MediaError.self) { try RecordingFormat(path: "mkv/call") }
            #expect(try RecordingFormat(path: "a.b/call.MP4") == .mp4)
            var options = LoopbackCall.Options()
            options.audioCodecs = [.pcmu]
            let folder = try PipelineFolder()
            options.calleeOutputs.recordingPath = folder.file("call.webm")
            try await withCall(options) { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                try await call.callee.waitForFrames(30)
                let failure = MediaError.recordingFailed(
                    path: folder.file("call.webm"), text: "WebM does not hold PCMU")
                #expect(call.callee.recordingFailures == [failure])
            }
            #expect(try await RecordedFile(folder.file("call.webm")).changes > 10)
        }
    }
}

extension CallEnd {
    /// The recording failures that the connection reported.
    var recordingFailures: [MediaError] {
        events.compactMap { if case .recordingFailed(let error) = $0 { error } else { nil } }
    }
}
