import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Which codec is used") struct CodecChoiceTests {
        private static func options(
            _ caller: [Codec], _ callee: [Codec], audio: (caller: [Codec], callee: [Codec]) = ([.opus], [.opus])
        ) -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            options.configure = {
                $0.tracks[.video]?.codecs = caller
                $0.tracks[.audio]?.codecs = audio.caller
            }
            options.configureCallee = {
                $0.tracks[.video]?.codecs = callee
                $0.tracks[.audio]?.codecs = audio.callee
            }
            return options
        }

        @Test(
            "With one codec in common, the call uses that codec",
            arguments: [
                ([Codec.vp8, .h264], [Codec.h264], Codec.h264), ([.h264, .vp8], [.vp9, .vp8], .vp8),
                ([.vp8, .vp9, .h264], [.vp9], .vp9), ([.vp8], [.h264, .vp9, .vp8], .vp8),
            ])
        func overlap(caller: [Codec], callee: [Codec], expected: Codec) async throws {
            let audio: (caller: [Codec], callee: [Codec]) = ([.opus, .g722, .pcma], [.pcmu, .pcma])
            try await withCall(Self.options(caller, callee, audio: audio)) { call in
                try await call.connect()
                for (end, pitch) in [(call.caller, 660.0), (call.callee, 440)] {
                    try await end.waitForFrames(20)
                    try await end.waitForTone()
                    let (video, audio) = (try await end.received(.video), try await end.received(.audio))
                    #expect(video.codec == expected && video.distinctFrames ?? 0 > 10)
                    #expect(audio.codec == .pcma && audio.sampleRate == 8_000)
                    #expect(try abs(#require(audio.toneHz) - pitch) < 5)
                    #expect(try await end.sent(.video).codec == expected)
                }
                // DTMF uses the clock rate of the codec that is sent now.
                #expect(try await call.caller.peer.sendDTMF("5"))
                await call.callee.peer.setReceiving(true)
                try await call.callee.wait(for: .dtmf(#require(DtmfDigit("5"))))
            }
        }

        @Test("Settings made before the answer apply to the codec that replaces the first one")
        func exchanged() async throws {
            var options = Self.options([.vp8, .h264], [.h264])
            // On a busy machine even loopback may look slow.
            options.tuning.followsBandwidth = false
            try await withCall(options) { call in
                for (from, to) in [(call.caller, call.callee), (call.callee, call.caller)] {
                    from.follow { try? await to.peer.addCandidate($0) }
                }
                let offer = try await call.caller.peer.createOffer()
                let engine = try await TestEngine.shared()
                let other = VideoSource.test(.smpte, format: VideoFormat(width: 240, height: 136))
                try await call.caller.peer.setSource(try engine.capture(other))
                try await call.caller.peer.setBitrate(222, of: .video)
                await call.caller.peer.setSending(.live, of: .video)
                try await call.caller.peer.setAnswer(try await call.callee.peer.createAnswer(to: offer))
                try await call.callee.waitForFrames(10)
                let received = try await call.callee.received(.video)
                #expect(received.codec == .h264 && received.width == 240)
                #expect(await call.caller.peer.media?.sending[.video]?.encoder.targetBitrate == 222_000)
            }
        }

        @Test("Of several common codecs, the offering end's order decides")
        func order() async throws {
            for (caller, callee, expected) in [
                ([Codec.h264, .vp8], [Codec.vp8, .h264], Codec.h264), ([.vp8, .h264], [.h264, .vp8], .vp8),
            ] {
                try await withCall(Self.options(caller, callee)) { call in
                    try await call.connect()
                    for end in call.ends {
                        try await end.waitForFrames(5)
                        #expect(try await end.received(.video).codec == expected)
                    }
                }
            }
        }

        @Test("An offer without a common codec is refused, and the error names the kind")
        func nothingInCommon() async throws {
            try await withCall(Self.options([.vp8, .vp9], [.h264])) { call in
                await #expect(throws: MediaError.noCommonCodec(media: "video")) { try await call.negotiate() }
            }
            try await withCall(Self.options([.vp8], [.vp8], audio: ([.opus], [.pcmu, .g722]))) { call in
                await #expect(throws: MediaError.noCommonCodec(media: "audio")) { try await call.negotiate() }
            }
        }

        @Test("An answer with a codec that was not offered is refused")
        func notOffered() async throws {
            let peer = try await TestEngine.peer()
            _ = try await peer.createOffer()
            let answer = SDPSamples.chromiumAnswer
            for wrong in [
                answer.replacing("VP8/90000", by: "VP9/90000"), answer.replacing("opus/48000/2", by: "PCMU/8000"),
                answer.replacing("SAVPF 96", by: "SAVPF 120").replacing("a=rtpmap:96 ", by: "a=rtpmap:120 "),
                // The codec that the peer prefers is the one that it would send.
                answer.replacing("SAVPF 96", by: "SAVPF 100 96") + "a=rtpmap:100 H264/90000\r\n",
            ] {
                let media = wrong.contains("PCMU/8000") ? "audio" : "video"
                await #expect(throws: MediaError.codecNotOffered(media: media)) {
                    try await peer.setAnswer(SessionDescription(kind: .answer, sdp: wrong))
                }
            }
            let spare = answer.replacing("SAVPF 96", by: "SAVPF 99 96 100")
            try await peer.setAnswer(
                SessionDescription(
                    kind: .answer, sdp: spare + "a=rtpmap:100 H264/90000\r\na=rtpmap:99 rtx/90000\r\n"))
            await peer.close()
        }

        @Test("A codec whose elements are missing is neither offered nor accepted")
        func missing() async throws {
            let folder = try PipelineFolder([
                "vp8-encoder.launch": "# None.\nnosuchenc name=encoder ! rtpvp8pay name=payloader"
            ])
            let engine = try await Engine.start(pipelineFolder: folder.path)
            var track = TrackConfiguration(receiving: .video, codecs: [.vp8, .h264])
            for codecs in [[Codec.vp8, .h264], [.vp8]] {
                track.codecs = codecs
                var configuration = PeerConnectionConfiguration(label: "missing", tracks: [.video: track])
                configuration.tuning = .loopback
                let peer = engine.makePeerConnection(configuration)
                if codecs.count > 1 {
                    let offer = try RemoteDescription(try await peer.createOffer())
                    #expect(offer.sections[0].formats.compactMap(\.codec) == [.h264])
                } else {
                    await #expect(throws: MediaError.pluginMissing(element: "nosuchenc")) {
                        try await peer.createOffer()
                    }
                }
                await peer.close()
            }
        }

        @Test("An encoder is chosen by the name of its description")
        func encoder() async throws { try await encodes(by: "openh264") }

        @Test(
            "A GPU encoder is chosen by its name",
            .enabled(if: has("vah264enc"), "there is no vah264enc: no such hardware, or not its plugin"))
        func va() async throws { try await encodes(by: "va-h264") }

        @Test(
            "A GPU encoder of the older plugin is chosen by its name",
            .enabled(if: has("vaapih264enc"), "there is no vaapih264enc: no such hardware, or not its plugin"))
        func vaapi() async throws { try await encodes(by: "vaapi-h264") }

        @Test(
            "A V4L2 encoder is chosen by its name",
            .enabled(if: has("v4l2h264enc"), "there is no v4l2h264enc: no such hardware"))
        func v4l2() async throws { try await encodes(by: "v4l2-h264") }

        private static func has(_ element: String) -> Bool {
            (try? GStreamerLibrary.initialize()) != nil && GStreamerLibrary.hasElement(element)
        }

        private func encodes(by name: String) async throws {
            let engine = try await TestEngine.shared()
            try engine.check(encoder: name)
            var options = Self.options([.h264], [.h264])
            options.kinds = [.video]
            options.configureCallee = { $0.tracks[.video]?.encoders = [name] }
            try await withCall(options) { call in
                try await call.connect()
                try await call.caller.waitForFrames(20)
                #expect(try await call.caller.received(.video).distinctFrames ?? 0 > 10)
                let description = try engine.catalog.description(name, role: .encoder)
                let pipeline = try #require(await call.callee.peer.media?.pipeline.bin)
                #expect(
                    pipeline.child("encoder")?.factoryName
                        == description.launchText.factories.first { $0.hasSuffix("enc") })
            }
        }
    }
}
