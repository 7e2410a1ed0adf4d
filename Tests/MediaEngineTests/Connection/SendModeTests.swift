import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Mute and stop") struct SendModeTests {
        @Test("Muted audio arrives as silence without a gap, and as the tone again after unmuting")
        func mutedAudio() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForTone()
                let heard = try await DecodedWatch(call.callee, .audio)
                for _ in 1...2 {
                    await call.caller.peer.setSending(.blank, of: .audio)
                    try await eventually("silence that flows") { heard.silentRun >= 50 }
                    await call.caller.peer.setSending(.live, of: .audio)
                    #expect(try await abs(heard.steadyTone() - 440) < 5)
                }
                #expect(call.callee.count(.interrupted) == 0)
            }
        }

        @Test(
            "A muted camera arrives as black frames at the same rate, and then moves again",
            arguments: [Codec.vp8, .h264])
        func mutedVideo(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.videoCodecs = [codec]
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForFrames(5)
                let seen = try await DecodedWatch(call.callee, .video)
                for _ in 1...2 {
                    await call.caller.peer.setSending(.blank, of: .video)
                    try await eventually("black frames that flow") { seen.blackRun >= 20 }
                    #expect(try await call.capture(.caller, .video).isOpen)
                    let changes = seen.changes
                    await call.caller.peer.setSending(.live, of: .video)
                    try await eventually("frames that move") { seen.changes >= changes + 10 && seen.blackRun == 0 }
                }
            }
        }

        @Test("An end that starts muted sends nothing that was captured, not even the latest frame")
        func beginsMuted() async throws {
            var options = LoopbackCall.Options()
            options.opensSendGates = false
            try await withCall(options) { call in
                try await call.negotiate()
                let seen = try await DecodedWatch(call.callee, .video)
                let heard = try await DecodedWatch(call.callee, .audio)
                await call.caller.send(.blank)
                try await eventually("black frames and silence") { seen.blackRun >= 20 && heard.silentRun >= 20 }
                #expect(seen.brightFrames == 0)
                #expect(heard.wasSilentAlways)
                await call.caller.send(.live)
                try await eventually("video and audio") { seen.brightFrames > 5 && heard.loudRun > 5 }
            }
        }

        @Test("A stopped end sends no media but is not interrupted, closes its device, and can resume")
        func stopped() async throws {
            var options = LoopbackCall.Options()
            // Sources that no other test's call can hold open.
            options.callerVideo = .test(.ball, format: VideoFormat(width: 176, height: 144))
            options.callerAudio = .tone(hertz: 523)
            try await withCall(options) { call in
                try await call.connect()
                for _ in 1...2 {
                    try await call.callee.waitForFrames(5)
                    await call.caller.send(.off)
                    for track in [TrackID.audio, .video] {
                        try await eventually("the capture of \(track) closes") {
                            try await !call.capture(.caller, track.kind).isOpen
                        }
                    }
                    // Packets in flight arrive while the other direction brings ten frames.
                    try await call.caller.waitForMoreFrames(10)
                    let arrivals = await call.callee.arrivals()
                    // Three seconds by the frames of the other direction: longer than the silence limit.
                    try await call.caller.waitForMoreFrames(90)
                    #expect(await call.callee.arrivals() == arrivals)
                    #expect(call.callee.count(.interrupted) == 0)

                    let seen = try await DecodedWatch(call.callee, .video)
                    let heard = try await DecodedWatch(call.callee, .audio)
                    await call.caller.send(.live)
                    try await eventually("frames that move") { seen.changes >= 10 }
                    #expect(try await abs(heard.steadyTone() - 523) < 5)
                }
            }
        }

        @Test("A track that is off before the negotiation opens no device, and can be started later")
        func beginsOff() async throws {
            var options = LoopbackCall.Options()
            options.opensSendGates = false
            options.callerVideo = .test(.ball, format: VideoFormat(width: 176, height: 120))
            try await withCall(options) { call in
                await call.caller.peer.setSending(.off, of: .video)
                try await call.connect()
                await call.caller.peer.setSending(.live, of: .audio)
                try await call.callee.waitForTone()
                #expect(try await !call.capture(.caller, .video).isOpen)
                #expect(try await call.callee.received(.video).arrivals.isEmpty)
                await call.caller.peer.setSending(.live, of: .video)
                try await call.callee.waitForFrames(10)
            }
        }

        @Test("The last of many modes counts, before and after the verification")
        func modesInQuickSuccession() async throws {
            var options = LoopbackCall.Options()
            options.opensSendGates = false
            try await withCall(options) { call in
                var generator = SeededGenerator(seed: 7)
                func shuffle() async {
                    for _ in 1...40 {
                        let mode = SendMode.allCases.randomElement(using: &generator) ?? .off
                        await call.caller.peer.setSending(mode, of: .video)
                        for _ in 0..<Int.random(in: 0...50, using: &generator) { await Task.yield() }
                    }
                }
                await shuffle()
                try await call.negotiate()
                await shuffle()
                for end in call.ends { try await end.wait(for: .verified) }
                for round in 1...5 {
                    await shuffle()
                    await call.caller.peer.setSending(.live, of: .video)
                    try await call.callee.waitForMoreFrames(5)
                    await shuffle()
                    await call.caller.peer.setSending(.blank, of: .video)
                    let seen = try await DecodedWatch(call.callee, .video)
                    try await eventually("black frames in round \(round)") { seen.blackRun >= 5 }
                }
                await call.caller.peer.close()
                await shuffle()
            }
        }

        @Test("A device that fails to reopen is reported, and the call continues")
        func reopeningFails() async throws {
            let folder = try PipelineFolder(microphoneFromFile: "gone")
            var options = LoopbackCall.Options()
            options.opensSendGates = false
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            options.callerAudio = AudioSource(name: "gone", choice: folder.file("nowhere"))
            try await withCall(options) { call in
                await call.caller.peer.setSending(.off, of: .audio)
                try await call.connect()
                @Sendable func failures() -> Int {
                    call.caller.events.count { if case .captureFailed(.audio, _) = $0 { true } else { false } }
                }
                for round in 1...2 {
                    let before = failures()
                    await call.caller.peer.setSending(.live, of: .audio)
                    try await eventually("the news in round \(round)") { failures() > before }
                    await call.caller.peer.setSending(.off, of: .audio)
                }
                await call.caller.peer.setSending(.live, of: .video)
                try await call.callee.waitForFrames(5)
            }
        }
    }
}
