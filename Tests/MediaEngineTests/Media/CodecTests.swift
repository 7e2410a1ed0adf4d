import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The codecs") struct CodecTests {
        @Test(
            "Video of each codec arrives, moves, and has the right size",
            arguments: [Codec.vp8, .vp9, .h264, .h265])
        func video(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.videoCodecs = [codec]
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForFrames(20)
                    let received = try await end.received(.video)
                    #expect(received.codec == codec)
                    #expect(received.width == 320 && received.height == 180)
                    #expect(received.distinctFrames ?? 0 > 10)
                }
                // A requested key frame arrives: after a lost frame, the peer's decoder depends on it.
                let key = Shared(0)
                let depayloader = try #require(await call.callee.peer.media?.pipeline.bin.child("depayloader"))
                try depayloader.pad("src").probe { buffer in
                    if !buffer.reference.isDelta { key.update { $0 += 1 } }
                    return .pass
                }
                await call.callee.peer.setReceiving(true)
                try await call.callee.wait(for: .firstShown(.video))
                await call.callee.peer.setReceiving(false)
                await call.callee.peer.setReceiving(true)
                try await eventually("a key frame") { key.value > 0 }
            }
        }

        @Test("OpenH264 can replace x264 and libav")
        func openh264() async throws {
            let catalog = try PipelineCatalog()
            let encoder = try catalog.description("openh264", role: .encoder)
            let decoder = try catalog.description("openh264", role: .decoder)
            let folder = try PipelineFolder(["h264-encoder.launch": encoder.text, "h264-decoder.launch": decoder.text])
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.videoCodecs = [.h264]
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForFrames(20)
                    #expect(try await end.received(.video).distinctFrames ?? 0 > 10)
                }
            }
        }

        @Test("A codec whose best elements are missing uses others")
        func fallback() async throws {
            let folder = try PipelineFolder([
                "h264-encoder.launch": "# None.\nnosuchenc name=encoder ! rtph264pay name=payloader"
            ])
            let engine = try await Engine.start(pipelineFolder: folder.path)
            #expect(try engine.catalog.description(of: .h264, role: .encoder).name == "openh264")
            #expect(try engine.catalog.description(of: .h264, role: .decoder).name == "h264")
        }

        @Test(
            "A tone arrives with its pitch in each audio codec",
            arguments: [(Codec.opus, 48_000), (.g722, 16_000), (.pcmu, 8_000), (.pcma, 8_000)])
        func audio(codec: Codec, rate: Int) async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.audioCodecs = [codec]
            try await withCall(options) { call in
                try await call.connect()
                for (end, pitch) in [(call.caller, 660.0), (call.callee, 440)] {
                    try await end.wait("a second of audio") { $0.received[.audio]?.decoded ?? 0 > rate }
                    let received = try await end.received(.audio)
                    #expect(received.codec == codec && received.sampleRate == rate)
                    #expect(try abs(#require(received.toneHz) - pitch) < 5)
                }
                let heard = try await DecodedWatch(call.callee, .audio)
                try await eventually("audio") { heard.buffers > 3 }
                #expect(heard.samplesPerBuffer == rate / 50, "20 ms a packet")
                await call.caller.peer.setSending(.blank, of: .audio)
                try await eventually("silence") { heard.silentRun > 10 }
            }
        }

        @Test("Of the allowed codecs, the first one in the offer is chosen")
        func choice() async throws {
            let all = "m=audio 9 UDP/TLS/RTP/SAVPF 8 111 9 0"
            // Static payload types need no rtpmap.
            let sdp = SDPSamples.offer("m=audio 9 UDP/TLS/RTP/SAVPF 111", all)
            for (codecs, expected) in [
                (Codec.preferred(.audio), [8]), ([.opus], [111]), ([.pcmu, .g722], [9]), ([.pcmu], [0]),
            ] {
                let engine = try await TestEngine.shared()
                let tracks: [TrackID: TrackConfiguration] = [
                    .audio: TrackConfiguration(source: try engine.capture(AudioSource.tone()), codecs: codecs),
                    .video: TrackConfiguration(receiving: .video),
                ]
                var configuration = PeerConnectionConfiguration(label: "choice", tracks: tracks)
                configuration.tuning = .loopback
                let peer = engine.makePeerConnection(configuration)
                let answer = try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: sdp))
                #expect(try RemoteDescription(answer).sections[0].formats.map(\.payloadType) == expected)
                await peer.close()
            }
        }

        @Test("H264 and VP9 name their profile, and an answer repeats the offered one")
        func profiles() async throws {
            for (codec, parameters) in [
                (Codec.h264, "a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f"),
                (.vp9, "a=fmtp:98 profile-id=0"),
            ] {
                let peer = try await TestEngine.peer(videoCodecs: [codec])
                #expect(try await peer.createOffer().sdp.components(of: "\r\n").contains(parameters))
                await peer.close()
            }
            let peer = try await TestEngine.peer(videoCodecs: [.h264])
            let answer = try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: SDPSamples.safari))
            let expected = "a=fmtp:96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=640c1f"
            #expect(answer.sdp.components(of: "\r\n").contains(expected))
            await peer.close()
        }
    }
}
