import Foundation
import Testing

extension Peers {
    /// What only Chromium has.
    @Suite struct ChromiumTests {
        @Test("H.264 both ways")
        func h264() async throws {
            let server = try await CallServer()
            try await withBrowser(.chromium) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let codecs: [String] = try await browser.evaluate(
                    "return RTCRtpSender.getCapabilities('video').codecs.map((codec) => codec.mimeType)")
                guard codecs.contains("video/H264") else { try Test.cancel("this Chromium has no H.264") }
                let bob = try server.call("alice", as: "bob", ["--codec", "h264", "--json", "--duration", "4s"])
                try await alice.waitForRing()
                try await alice.click("#accept")
                try await alice.waitForState("connected")
                try await alice.seePicture("colour bars") { $0.isSMPTE }
                try await alice.seeMotion()
                #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
                let report = try bob.onlyCall()
                #expect(report.text("video.received.codec") == "H264")
                #expect(report.number("video.received.distinctFrames") ?? 0 > 20)
            }
        }

        @Test("A page without devices, whose candidates hide their addresses, sees and hears")
        func hiddenAddresses() async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"])
            let options = BrowserOptions(allowsDevices: false, hidesAddresses: true)
            try await withBrowser(.chromium, options) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                try await alice.seePicture("colour bars") { $0.isSMPTE }
                try await alice.hearTone(440)
                try await alice.click("#hang-up")
            }
            let report = try await bob.report()
            #expect(report.text("end.reason") == "remoteHangup")
            #expect(report.number("video.received.frames") == 0)
        }
    }
}
