import Foundation
import Testing

extension EndToEnd {
    /// The program's reports of a failed source.
    @Suite struct SourceFaultTests {
        private let folder = Folder()

        @Test(
            "A source that is lost and restored is reported with cause and remedy, and the call continues"
        )
        func outage() async throws {
            _ = try folder.write(
                """
                # A camera that is unplugged after one second.
                # value caps: format.caps
                videotestsrc name=source is-live=true pattern=white ! identity error-after=30 ! capsfilter name=format
                """, "frail-video-source.launch")
            let trio = try await Trio()
            let bob = try await trio.listen(["--once"])
            let alice = try trio.call([
                "--events", "--duration", "5s", "--pipelines", folder.path("."), "--video", "frail", "--allow-stand-in",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let lost = try #require(alice.events.first { $0["event"] as? String == "captureLost" })
            #expect(try lost.text("kind") == "video")
            #expect(try lost.text("fault.cause") == "lost")
            #expect(try lost.text("fault.source") == "frail")
            #expect(try lost.text("fault.remedy").contains("opened again"))
            #expect(try !lost.text("fault.text").isEmpty)
            #expect(alice.hasEvent(["event": "captureRestored", "kind": "video"]))
            #expect(!bob.hasEvent(["event": "captureLost"]), "it is the other end's camera")
            #expect(alice.count(of: ["event": "stateChanged", "state": "reconnecting"]) == 0)
        }

        @Test("A source that cannot be opened fails the call, unless a stand-in is allowed")
        func unreachable() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen()
            for (options, status) in [([], 5), (["--allow-stand-in"], 0)] as [([String], Int32)] {
                let alice = try trio.call(
                    ["--json", "--duration", "2s", "--video", "rtsp://127.0.0.1:1/cam"] + options)
                #expect(try await alice.waitForExit() == status, "\(alice.errors)")
                #expect(alice.errors.contains("--allow-stand-in") == (status == 5), "\(alice.errors)")
                let call = try #require((try alice.document()["calls"] as? [[String: Any]])?.first)
                #expect(try call.text("end.reason") == "localHangup")
                #expect(try call.number("video.sent.framesSent") > 20)
                let warnings = try #require(call["warnings"] as? [String])
                #expect(
                    warnings.contains { $0.hasPrefix("no video: rtsp://127.0.0.1:1/cam, unreachable") }, "\(warnings)"
                )
            }
            #expect(bob.exitStatus == nil)
        }

        @Test(
            "A source that only an application can push to is wrong usage",
            arguments: [
                ["--video", "frames"], ["--audio", "samples"], ["--at", "1s=video=frames"],
                ["--at", "1s=audio=samples"], ["--video", "frames:1"],
            ])
        func pushed(options: [String]) async throws {
            let program = try Program(["call", "bob", "--as", "alice"] + options)
            #expect(try await program.waitForExit() == 2, "\(program.errors)")
            #expect(program.errors.contains("pushed by an application"), "\(program.errors)")
        }

        @Test(
            "A device in use is reported as busy, at the start of a call and when it is chosen during one")
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
            #expect(try report.number("video.sent.framesSent") > 20, "the former source goes on")
            #expect(bob.exitStatus == nil)
            withExtendedLifetime(port) {}
        }
    }
}
