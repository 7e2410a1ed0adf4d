import BuiltInPipelines
import Foundation
import Testing

extension EndToEnd {
    /// An encoder or a decoder that fails, as the program tells it.
    @Suite struct TrackFaultTests {
        private let folder = Folder()

        /// A built-in description with an element in it that fails with its `count`th buffer.
        private func brittle(_ builtIn: String, as file: String, before element: String, after count: Int) throws {
            let text = String(decoding: try #require(BuiltInPipelines.files[builtIn]), as: UTF8.self)
            _ = try folder.write(text.replacing(element, with: "identity error-after=\(count) ! \(element)"), file)
        }

        @Test("An encoder that fails takes the pictures away, not the call, and the peer hears of it")
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
            #expect(try failed.text("medium") == "video")
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
            #expect(try callee.number("video.received.frames") < 30)
            #expect(try caller.number("video.received.distinctFrames") > 60, "what the peer sends goes on")
            #expect(abs(try caller.number("audio.received.toneHz") - 660) < 7)
            #expect(abs(try callee.number("audio.received.toneHz") - 440) < 5)
            #expect(alice.count(of: ["event": "stateChanged", "state": "reconnecting"]) == 0)
        }

        @Test("A decoder that fails with the first picture leaves a call of sound, which is connected at once")
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
            #expect(!bob.hasEvent(["event": "videoPending"]), "nobody waits for pictures that cannot come")
            let callee = try #require(bob.events.last).object("report")
            let caller = try #require(alice.events.last).object("report")
            #expect(abs(try callee.number("audio.received.toneHz") - 440) < 5)
            #expect(try caller.number("video.received.distinctFrames") > 30)
        }
    }
}
