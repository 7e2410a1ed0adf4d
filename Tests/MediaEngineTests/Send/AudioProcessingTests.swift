import Logging
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Processing of audio before it is sent") struct AudioProcessingTests {
        /// Audio with a known level before processing.
        private static let sources = [
            "noise-audio-source.launch": """
            # White noise.
            # value caps: format.caps
            audiotestsrc name=source is-live=true wave=white-noise volume=0.05 samplesperbuffer=480 ! capsfilter name=format
            """,
            "talk-audio-source.launch": """
            # The rhythm and the harmonics of a voice, as loud as somebody who speaks into a microphone.
            # value caps: format.caps
            \(talk) ! volume volume=0.4 ! audioconvert ! capsfilter name=format
            """,
            "whisper-audio-source.launch": """
            # The same, 26 dB down.
            # value caps: format.caps
            \(talk) ! volume volume=0.02 ! audioconvert ! capsfilter name=format
            """,
        ]

        private static let talk =
            "audiotestsrc name=source is-live=true wave=ticks freq=140 tick-interval=220000000 sine-periods-per-tick=18 "
            + "apply-tick-ramp=true volume=0.8 samplesperbuffer=480 ! audio/x-raw,format=S16LE "
            + "! audioamplify amplification=4 ! audioconvert ! audiocheblimit mode=low-pass cutoff=3400 poles=4"

        private func withAudio(
            _ name: String, _ processing: AudioProcessing, _ body: (LoopbackCall, LevelWatch) async throws -> Void
        ) async throws {
            let folder = try PipelineFolder(Self.sources)
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            // At this codec's rate noise and voice do not change.
            options.audioCodecs = [.opus]
            options.engine = try await Engine.start(pipelineFolder: folder.path, logger: .init(label: "test"))
            options.callerAudio = AudioSource(name: name)
            options.configure = { $0.tracks[.audio]?.processing = $0.label == "caller" ? processing : .off }
            try await withCall(options) { call in
                try await call.connect()
                try await body(call, LevelWatch(call.callee, isNoise: name == "noise"))
            }
        }

        /// The level of `name` at the far end, unprocessed and processed, in dB relative to full scale.
        private func levels(_ name: String) async throws -> (raw: Double, processed: Double) {
            var levels: [Double] = []
            for processing in [AudioProcessing.off, .voice] {
                try await withAudio(name, processing) { _, heard in levels.append(try await heard.steadyLevel()) }
            }
            return (levels[0], levels[1])
        }

        @Test("Noise arrives at a third of its level or less")
        func noise() async throws {
            let (raw, processed) = try await levels("noise")
            #expect(processed < raw - 8, "\(raw) dB, then \(processed) dB")
        }

        @Test("A voice keeps its level")
        func voice() async throws {
            let (raw, processed) = try await levels("talk")
            #expect(abs(processed - raw) < 4, "\(raw) dB, then \(processed) dB")
        }

        @Test("A voice that is too quiet arrives louder")
        func quietVoice() async throws {
            let (raw, processed) = try await levels("whisper")
            #expect(processed > raw + 4, "\(raw) dB, then \(processed) dB")
        }

        @Test("Processing can be changed during a call, and continues after a hold")
        func changes() async throws {
            try await withAudio("noise", .off) { call, heard in
                let raw = try await heard.steadyLevel()
                let noise = try await call.capture(.caller, .audio)
                try await call.caller.peer.setSource(noise, processing: .voice)
                #expect(try await heard.steadyLevel() < raw - 8)
                // A hold closes the gates and leaves the device open.
                await call.caller.peer.setSending(.closed, of: .audio)
                try await eventually("quiet") { heard.isQuiet }
                await call.caller.peer.setSending(.live, of: .audio)
                #expect(try await heard.steadyLevel() < raw - 8)
                // The same, but the device is closed meanwhile.
                await call.caller.peer.setSending(.off, of: .audio)
                try await eventually("closed") { await !noise.isOpen }
                await call.caller.peer.setSending(.live, of: .audio)
                #expect(try await heard.steadyLevel() < raw - 8)
                try await call.caller.peer.setSource(noise, processing: .off)
                #expect(try await abs(heard.steadyLevel() - raw) < 3)
                for end in call.ends { #expect(end.failure == nil) }
            }
        }

        @Test("The echo of what is played near the microphone is removed")
        func echo() async throws {
            var levels: [Double] = []
            for processing in [AudioProcessing.off, .music] {
                let folder = try PipelineFolder(
                    Self.sources.merging([
                        "loud-audio-sink.launch": """
                        # Plays into nothing, at the pace of a loudspeaker.
                        fakesink name=sink sync=true async=false
                        """
                    ]) { $1 })
                let room = try EchoingRoom()
                var options = LoopbackCall.Options()
                options.kinds = [.audio]
                options.engine = try await Engine.start(
                    pipelineFolder: folder.path, logger: Logger(label: "test"))
                options.callerAudio = AudioSource(name: "talk")
                options.calleeAudio = room.microphone
                options.configureCallee = { $0.tracks[.audio]?.processing = processing }
                options.calleeOutputs.audioSink = AudioSink(name: "loud")
                try await withCall(options) { call in
                    try await call.connect()
                    for end in call.ends { await end.peer.setReceiving(true) }
                    try await room.echo(call.callee)
                    let heard = try await LevelWatch(call.caller)
                    if let echo = levels.first {
                        // The filter has to learn the room, which takes longer in some releases.
                        try await eventually("an echo that is 10 dB weaker than \(echo) dB", within: .seconds(60)) {
                            try await heard.steadyLevel() < echo - 10
                        }
                    } else {
                        // Silence is steady, too, until the first echo arrives.
                        try await eventually("the echo: \(levels) dB, \(room.summary)", within: .seconds(60)) {
                            levels = [try await heard.steadyLevel()]
                            return levels[0] > -45
                        }
                    }
                    for end in call.ends { #expect(end.failure == nil) }
                }
            }
        }

        @Test("A microphone has voice processing by default, and one capture serves all settings")
        func defaults() async throws {
            for (text, expected) in [
                ("mic", AudioProcessing.voice), ("alsa:hw:1", .voice), ("pulse", .voice), ("pipewire:3", .voice),
                ("tone", .off), ("file:a.mkv", .off), ("speech", .off),
            ] {
                var source = try AudioSource(parsing: text)
                #expect(source.effectiveProcessing == expected, "\(text)")
                source.processing = .music
                #expect(source.effectiveProcessing == .music)
            }
            let engine = try await TestEngine.shared()
            var other = AudioSource.speech
            other.processing = .voice
            #expect(try engine.capture(.speech) === engine.capture(other))
        }
    }
}
