import Foundation
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Several videos in one connection") struct SeveralVideosTests {
        private static let second = VideoFormat(width: 160, height: 120)

        private static func source(_ pattern: VideoSource.TestPattern) async throws -> CaptureSource {
            try await TestEngine.shared().capture(VideoSource.test(pattern, format: second))
        }

        /// Both ends have a second camera; `callee` false: only the caller has one.
        private static func options(callee: Bool = true) async throws -> LoopbackCall.Options {
            let (mine, theirs) = (try await source(.smpte), try await source(.ball))
            var options = LoopbackCall.Options()
            options.configure = { configuration in
                let isCaller = configuration.label == "caller"
                guard isCaller || callee else { return }
                configuration.tracks[.video(2)] = TrackConfiguration(source: isCaller ? mine : theirs, codecs: [.vp8])
            }
            return options
        }

        private static func waitForMotion(_ end: CallEnd, _ track: TrackID) async throws {
            let watch = try await DecodedWatch(end, track)
            try await eventually("\(track) moves") { watch.changes >= 5 }
        }

        @Test("Each video arrives on its own track and moves, beside the audio, with one transport for all")
        func both() async throws {
            try await withCall(try await Self.options()) { call in
                try await call.connect()
                for end in call.ends {
                    for track in [TrackID.video, .video(2)] { try await Self.waitForMotion(end, track) }
                    try await end.waitForTone()
                    #expect(try await end.received(.video).width == 320)
                    #expect(try await end.received(.video(2)).width == 160)
                    #expect(end.count(.firstFrame(.video(2))) == 1)
                    let report = await end.peer.statisticsReport()
                    #expect(report.inbound.map(\.codecId) == ["codec-audio", "codec-video", "codec-video2"])
                    #expect(report.outbound.map(\.codecId) == ["codec-audio", "codec-video", "codec-video2"])
                    #expect(Set(await end.peer.directions.values) == [.sendrecv])
                }
            }
        }

        @Test("A muted video is black alone, and one that is off does not arrive")
        func gates() async throws {
            try await withCall(try await Self.options()) { call in
                try await call.connect()
                let (first, second) = (
                    try await DecodedWatch(call.callee, .video), try await DecodedWatch(call.callee, .video(2))
                )
                try await eventually("both move") { first.changes > 5 && second.changes > 5 }
                await call.caller.peer.setSending(.blank, of: .video(2))
                try await eventually("black frames") { second.blackRun >= 10 }
                let changes = first.changes
                try await eventually("the first goes on") { first.changes >= changes + 10 }
                #expect(first.blackRun == 0)
                await call.caller.peer.setSending(.off, of: .video)
                await call.caller.peer.setSending(.live, of: .video(2))
                try await eventually("the second again") { second.blackRun == 0 }
                let more = second.frames
                try await eventually("what was on its way") { second.frames >= more + 15 }
                let arrivals = first.frames
                try await eventually("only the second") { second.frames >= more + 45 }
                #expect(first.frames == arrivals)
            }
        }

        @Test("An answer takes more videos than it sends, as many as it may, and the offerer learns what is refused")
        func answer() async throws {
            var options = try await Self.options(callee: false)
            options.configureCallee = { $0.maximumVideos = 3 }
            try await withCall(options) { call in
                try await call.connect()
                try await Self.waitForMotion(call.callee, .video(2))
                #expect(await call.callee.peer.directions[.video(2)] == .recvonly)
                #expect(await call.caller.peer.directions[.video(2)] == .sendonly)
                #expect(call.caller.count(.trackRefused(.video(2))) == 0)
            }
            options.configureCallee = { $0.maximumVideos = 1 }
            try await withCall(options) { call in
                try await call.connect()
                try await Self.waitForMotion(call.callee, .video)
                try await call.caller.wait(for: .trackRefused(.video(2)))
                #expect(await call.callee.peer.directions[.video(2)] == nil)
                #expect(try await call.caller.sent(.video(2)).frames == 0)
                #expect(call.caller.count(.trackRefused(.video)) == 0)
            }
        }

        @Test("A second video in a codec that the answerer lacks is refused, and the first one flows")
        func codec() async throws {
            var options = try await Self.options()
            let configure = options.configure
            options.configure = { configuration in
                configure(&configuration)
                let isCaller = configuration.label == "caller"
                configuration.tracks[.video(2)]?.codecs = [isCaller ? .h264 : .vp8]
            }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await Self.waitForMotion(end, .video)
                    #expect(await end.peer.directions[.video(2)]?.sends != true)
                }
                #expect(call.caller.count(.trackRefused(.video(2))) == 1)
            }
        }

        @Test("The second video gets its first key frame although the first one of them is lost")
        func firstKeyFrame() async throws {
            var options = try await Self.options()
            options.tuning.retransmitsVideo = false
            let dropped = Shared(0)
            try await withCall(options) { call in
                try await call.negotiate()
                let sections = await call.callee.peer.remote?.sections
                let ssrc = try #require(sections?.first { $0.track == .video(2) }?.sources.first?.ssrc)
                try #require(await call.callee.peer.media?.ice.webrtc.source).pad("src").probeHead { packet in
                    guard let head = RtpHead(packet), head.ssrc == ssrc, dropped.value < 5 else { return .pass }
                    dropped.update { $0 += 1 }
                    return .drop
                }
                try await call.callee.wait(for: .firstFrame(.video(2)))
                try await eventually("five packets were lost") { dropped.value == 5 }
            }
        }

        @Test("An answerer that only sends takes no further video")
        func sendOnly() async throws {
            var options = try await Self.options(callee: false)
            options.configureCallee = {
                $0.maximumVideos = 4
                $0.tracks[.video]?.direction = .sendonly
            }
            try await withCall(options) { call in
                try await call.connect()
                try await Self.waitForMotion(call.caller, .video)
                #expect(await call.callee.peer.directions[.video(2)] == nil)
            }
        }

        @Test("An answer that was prepared for one video is built anew for two")
        func prepared() async throws {
            try await withCall(try await Self.options()) { call in
                try await call.callee.peer.prepareAnswer()
                try await call.connect()
                for track in [TrackID.video, .video(2)] { try await Self.waitForMotion(call.callee, track) }
            }
        }

        @Test("Numbers with a gap and a fifth video are refused before anything is built")
        func numbers() async throws {
            for numbers in [[1, 3], [2], Array(1...5)] {
                let tracks = numbers.map { (TrackID.video($0), TrackConfiguration(receiving: .video)) }
                let peer = try await TestEngine.shared().makePeerConnection(
                    PeerConnectionConfiguration(label: "numbers", tracks: Dictionary(uniqueKeysWithValues: tracks)))
                await #expect(throws: MediaError.self) { try await peer.createOffer() }
                #expect(await peer.media == nil)
                await peer.close()
            }
        }

        @Test("A lost packet of each video is sent again, on the stream that the offer names")
        func loss() async throws {
            var options = try await Self.options()
            let offered = Shared("")
            options.rewrite = { description in
                if description.kind == .offer { offered.update { $0 = description.sdp } }
                return description
            }
            var conditions = NetworkConditions()
            conditions.lossPercent = 10
            let network = NetworkEmulator(conditions)
            let configure = options.configure
            options.configure = { configuration in
                configure(&configuration)
                if configuration.label == "caller" { configuration.network = network }
            }
            try await withCall(options) { call in
                try await call.connect()
                let streams = Shared<Set<UInt32>>([])
                try #require(await call.callee.peer.media?.ice.webrtc.source).pad("src").read { packet in
                    guard let head = RtpHead(packet), Codec.vp8.retransmissionPayloadType == head.payloadType else {
                        return
                    }
                    streams.update { _ = $0.insert(head.ssrc) }
                }
                for track in [TrackID.video, .video(2)] {
                    try await call.callee.wait("repairs of \(track)") { statistics in
                        guard let received = statistics.received[track] else { return false }
                        return received.packetsRepaired > 3 && received.decoded > 60
                    }
                }
                let named = offered.value.matches(of: /a=ssrc-group:FID \d+ (\d+)/).compactMap { UInt32($0.output.1) }
                #expect(named.count == 2)
                #expect(streams.value == Set(named))
            }
        }

        @Test("A path that takes too little is shared by what each video wants")
        func share() async throws {
            var options = try await Self.options()
            var conditions = NetworkConditions()
            (conditions.bitrate, conditions.delayMs) = (600_000, 10)
            let network = NetworkEmulator(conditions)
            let configure = options.configure
            options.configure = { configuration in
                configure(&configuration)
                guard configuration.label == "caller" else { return }
                configuration.tracks[.video]?.bitrateKbit = 900
                configuration.tracks[.video(2)]?.bitrateKbit = 300
                for track in [TrackID.video, .video(2)] { configuration.tracks[track]?.sharesEncoder = false }
                configuration.network = network
            }
            options.callerVideo.name = "busy"
            try await withCall(options) { call in
                try await call.connect()
                try await call.caller.wait("both rates are reduced") { statistics in
                    guard let first = statistics.sent[.video], let second = statistics.sent[.video(2)] else {
                        return false
                    }
                    return first.isLimitedByBandwidth && second.isLimitedByBandwidth
                        && first.targetBitrate + second.targetBitrate < 600_000
                        && (2.9...3.1).contains(Double(first.targetBitrate) / Double(second.targetBitrate))
                }
            }
        }

        @Test("A recording has a track for each video, and starts without waiting for a video that nobody sends")
        func recording() async throws {
            let folder = try PipelineFolder()
            var options = try await Self.options(callee: false)
            options.configureCallee = { $0.maximumVideos = 4 }
            options.calleeOutputs.recordingPath = folder.file("two.mkv")
            options.callerOutputs.recordingPath = folder.file("one.mkv")
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends { await end.peer.setReceiving(true) }
                let watch = try await DecodedWatch(call.callee, .video(2))
                try await eventually("frames for the file") { watch.frames >= 45 }
            }
            for (name, widths) in [("two.mkv", [160, 320]), ("one.mkv", [320])] {
                let file = try await RecordedFile(folder.file(name))
                for width in widths { #expect(file.frames.count { $0.width == width } >= 40, "\(width) in \(name)") }
                #expect(Set(file.frames.map(\.width)) == Set(widths))
                #expect(file.audio >= 40 && (file.frames.first?.time ?? 9) < 0.5)
                #expect(!FileManager.default.fileExists(atPath: folder.file(name).beforeExtension(".part2")))
            }
        }
    }
}
