import Foundation
import TestServers
import Testing

extension EndToEnd {
    /// The connection of a call fails, and another one replaces it.
    @Suite struct ReplacementTests {
        private let folder = Folder()

        @Test("Each connection fails at one end after 2 s: the next one continues the call", arguments: [true, false])
        func again(failsAtCaller: Bool) async throws {
            let trio = try await Trio()
            let pipelines = try BrittlePipelines()
            let brittle = ["--pipelines", pipelines.folder]
            let bob = try await trio.listen(
                ["--once", "--audio", "tone:660", "--record", folder.path("bob.mkv")] + (failsAtCaller ? [] : brittle))
            let alice = try trio.call(["--events", "--duration", "7s"] + (failsAtCaller ? brittle : []))
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let (failing, other) = failsAtCaller ? (alice, bob) : (bob, alice)
            let failures = failing.events.filter {
                $0["event"] as? String == "mediaWarning"
                    && ($0["text"] as? String)?.hasPrefix("another connection") == true
            }
            #expect(failures.count >= 2)
            #expect(failing.count(of: ["event": "stateChanged", "state": "reconnecting"]) == failures.count)
            // The call may end while the last one is being replaced.
            let replaced = failures.count - 1...failures.count
            #expect(replaced.contains(failing.count(of: ["event": "stateChanged", "state": "connected"]) - 1))
            for end in [failing, other] {
                #expect(replaced.contains(end.count(of: ["event": "mediaChanged"])), "the same media on another one")
            }
            let caller = try #require(alice.events.last).object("report")
            let callee = try #require(bob.events.last).object("report")
            for report in [caller, callee] {
                // Those that each connection decoded or sent before it failed, and those of the last one.
                #expect(
                    try report.number("video.received.distinctFrames") > Double(pipelines.frames * (failures.count - 1))
                )
                #expect(try report.number("video.received.shownBeforeConnected") == 0)
            }
            #expect(abs(try caller.number("audio.received.toneHz") - 660) < 7)
            #expect(abs(try callee.number("audio.received.toneHz") - 440) < 5)
            let recorded = try await RecordedFile(folder.path("bob.mkv"))
            #expect(
                recorded.frames.count > pipelines.frames * (failures.count - 1),
                "one file has what all connections received")
        }
    }
}
