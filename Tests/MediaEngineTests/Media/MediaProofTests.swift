import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Media through a real call") struct MediaProofTests {
        /// Different sizes each way, so that no end can mistake its own video for the other's.
        private func options(_ codec: Codec) -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            options.videoCodecs = [codec]
            options.callerVideo = .test(.ball, format: VideoFormat(width: 320, height: 240))
            options.calleeVideo = .test(.snow, format: VideoFormat(width: 160, height: 120))
            return options
        }

        @Test(
            "Video arrives both ways in the other end's size, and it moves", arguments: [Codec.vp8, .h264])
        func framesArrive(codec: Codec) async throws {
            try await withCall(options(codec)) { call in
                try await call.connect()
                for end in call.ends { try await end.waitForFrames(60) }
                let sizes = [(call.callee, 320, 240), (call.caller, 160, 120)]
                for (end, width, height) in sizes {
                    let received = try await end.received(.video)
                    #expect(received.codec == codec)
                    #expect(received.width == width)
                    #expect(received.height == height)
                    #expect(received.distinctFrames ?? 0 > 50)
                    #expect(end.count(.firstFrame(.video)) == 1)
                }
            }
        }

        @Test("Nine in ten of the sent frames are decoded", arguments: [Codec.vp8, .h264])
        func fewFramesAreLost(codec: Codec) async throws {
            try await withCall(options(codec)) { call in
                try await call.connect()
                for (from, to) in [(call.caller, call.callee), (call.callee, call.caller)] {
                    try await eventually("two seconds of frames") { try await from.sent(.video).frames >= 60 }
                    let sent = try await from.sent(.video).frames
                    try await to.wait("90 % of \(sent) sent frames") {
                        $0.received[.video]?.decoded ?? 0 >= sent * 9 / 10
                    }
                    // Only frames that were sent by now can have been decoded by now.
                    let decoded = try await to.received(.video).decoded
                    #expect(Double(decoded) >= 0.9 * Double(try await from.sent(.video).frames) - 5)
                }
            }
        }

        @Test("Each end hears the other's tone within 2 %", arguments: [Codec.vp8, .h264])
        func tonesArrive(codec: Codec) async throws {
            try await withCall(options(codec)) { call in
                try await call.connect()
                for (from, to, pitch) in [(call.caller, call.callee, 440.0), (call.callee, call.caller, 660.0)] {
                    try await to.wait("a second of audio") { $0.received[.audio]?.decoded ?? 0 >= 48_000 }
                    let heard = try #require(try await to.received(.audio).toneHz)
                    #expect(abs(heard - pitch) < pitch * 0.02)
                    #expect(try await from.sent(.audio).toneHz == pitch)
                    #expect(try await to.received(.audio).sampleRate == 48_000)
                }
            }
        }

        @Test("A call with one kind of media has only that kind", arguments: [MediaKind.audio, .video])
        func oneKindAlone(kind: MediaKind) async throws {
            var options = LoopbackCall.Options()
            options.kinds = [kind]
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    let track = TrackID(kind)
                    try await end.wait(for: .firstFrame(track))
                    let statistics = await end.peer.statistics()
                    #expect(Set(statistics.received.keys) == [track])
                    #expect(Set(statistics.sent.keys) == [track])
                }
                if kind == .audio { for end in call.ends { try await end.waitForTone() } }
                if kind == .video { for end in call.ends { try await end.waitForFrames(10) } }
            }
        }

        @Test("The callee takes the offered codec although it prefers another")
        func answererTakesOfferedCodec() async throws {
            var options = LoopbackCall.Options()
            options.videoCodecs = [.h264, .vp8]
            options.kinds = [.video]
            let caller = try await LoopbackCall(options).caller
            options.videoCodecs = [.vp8, .h264]
            let callee = try await LoopbackCall(options).callee
            let answer = try await callee.peer.createAnswer(to: caller.peer.createOffer())
            #expect(answer.sdp.contains("H264/90000"))
            #expect(!answer.sdp.contains("VP8/90000"))
            await caller.peer.close()
            await callee.peer.close()
        }

        @Test("Events arrive in the order of a call, and the statistics survive the close")
        func eventsAreInOrder() async throws {
            try await withCall { call in
                try await call.connect()
                for end in call.ends { await end.peer.setReceiving(true) }
                for end in call.ends {
                    for track in [TrackID.audio, .video] { try await end.wait(for: .firstShown(track)) }
                }
                for end in call.ends {
                    let events = end.events
                    let order: [PeerConnectionEvent.Kind] = [.verified, .firstFrame(.video), .firstShown(.video)]
                    let positions = order.compactMap { events.firstIndex(of: $0) }
                    #expect(positions.count == order.count && positions == positions.sorted())
                    #expect(events.contains(.localCandidate(.endOfCandidates)))
                }
                try await call.caller.waitForFrames(10)
                try await eventually("a measured round trip") {
                    await call.caller.peer.statistics().transport.roundTripMs != nil
                }
                let before = await call.caller.peer.statistics()
                #expect(before.transport.selectedPair?.local.type == .host)
                #expect(before.transport.bytesSent > 0 && before.transport.bytesReceived > 0)
                await call.close()
                let after = await call.caller.peer.statistics()
                #expect(after.received[.video]?.width == 320)
                #expect(after.received[.video]?.decoded ?? 0 >= before.received[.video]?.decoded ?? .max)
            }
        }
    }
}
