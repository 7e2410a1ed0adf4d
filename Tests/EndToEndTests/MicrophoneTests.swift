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
            let bob = try await Station("bob", at: trio.url, width: 0).prepared()
            let alice = try Program(
                ["call", "bob", "--as", "alice", "--audio-only", "--audio", "alsa:mic", "--events"] + trio.common,
                environment: ["ALSA_CONFIG_PATH": configuration])
            let call = try await bob.ring()
            try await call.call.accept()
            try await call.reaches(.connected)
            try await call.hears(Mark(user: "alice", width: 0, hertz: 554))
            #expect(!alice.hasEvent(["event": "captureLost"]), "\(alice.output)")
            await call.call.hangUp()
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            await bob.agent.close()
            voice.end()
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
