import Foundation
import Testing

extension EndToEnd {
    /// A source that fails, as the program tells it.
    @Suite struct SourceFaultTests {
        private let folder = Folder()

        @Test(
            "A source that goes during a call and comes back is told with its cause and what to do, and the call goes on"
        )
        func outage() async throws {
            _ = try folder.write(
                """
                # A camera that is unplugged after a second.
                # value caps: format.caps
                videotestsrc name=source is-live=true pattern=white ! identity error-after=30 ! capsfilter name=format
                """, "frail-video-source.launch")
            let trio = try await Trio()
            let bob = try await trio.listen(["--once"])
            let alice = try trio.call([
                "--events", "--duration", "5s", "--pipelines", folder.path("."), "--video", "frail",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let lost = try #require(alice.events.first { $0["event"] as? String == "captureLost" })
            #expect(try lost.text("medium") == "video")
            #expect(try lost.text("fault.cause") == "lost")
            #expect(try lost.text("fault.source") == "frail")
            #expect(try lost.text("fault.remedy").contains("opened again"))
            #expect(try !lost.text("fault.text").isEmpty)
            #expect(alice.hasEvent(["event": "captureRestored", "medium": "video"]))
            #expect(!bob.hasEvent(["event": "captureLost"]), "it is the other end's camera")
            #expect(alice.count(of: ["event": "stateChanged", "state": "reconnecting"]) == 0)
        }

        @Test(
            "A device that somebody else uses is told as busy, at the start of a call and when it is chosen during one")
        func busy() async throws {
            let port = try HeldPort()
            _ = try folder.write(port.description, "taken-video-source.launch")
            let trio = try await Trio()
            let bob = try await trio.listen()
            let options = ["--events", "--pipelines", folder.path(".")]
            let refused = try trio.call(options + ["--video", "taken"])
            #expect(try await refused.waitForExit() == 7, "\(refused.errors)")
            #expect(refused.errors.contains("busy"), "\(refused.errors)")
            #expect(refused.errors.contains("end the program that uses it"), "\(refused.errors)")

            let alice = try trio.call(options + ["--duration", "2s", "--at", "300ms=video=taken"])
            #expect(try await alice.waitForExit() == 6, "\(alice.errors)")
            let action = try #require(alice.events.first { $0["event"] as? String == "action" })
            #expect(try action.text("text").contains("busy"))
            let report = try #require(alice.events.last).object("report")
            #expect(try report.number("video.sent.frames") > 20, "the former source goes on")
            #expect(bob.exitStatus == nil)
            withExtendedLifetime(port) {}
        }
    }
}
