import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Mute and stop") struct SendModeTests {
        @Test("Muted sound arrives as silence without a gap, and unmuted it is the tone again")
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
            "A muted camera shows as black pictures at the same rate, and then moves again",
            arguments: [Codec.vp8, .h264])
        func mutedVideo(codec: Codec) async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.videoCodecs = [codec]
            try await withCall(options) { call in
                try await call.connect()
                try await call.callee.waitForPictures(5)
                let seen = try await DecodedWatch(call.callee, .video)
                for _ in 1...2 {
                    await call.caller.peer.setSending(.blank, of: .video)
                    try await eventually("black pictures that flow") { seen.blackRun >= 20 }
                    #expect(try await call.capture(.caller, .video).isOpen)
                    let changes = seen.changes
                    await call.caller.peer.setSending(.live, of: .video)
                    try await eventually("pictures that move") { seen.changes >= changes + 10 && seen.blackRun == 0 }
                }
            }
        }

        @Test("An end that begins muted lets nothing out that was captured, not even the latest picture")
        func beginsMuted() async throws {
            var options = LoopbackCall.Options()
            options.opensSendGates = false
            try await withCall(options) { call in
                try await call.negotiate()
                let seen = try await DecodedWatch(call.callee, .video)
                let heard = try await DecodedWatch(call.callee, .audio)
                await call.caller.send(.blank)
                try await eventually("black pictures and silence") { seen.blackRun >= 20 && heard.silentRun >= 20 }
                #expect(seen.brightPictures == 0)
                #expect(heard.wasSilentAlways)
                await call.caller.send(.live)
                try await eventually("pictures and sound") { seen.brightPictures > 5 && heard.loudRun > 5 }
            }
        }

        @Test("A stopped end sends no packets but stays audible, its device closes, and then it goes on")
        func stopped() async throws {
            var options = LoopbackCall.Options()
            // Sources that no other test's call could hold open.
            options.callerVideo = .test(.ball, format: VideoFormat(width: 176, height: 144))
            options.callerAudio = .tone(hertz: 523)
            try await withCall(options) { call in
                try await call.connect()
                for _ in 1...2 {
                    try await call.callee.waitForPictures(5)
                    await call.caller.send(.off)
                    for kind in MediaKind.allCases {
                        try await eventually("the capture of \(kind) closes") {
                            try await !call.capture(.caller, kind).isOpen
                        }
                    }
                    // What was on its way arrives while the other direction brings ten pictures.
                    try await call.caller.waitForMorePictures(10)
                    let arrivals = await call.callee.arrivals()
                    // Three seconds by the clock of the other direction's camera: longer than silence is borne.
                    try await call.caller.waitForMorePictures(90)
                    #expect(await call.callee.arrivals() == arrivals)
                    #expect(call.callee.count(.interrupted) == 0)

                    let seen = try await DecodedWatch(call.callee, .video)
                    let heard = try await DecodedWatch(call.callee, .audio)
                    await call.caller.send(.live)
                    try await eventually("pictures that move") { seen.changes >= 10 }
                    #expect(try await abs(heard.steadyTone() - 523) < 5)
                }
            }
        }

        @Test("What is off before the negotiation opens no device, and can be started later")
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
                try await call.callee.waitForPictures(10)
            }
        }

        @Test("Whatever modes follow each other before and after the verification, the last one counts")
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
                    try await call.callee.waitForMorePictures(5)
                    await shuffle()
                    await call.caller.peer.setSending(.blank, of: .video)
                    let seen = try await DecodedWatch(call.callee, .video)
                    try await eventually("black pictures in round \(round)") { seen.blackRun >= 5 }
                }
                await call.caller.peer.close()
                await shuffle()
            }
        }

        @Test("A device that does not open again is told, and the call goes on")
        func reopeningFails() async throws {
            let folder = try PipelineFolder(microphoneFromFile: "gone")
            var options = LoopbackCall.Options()
            options.opensSendGates = false
            options.engine = try await MediaEngine.start(pipelineFolder: folder.path)
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
                try await call.callee.waitForPictures(5)
            }
        }
    }
}
