import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The send gate") struct SendGateTests {
        @Test("A verified end sends nothing before its gate opens, and then a frame that can be decoded")
        func nothingIsSentBefore() async throws {
            var options = LoopbackCall.Options()
            options.opensSendGates = false
            try await withCall(options) { call in
                try await call.connect()
                // The caller's media flows meanwhile: the path works, and a second passes.
                await call.caller.send(.live)
                try await call.callee.waitForFrames(30)
                #expect(await call.caller.arrivals() == 0)
                #expect(try await call.callee.sent(.video).frames == 0)
                #expect(try await call.callee.sent(.audio).frames == 0)

                await call.callee.send(.live)
                try await call.caller.wait("packets of both kinds") {
                    $0.received.values.allSatisfy { !$0.arrivals.isEmpty }
                }
                try await call.caller.waitForFrames(10)
                // A stream that did not begin with a key frame would lose everything before the next key frame.
                try await eventually("nearly all that was sent was decoded") {
                    let sent = try await call.callee.sent(.video).frames
                    return sent - (try await call.caller.received(.video).decoded) <= 2
                }
            }
        }

        @Test("Opening the gate before the verification takes effect after it")
        func openedBeforeVerification() async throws {
            var options = LoopbackCall.Options()
            options.opensSendGates = false
            options.kinds = [.audio]
            try await withCall(options) { call in
                await call.caller.send(.live)
                await call.callee.send(.live)
                await call.callee.send(.closed)
                try await call.connect()
                try await call.callee.waitForTone()
                #expect(await call.caller.arrivals() == 0)
            }
        }

        @Test("Closing the gate stops the packets, and opening it resumes them")
        func gateCanBeShutAgain() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                await call.caller.send(.closed)
                let sent = try await call.caller.sent(.video).frames
                // The other direction measures the time.
                let before = try await call.caller.received(.video).decoded
                try await call.caller.waitForFrames(before + 30)
                #expect(try await call.caller.sent(.video).frames <= sent + 1)
                let decoded = try await call.callee.received(.video).decoded
                #expect(decoded <= sent + 1)

                await call.caller.send(.live)
                try await call.callee.waitForFrames(decoded + 10)
            }
        }

        @Test("The first frame after each opening is a key frame", arguments: [Codec.vp8, .h264])
        func openingEncodesAKeyFrame(codec: Codec) async throws {
            let bench = try await SendBench(codec)
            for round in 1...3 {
                bench.track.set(.live)
                try await eventually("frames in round \(round)") { bench.encoded.value.count >= 5 }
                bench.track.set(.closed)
                let encoded = bench.encoded.update { encoded in
                    defer { encoded = [] }
                    return encoded
                }
                #expect(encoded.first == .key, "round \(round)")
                #expect(encoded.dropFirst().contains(.delta), "round \(round)")
                // Frames that were still in the encoder belong to this round.
                let shut = bench.raw.value
                try await eventually("frames that are held back") { bench.raw.value >= shut + 10 }
                bench.encoded.set([])
            }
            await bench.stop()
        }
    }

    /// A send track whose packets nobody receives, with a record of every encoded frame.
    private struct SendBench {
        enum Frame: Equatable { case key, delta }

        let track: SendTrack
        let encoded = Shared<[Frame]>([])
        let raw = Shared(0)
        private let pipeline: Pipeline
        private let source: CaptureSource

        init(_ codec: Codec) async throws {
            let engine = try await TestEngine.shared()
            source = try engine.capture(VideoSource.test(format: VideoFormat(width: 160, height: 90)))
            pipeline = try Pipeline(name: "bench", timeBase: .clock)
            // A funnel has the same request pads as webrtcbin.
            let funnel = try Element("funnel")
            let end = try Element("fakesink")
            try end.set("async", "false")
            pipeline.bin.add(funnel)
            pipeline.bin.add(end)
            try funnel.link(to: end)
            track = try SendTrack(
                TrackID(codec.kind), TrackConfiguration(source: source), codec: codec, payloadType: 96,
                description: engine.catalog.description(of: codec, role: .encoder),
                pipeline: pipeline.bin, webrtcSink: funnel.requestPad("sink_%u"), onFailure: { Issue.record($0) })
            let encoder = try #require(pipeline.bin.child("encoder"))
            try encoder.pad("src").probe { [encoded] buffer in
                encoded.update { $0.append(buffer.reference.isDelta ? .delta : .key) }
                return .pass
            }
            let proxy = try #require(pipeline.bin.child(madeBy: "proxysrc"))
            try proxy.pad("src").probe { [raw] _ in
                raw.update { $0 += 1 }
                return .pass
            }
            try pipeline.bin.setState(.playing)
            try await track.start()
            track.peerVerified()
        }

        func stop() async {
            await track.end()
            pipeline.stop()
        }
    }
}
