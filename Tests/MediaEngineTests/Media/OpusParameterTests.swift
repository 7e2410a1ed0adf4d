import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Negotiated encoder settings") struct EncoderRequestTests {
        private static func options(_ opus: OpusParameters, callee: OpusParameters? = nil) -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.configure = { $0.opus = opus }
            if let callee { options.configureCallee = { $0.opus = callee } }
            return options
        }

        @Test("A tone above the peer's audio bandwidth does not reach it", arguments: [true, false])
        func band(isNarrow: Bool) async throws {
            var narrow = OpusParameters()
            narrow.maxPlaybackRate = 16_000
            // The decoding end sets the limit, whether it offers or answers.
            var options = Self.options(OpusParameters(), callee: isNarrow ? narrow : nil)
            options.callerAudio = .tone(hertz: 10_000)
            options.calleeAudio = .tone(hertz: 1_000)
            try await withCall(options) { call in
                try await call.connect()
                let heard = try await DecodedWatch(call.callee, .audio)
                if isNarrow {
                    try await eventually("next to nothing") { heard.silentRun > 20 }
                    // An end's own receive limit does not bind what it sends.
                    try await call.caller.waitForTone()
                } else {
                    #expect(try await abs(heard.steadyTone() - 10_000) < 50)
                }
            }
        }

        @Test(
            "Both channels are decoded into one, unless the peer signals stereo",
            arguments: [true, false])
        func channels(saysStereo: Bool) async throws {
            // The tone is in the right channel. The left one is silent.
            let folder = try PipelineFolder([
                "opus-encoder.launch": """
                # value payload: payloader.pt
                # value ssrc: payloader.ssrc
                # value mtu: payloader.mtu
                audioconvert ! audio/x-raw,channels=2 ! audiopanorama panorama=1 method=simple ! audioconvert ! opusenc name=encoder bitrate=96000 ! rtpopuspay name=payloader ! capssetter caps=application/x-rtp,sprop-stereo=(string)0
                """
            ])
            var options = Self.options(OpusParameters())
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            options.rewrite = { description in
                // Both ends say it: one in its offer, the other in its answer.
                let said = saysStereo ? ";sprop-stereo=1" : ";sprop-stereo=0"
                return SessionDescription(
                    kind: description.kind, sdp: description.sdp.replacing("minptime=10", by: "minptime=10" + said))
            }
            try await withCall(options) { call in
                try await call.connect()
                for (end, hertz) in [(call.caller, 660.0), (call.callee, 440)] {
                    let heard = try await DecodedWatch(end, .audio)
                    try await eventually("audio") { heard.buffers > 20 }
                    #expect(heard.channels == (saysStereo ? 2 : 1))
                    if saysStereo {
                        try await eventually("a loud right") { heard.loudRun > 20 }
                        #expect(heard.toneHz == nil, "the left is silent")
                    } else {
                        #expect(try await abs(heard.steadyTone() - hertz) < 5)
                    }
                }
            }
        }

        @Test(
            "Packets have the requested length",
            arguments: [
                (3, 120), (5, 240), (10, 480), (20, 960), (40, 1_920), (60, 2_880), (80, 2_880), (100, 2_880),
                (120, 2_880),
            ])
        func packetLength(ptimeMs: Int, samples: Int) async throws {
            var opus = OpusParameters()
            opus.ptimeMs = ptimeMs
            try await withCall(Self.options(opus)) { call in
                try await call.connect()
                try await call.callee.waitForTone()
                let heard = try await DecodedWatch(call.callee, .audio)
                try await eventually("packets of \(ptimeMs) ms") { heard.samplesPerBuffer == samples }
                #expect(try await abs(heard.steadyTone() - 440) < 5)
            }
        }

        @Test(
            "A peer that can use copies gets them while it loses packets, and another one does not",
            arguments: [true, false])
        func protection(canUse: Bool) async throws {
            var callee = OpusParameters()
            callee.errorCorrection = canUse ? .onLoss : .never
            try await withCall(Self.options(OpusParameters(), callee: callee)) { call in
                try await call.connect()
                try await call.callee.waitForTone()
                let track = try #require(await call.caller.peer.media?.sending[.audio])
                #expect(track.encoder.values["fec"] == "false")
                let loss = try await NetworkLoss(to: call.callee, every: 8, of: [track.payloadType])
                if canUse {
                    try await eventually("copies") { track.encoder.values["fec"] == "true" }
                    #expect(track.encoder.values["lossPercent"] == "10")
                    let received = try #require(await call.callee.peer.media?.receiving[.audio])
                    try await eventually("recovered packets") { received.copies?.recoveredSamples ?? 0 >= 5 * 960 }
                } else {
                    let start = try await call.callee.received(.audio).seconds
                    try await call.callee.wait("six seconds") { ($0.received[.audio]?.seconds ?? 0) > start + 6 }
                    #expect(track.encoder.values["fec"] == "false")
                }
                try await eventually("lost packets") { loss.count > 5 }
                let heard = try await DecodedWatch(call.callee, .audio)
                #expect(try await abs(heard.steadyTone() - 440) < 5)
            }
        }

        @Test("With DTX at both ends silence costs almost no packets, and the tone comes back")
        func discontinuous() async throws {
            var opus = OpusParameters()
            opus.usesDTX = true
            var options = Self.options(opus)
            options.kinds = [.audio, .video]
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForTone()
                await call.caller.peer.setSending(.blank, of: .audio)
                // The encoder needs some 200 ms to detect the silence.
                try await call.callee.waitForMoreFrames(30)
                let before = try await call.callee.received(.audio).arrivals.count
                try await call.callee.waitForMoreFrames(60)
                // Without DTX two seconds are a hundred packets.
                let during = try await call.callee.received(.audio).arrivals.count - before
                #expect(during < 30)
                await call.caller.peer.setSending(.live, of: .audio)
                let heard = try await DecodedWatch(call.callee, .audio)
                #expect(try await abs(heard.steadyTone() - 440) < 5)
            }
        }

        @Test("Encoders keep to the peer's limits, also after later changes")
        func limits() async throws {
            var options = LoopbackCall.Options()
            // On a busy machine even loopback may look slow.
            options.tuning.followsBandwidth = false
            options.configureCallee = {
                $0.tracks[.video]?.maxReceiveKbit = 300
                $0.tracks[.audio]?.maxReceiveKbit = 24
            }
            try await withCall(options) { call in
                try await call.connect()
                let sending = try #require(await call.caller.peer.media?.sending)
                #expect(sending[.video]?.encoder.targetBitrate == 300_000)
                #expect(sending[.audio]?.encoder.targetBitrate == 24_000)
                #expect(await call.callee.peer.media?.sending[.video]?.encoder.targetBitrate == 1_000_000)
                // A bitrate above the agreed limit is not sent, and nothing overflows.
                try await call.caller.peer.setBitrate(.max, of: .video)
                #expect(sending[.video]?.encoder.targetBitrate == 300_000)
                try await call.caller.peer.setBitrate(100, of: .video)
                try await call.caller.peer.setBitrate(16, of: .audio)
                try await call.caller.peer.setOpus(.economical)
                let encoder = try #require(await call.caller.peer.media?.pipeline.bin.child(madeBy: "vp8enc"))
                #expect(encoder.get("target-bitrate")?.intValue == 100_000)
                let opus = try #require(await call.caller.peer.media?.pipeline.bin.child(madeBy: "opusenc"))
                #expect(opus.get("bitrate")?.intValue == 16_000)
                let heard = try await DecodedWatch(call.callee, .audio)
                try await eventually("longer packets") { heard.samplesPerBuffer == 2_880 }
                try await call.callee.waitForMoreFrames(10)
                try await eventually("the tone") { heard.toneHz != nil }
            }
        }

        @Test("Descriptions contain the requested parameters in standard lines")
        func lines() async throws {
            let engine = try await TestEngine.shared()
            var track = TrackConfiguration(receiving: .audio)
            track.maxReceiveKbit = 64
            var configuration = PeerConnectionConfiguration(label: "lines", tracks: [.audio: track])
            configuration.tuning = .loopback
            configuration.opus = .economical
            let peer = engine.makePeerConnection(configuration)
            let lines = try await peer.createOffer().sdp.components(of: "\r\n")
            #expect(
                lines.contains(
                    "a=fmtp:111 minptime=10;useinbandfec=1;usedtx=1;maxplaybackrate=16000;maxaveragebitrate=20000"))
            #expect(lines.contains("a=ptime:60"))
            let place = try #require(lines.firstIndex { $0.hasPrefix("m=audio") })
            #expect(Array(lines[(place + 2)...(place + 3)]) == ["b=AS:64", "b=TIAS:64000"])
            await peer.close()
        }
    }
}

@Suite("Opus parameters") struct OpusParameterTests {
    @Test("A value out of range becomes the default, with a warning")
    func ranges() {
        var parameters = OpusParameters()
        parameters.maxPlaybackRate = 7_999
        parameters.maxAverageBitrate = 510_001
        parameters.ptimeMs = 30
        let (checked, warnings) = parameters.checked()
        #expect(checked == OpusParameters())
        #expect(warnings.count == 3)
        for preset in [OpusParameters.stack, .economical, OpusParameters()] {
            #expect(preset.checked().warnings.isEmpty && preset.checked().parameters == preset)
        }
    }

    @Test("The smaller of two limits counts, and a peer's values out of range are ignored")
    func agreement() {
        var mine = OpusParameters.stack
        mine.usesDTX = true
        let agreed = mine.agreed(with: "maxplaybackrate=16000;maxaveragebitrate=64000;usedtx=1", ptimeMs: 40)
        #expect(agreed.maxPlaybackRate == 16_000 && agreed.maxAverageBitrate == 40_000)
        #expect(agreed.usesDTX && agreed.errorCorrection == .never && agreed.ptimeMs == 40)
        let odd = mine.agreed(with: "maxplaybackrate=-1;maxaveragebitrate=99999999999999999999;usedtx;=;", ptimeMs: 7)
        #expect(odd.maxPlaybackRate == 24_000 && odd.maxAverageBitrate == 40_000 && !odd.usesDTX && odd.ptimeMs == 20)
    }

    @Test("Bandwidth limits are read from b=TIAS or else b=AS, and zero is no limit")
    func bandwidth() throws {
        for (lines, expected) in [
            ("b=AS:300\r\n", 300), ("b=TIAS:250500\r\nb=AS:300\r\n", 250), ("b=TIAS:0\r\n", nil), ("b=AS:x\r\n", nil),
            ("b=AS:4294967295\r\n", 2_000_000), ("b=AS:-1\r\n", nil),
        ] {
            let sdp = SDPSamples.offer("c=IN IP4 0.0.0.0\r\na=mid:1", "c=IN IP4 0.0.0.0\r\n\(lines)a=mid:1")
            #expect(try SDPSamples.read(sdp).sections.map(\.bandwidthKbit) == [nil, expected])
        }
    }
}

@Suite("Copies in packets of Opus") struct OpusHeadTests {
    private func head(_ bytes: UInt8...) -> OpusHead? { bytes.withUnsafeBytes(OpusHead.init) }

    @Test("The first frame of a packet says whether it has a copy; music has none")
    func copies() {
        // 20 ms of one channel: speech, a copy, and the rest.
        #expect(head(0b01001_0_00, 0b1100_0000)?.hasCopy == true)
        #expect(head(0b01001_0_00, 0b1000_0000)?.hasCopy == false)
        // Of the second channel of two.
        #expect(head(0b01001_1_00, 0b0001_0000)?.hasCopy == true)
        #expect(head(0b01001_0_00, 0b0001_0000)?.hasCopy == false)
        // 60 ms have three bits of speech, then the copy.
        #expect(head(0b01011_0_00, 0b0001_0000)?.hasCopy == true)
        #expect(head(0b01011_0_00, 0b1110_0000)?.hasCopy == false)
        // Two frames of the same length, and of different ones.
        #expect(head(0b01001_0_01, 0b0100_0000)?.hasCopy == true)
        #expect(head(0b01001_0_10, 40, 0b0100_0000)?.hasCopy == true)
        #expect(head(0b01001_0_10, 252, 40, 0b0100_0000)?.hasCopy == true)
        #expect(head(0b01001_0_11, 0xFF, 0xFF, 0xFF)?.hasCopy == false)
        #expect(head(0b11111_0_00, 0xFF)?.hasCopy == false)
        #expect(head(0b01001_0_00)?.hasCopy == false && head() == nil)
    }

    @Test("A frame is as long as its mode says")
    func durations() {
        let durations = (0..<32).map { head(UInt8($0 << 3), 0)?.frameDuration ?? 0 }
        let speech: [UInt64] = [10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 10, 20].map { $0 * 1_000_000 }
        #expect(Array(durations[..<16]) == speech)
        let music: [UInt64] = [2_500_000, 5_000_000, 10_000_000, 20_000_000]
        #expect(Array(durations[16...]) == music + music + music + music)
    }
}

@Suite("Protection against lost audio") struct LossProtectionTests {
    private let start = ClockReading.now

    /// Whether it is on behind so many reports of a second each.
    private func isOn(_ protection: inout LossProtection, _ shares: [Double], from second: Int = 0) -> Bool {
        for (number, share) in shares.enumerated() {
            _ = protection.note(share, at: start + .seconds(second + number))
        }
        return protection.isOn
    }

    @Test("It begins with losses that last, and ends ten seconds behind them")
    func losses() {
        var protection = LossProtection()
        #expect(!isOn(&protection, [0, 0, 0.08, 0, 0, 0, 0.04, 0]), "a packet now and then")
        #expect(isOn(&protection, [0.1, 0.1, 0.1], from: 8))
        #expect(isOn(&protection, Array(repeating: 0, count: 15), from: 11), "not calm for long")
        #expect(!isOn(&protection, Array(repeating: 0, count: 5), from: 26))
    }
}
