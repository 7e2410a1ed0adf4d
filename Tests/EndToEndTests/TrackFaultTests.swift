import BuiltInPipelines
import Foundation
import Testing

extension EndToEnd {
    /// The program's reports of a failed encoder or decoder.
    @Suite struct TrackFaultTests {
        private let folder = Folder()

        /// A built-in description with an added element that fails at buffer number `count`.
        private func brittle(_ builtIn: String, as file: String, before element: String, after count: Int) throws {
            let text = String(decoding: try #require(BuiltInPipelines.files[builtIn]), as: UTF8.self)
            _ = try folder.write(text.replacing(element, with: "identity error-after=\(count) ! \(element)"), file)
        }

        @Test("A failed encoder stops the video, not the call, and the peer is notified")
        func encoder() async throws {
            try brittle("vp8-encoder.launch", as: "brittle-vp8-encoder.launch", before: "rtpvp8pay", after: 30)
            let trio = try await Trio()
            let bob = try await trio.listen(["--once", "--events", "--audio", "tone:660"])
            let alice = try trio.call([
                "--events", "--duration", "4s", "--pipelines", folder.path("."), "--encoder", "brittle-vp8",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let failed = try #require(alice.events.first { $0["event"] as? String == "trackFailed" })
            #expect(try failed.text("kind") == "video")
            #expect(try failed.text("fault.cause") == "elementFailed")
            #expect(try failed.text("fault.direction") == "sending")
            #expect(try failed.text("fault.element").hasPrefix("GstIdentity:"))
            #expect(try failed.text("fault.text").hasPrefix("Failed after iterations as requested."))
            #expect(try failed.text("fault.remedy").contains("another codec than VP8"))
            #expect(alice.count(of: ["event": "trackFailed"]) == 1)
            let told = try #require(bob.events.first { $0["event"] as? String == "peerMediaChanged" })
            #expect(try told.text("peerSends.video") == "off")
            let caller = try #require(alice.events.last).object("report")
            let callee = try #require(bob.events.last).object("report")
            #expect(try callee.number("video.received.framesDecoded") < 30)
            #expect(try caller.number("video.received.distinctFrames") > 60, "what the peer sends goes on")
            #expect(abs(try caller.number("audio.received.toneHz") - 660) < 7)
            #expect(abs(try callee.number("audio.received.toneHz") - 440) < 5)
            #expect(alice.count(of: ["event": "stateChanged", "state": "reconnecting"]) == 0)
        }

        @Test("If the decoder fails at the first frame, the call continues with audio and is connected at once")
        func decoder() async throws {
            try brittle("vp8-decoder.launch", as: "vp8-decoder.launch", before: "vp8dec", after: 1)
            let trio = try await Trio()
            let bob = try await trio.listen(["--once", "--events", "--pipelines", folder.path(".")])
            let alice = try trio.call(["--events", "--duration", "2s"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let failed = try #require(bob.events.first { $0["event"] as? String == "trackFailed" })
            #expect(try failed.text("fault.direction") == "receiving")
            #expect(bob.hasEvent(["event": "stateChanged", "state": "connected"]))
            #expect(!bob.hasEvent(["event": "videoPending"]), "nobody waits for frames that cannot come")
            let callee = try #require(bob.events.last).object("report")
            let caller = try #require(alice.events.last).object("report")
            #expect(abs(try callee.number("audio.received.toneHz") - 440) < 5)
            #expect(try caller.number("video.received.distinctFrames") > 30)
        }
    }
}
