import Foundation
import Testing

@testable import CallAgent
@testable import MediaEngine

extension EndToEnd {
    /// The elements that real microphones need, in front of devices that are made for the test.
    @Suite struct MicrophoneTests {
        private let folder = Folder()

        @Test("What a microphone of ALSA gives is heard by the peer")
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
            "What one call plays is heard by the peer of another, whose microphone it is",
            .enabled(if: PipeWire.isInstalled, "there is no PipeWire; install pipewire-bin and wireplumber"),
            arguments: ["pipewire", "pulse"])
        func room(protocol name: String) async throws {
            let service = try await PipeWire()
            let environment = name == "pulse" ? service.pulse : service.environment
            let trio = try await Trio()
            let speaker = try await trio.listen(["--sink-audio", "\(name):room", "--once"], environment: environment)
            let talker = try trio.call(["--audio-only", "--audio", "tone:660", "--duration", "10m", "--events"])
            // Opened and closed again and again: whether it gives something is not to be a matter of luck.
            let microphone = name == "pulse" ? "pulse:room.monitor" : "pipewire:voice"
            for _ in 1...3 { try await hears(660, from: microphone, environment, at: trio) }
            talker.signal(SIGINT)
            #expect(try await speaker.waitForExit() == 0, "\(speaker.errors)")
            #expect(!speaker.hasEvent(["event": "mediaWarning"]), "\(speaker.output)")
            try await service.stop()
        }

        /// A call of carol's to dave, who hears what her microphone gives.
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

/// A tone as a microphone's driver would give it: 10 ms of it each 10 ms, through a pipe, which is what ALSA reads at a time.
private final class Voice: Sendable {
    private let pipeline: Pipeline
    private let pipe: Int32

    init(hertz: Int, into path: String) throws {
        try GStreamerLibrary.initialize()
        // Open at both ends, so that neither opening nor the reader's end holds anything up.
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
