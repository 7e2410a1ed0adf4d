import Foundation
import Testing

@testable import CallAgent
@testable import MediaEngine

extension EndToEnd {
    /// The elements for real microphones, with virtual devices of the test.
    @Suite struct MicrophoneTests {
        private let folder = Folder()

        @Test("The peer hears the audio of an ALSA microphone")
        func alsa() async throws {
            let trio = try await Trio()
            let voice = try Voice(hertz: 554, into: folder.path("voice"))
            let configuration = try folder.write(
                """
                pcm.mic {
                    type file
                    slave.pcm { type null }
                    file /dev/null
                    infile "\(folder.path("voice"))"
                    format raw
                }
                """, "asound.conf")
            try await hears(554, from: "alsa:mic", ["ALSA_CONFIG_PATH": configuration], at: trio)
            voice.end()
        }

        @Test(
            "One call's playback is another call's microphone, and that peer hears it",
            .enabled(if: PipeWire.isInstalled, "there is no PipeWire; install pipewire-bin and wireplumber"),
            arguments: ["pipewire", "pulse"])
        func room(protocol name: String) async throws {
            let service = try await PipeWire()
            let environment = name == "pulse" ? service.pulse : service.environment
            let trio = try await Trio()
            let speaker = try await trio.listen(["--sink-audio", "\(name):room", "--once"], environment: environment)
            let talker = try trio.call(["--audio-only", "--audio", "tone:660", "--duration", "10m", "--events"])
            // Opened and closed several times, because a start must work every time.
            let microphone = name == "pulse" ? "pulse:room.monitor" : "pipewire:voice"
            for _ in 1...3 { try await hears(660, from: microphone, environment, at: trio) }
            talker.signal(SIGINT)
            #expect(try await speaker.waitForExit() == 0, "\(speaker.errors)")
            #expect(!speaker.hasEvent(["event": "mediaWarning"]), "\(speaker.output)")
            try await service.stop()
        }

        /// A call from carol to dave, who hears the audio of her microphone.
        private func hears(
            _ hertz: Double, from microphone: String, _ environment: [String: String], at trio: Trio
        ) async throws {
            let dave = try await Station("dave", at: trio.url, width: 0).prepared()
            let carol = try Program(
                ["call", "dave", "--as", "carol", "--audio-only", "--audio", microphone, "--events"] + trio.common,
                environment: environment)
            let call = try await dave.ring()
            try await call.call.accept()
            try await call.reaches(.connected)
            try await call.hears(Mark(user: "carol", width: 0, hertz: hertz))
            await call.call.hangUp()
            #expect(try await carol.waitForExit() == 0, "\(carol.errors)")
            #expect(!carol.hasEvent(["event": "captureLost"]), "\(carol.output)")
            await dave.agent.close()
        }
    }
}

/// A tone in real time through a pipe, like from a microphone driver: 10 ms every 10 ms, the amount that ALSA reads at a time.
private final class Voice: Sendable {
    private let pipeline: Pipeline
    private let pipe: Int32

    init(hertz: Int, into path: String) throws {
        try GStreamerLibrary.initialize()
        // Open for reading and writing, so that neither open() nor the end of the reader blocks.
        guard mkfifo(path, 0o600) == 0, case let pipe = open(path, O_RDWR), pipe >= 0 else {
            throw MediaError.rejected(operation: "mkfifo", text: path)
        }
        self.pipe = pipe
        pipeline = try Pipeline(name: "voice", timeBase: .ownStart)
        let launch =
            "audiotestsrc is-live=true freq=\(hertz) samplesperbuffer=480 ! audio/x-raw,format=S16LE,rate=48000,channels=1 ! fdsink fd=\(pipe)"
        pipeline.bin.add(try Element(launch: launch, description: "voice", hasGhostPads: false))
        try pipeline.bin.setState(.playing)
    }

    func end() {
        pipeline.stop()
        close(pipe)
    }
}
