import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("A recording") struct RecorderTests {
        @Test(
            "It is a finished Matroska file with both tracks, and begins with a key frame",
            arguments: [Codec.vp8, .h264])
        func recordsBoth(codec: Codec) async throws {
            let folder = try PipelineFolder()
            var options = LoopbackCall.Options()
            options.videoCodecs = [codec]
            options.calleeRecording = folder.file("call.mkv")
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForPictures(30)
                await call.callee.peer.setReceiving(true)
                try await call.callee.wait("two seconds of pictures") { $0.received[.video]?.shown ?? 0 >= 60 }
            }
            let file = try Matroska(folder.bytes(of: "call.mkv"))
            #expect(file.isFinished && file.hasCues && file.clusterCount > 0)

            let playback = try Playback(folder.file("call.mkv"), codec)
            defer { playback.stop() }
            try await playback.untilEnd()
            #expect(playback.pictures.value >= 50)
            #expect(playback.sounds.value >= 50)
            #expect(playback.beginsWithKeyFrame.value == true)
        }

        @Test("What arrives before the receive gates open is not recorded")
        func closedGatesRecordNothing() async throws {
            let folder = try PipelineFolder()
            var options = LoopbackCall.Options()
            options.calleeRecording = folder.file("call.mkv")
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForPictures(45)
                try await call.callee.waitForTone()
            }
            let bytes = try folder.bytes(of: "call.mkv")
            #expect((try? Matroska(bytes))?.clusterCount ?? 0 == 0)
            #expect(bytes.count < 1_000)
        }

        @Test("Both ends of a call record for themselves, with sound alone if that is all there is")
        func soundAlone() async throws {
            let folder = try PipelineFolder()
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.callerRecording = folder.file("caller.mkv")
            options.calleeRecording = folder.file("callee.mkv")
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends { await end.peer.setReceiving(true) }
                for end in call.ends {
                    try await end.wait("a second of sound") { $0.received[.audio]?.shown ?? 0 >= 50 }
                }
            }
            for name in ["caller.mkv", "callee.mkv"] {
                let file = try Matroska(folder.bytes(of: name))
                #expect(file.isFinished && file.clusterCount > 0, "\(name)")
            }
        }

        @Test("Sound goes on being heard while a recording waits for a picture that does not come")
        func missingPictureHoldsNothingUp() async throws {
            let folder = try PipelineFolder([
                // A camera that opens and then gives nothing.
                "blind-video-source.launch": """
                # value caps: format.caps
                videotestsrc is-live=true ! capsfilter name=format ! identity drop-probability=1.0
                """
            ])
            var options = LoopbackCall.Options()
            options.engine = try await MediaEngine.start(pipelineFolder: folder.path)
            options.callerVideo = VideoSource(name: "blind")
            options.calleeRecording = folder.file("call.mkv")
            try await withCall(options) { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                // More than what the queues of a muxer hold.
                try await call.callee.wait("four seconds of sound") {
                    $0.received[.audio]?.decoded ?? 0 >= 4 * 48_000
                }
                try await inTime("the end of the recording", within: .seconds(4)) { await call.callee.peer.close() }
            }
            // What was heard is in the file all the same.
            let file = try Matroska(folder.bytes(of: "call.mkv"))
            #expect(file.isFinished && file.clusterCount > 0)
        }

        @Test("A file that cannot be written fails the negotiation, and the connection can still be closed")
        func unwritable() async throws {
            var options = LoopbackCall.Options()
            options.callerRecording = "/nonexistent/folder/call.mkv"
            try await withCall(options) { call in
                await #expect(
                    throws: MediaError.stateChangeFailed(element: "/GstPipeline:call-caller", state: "playing")
                ) {
                    _ = try await call.caller.peer.createOffer()
                }
                try await inTime("the end") { await call.caller.peer.close() }
            }
        }
    }

    /// Plays a recording as fast as it can, and counts.
    private struct Playback {
        let pictures = Shared(0)
        let sounds = Shared(0)
        let beginsWithKeyFrame = Shared<Bool?>(nil)
        private let pipeline: Pipeline
        private let messages = Shared<[BusMessage]>([])
        private let connection: SignalConnection

        init(_ path: String, _ codec: Codec) throws {
            pipeline = try Pipeline(name: "playback", timeBase: .ownStart)
            let file = try Element("filesrc")
            try file.set("location", text: path)
            let demuxer = try Element("matroskademux")
            let decoder = codec == .vp8 ? "vp8dec" : "h264parse ! avdec_h264"
            let video = try Element(
                launch: "queue name=encoded ! \(decoder) ! fakesink name=sink async=false", description: "video")
            let audio = try Element(launch: "queue ! opusdec ! fakesink name=sink async=false", description: "audio")
            for element in [file, demuxer, video, audio] { pipeline.bin.add(element) }
            try file.link(to: demuxer)
            connection = demuxer.connect("pad-added") { arguments in
                guard let pad = arguments.pad(1) else { return }
                try? pad.link(to: (pad.name.hasPrefix("video") ? video : audio).pad("sink"))
            }
            for (bin, count) in [(video, pictures), (audio, sounds)] {
                try #require(bin.child("sink")).pad("sink").probe { _ in
                    count.update { $0 += 1 }
                    return .pass
                }
            }
            try #require(video.child("encoded")).pad("sink").probe { [beginsWithKeyFrame] buffer in
                beginsWithKeyFrame.set(!buffer.isDelta)
                return .passAndRemove
            }
            pipeline.bus.watch { [messages] message in messages.update { $0.append(message) } }
            try pipeline.bin.setState(.playing)
        }

        func untilEnd() async throws {
            try await eventually("the end of the recording; so far \(messages.value)") {
                for case .error(_, let text, _, _) in messages.value { throw Overdue(description: text) }
                return messages.value.contains(.endOfStream)
            }
        }

        func stop() { pipeline.stop() }
    }
}

/// The outermost elements of a Matroska file (RFC 9559).
private struct Matroska {
    struct NotMatroska: Error {}

    /// Whether the length of the segment is known: a file that was cut off has it open.
    let isFinished: Bool
    let clusterCount: Int
    let hasCues: Bool

    init(_ bytes: [UInt8]) throws {
        func occurrences(of id: [UInt8]) -> [Int] {
            bytes.indices.dropLast(8).filter { bytes[$0] == id[0] && Array(bytes[$0..<($0 + 4)]) == id }
        }
        guard bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]),
            let segment = occurrences(of: [0x18, 0x53, 0x80, 0x67]).first
        else { throw NotMatroska() }
        let length = bytes[(segment + 4)..<(segment + 12)]
        isFinished = Array(length) != [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        clusterCount = occurrences(of: [0x1F, 0x43, 0xB6, 0x75]).count
        hasCues = !occurrences(of: [0x1C, 0x53, 0xBB, 0x6B]).isEmpty
    }
}
