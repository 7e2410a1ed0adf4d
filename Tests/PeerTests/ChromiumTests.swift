import Foundation
import Testing

extension Peers {
    /// Tests that need features of Chromium.
    @Suite struct ChromiumTests {
        @Test("H.264 in both directions, for both callers")
        func h264() async throws {
            let server = try await CallServer()
            try await withBrowser(.chromium) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let codecs: [String] = try await browser.evaluate(
                    "return RTCRtpSender.getCapabilities('video').codecs.map((codec) => codec.mimeType)")
                guard codecs.contains("video/H264") else { try Test.cancel("this Chromium has no H.264") }
                let bob = try server.call(
                    "alice", as: "bob", ["--codec", "h264", "--events", "--duration", "10m"] + Program.tellsMoments)
                try await alice.waitForRing()
                try await alice.click("#accept")
                try await alice.waitForState("connected")
                try await alice.seeVideo("colour bars") { $0.isSMPTE }
                try await alice.seeMotion()
                try await bob.receives(frames: 40, secondsOfAudio: 0)
                bob.signal(SIGINT)
                #expect(try await bob.waitForExit() == 130, "\(bob.errors)")
                let report = try await bob.report()
                #expect(report.text("video.received.codec") == "H264")
                #expect(report.number("video.received.distinctFrames") ?? 0 > 20)
                // The browser's offer lists other codecs first.
                let carol = try await server.listen(
                    "carol", ["--codec", "h264", "--answer", "0s"] + Program.tellsMoments)
                try await alice.call("carol")
                try await alice.waitForState("connected")
                try await alice.seeVideo("colour bars") { $0.isSMPTE }
                try await alice.seeMotion()
                let codec: String = try await browser.evaluate(
                    "return window.callagent.call.figures.video.received.codec")
                #expect(codec == "H264")
                try await carol.perceives(.everything)
                try await alice.click("#hang-up")
                let answered = try await carol.report()
                #expect(answered.text("video.received.codec") == "H264")
                #expect(answered.number("video.received.distinctFrames") ?? 0 > 10)
            }
        }
    }
}
