import Foundation
import Testing

extension Peers {
    /// What only Chromium has.
    @Suite struct ChromiumTests {
        @Test("H.264 both ways, whoever calls")
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
                try await alice.seePicture("colour bars") { $0.isSMPTE }
                try await alice.seeMotion()
                try await bob.receives(pictures: 40, secondsOfSound: 0)
                bob.signal(SIGINT)
                #expect(try await bob.waitForExit() == 130, "\(bob.errors)")
                let report = try await bob.report()
                #expect(report.text("video.received.codec") == "H264")
                #expect(report.number("video.received.distinctFrames") ?? 0 > 20)
                // The browser's offer names others first.
                let carol = try await server.listen(
                    "carol", ["--codec", "h264", "--answer", "0s"] + Program.tellsMoments)
                try await alice.call("carol")
                try await alice.waitForState("connected")
                try await alice.seePicture("colour bars") { $0.isSMPTE }
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

        @Test("A server with tokens lets the page in with one, and has no directory")
        func tokens() async throws {
            let folder = NSTemporaryDirectory() + "callagent-peers-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let key = folder + "/key"
            try "a secret of more than thirty-two bytes, for tests\n".write(
                toFile: key, atomically: true, encoding: .utf8)
            func token(_ user: String) async throws -> String {
                let program = try Program(["token", "--key-file", key, "--user", user, "--lifetime", "10m"])
                #expect(try await program.waitForExit() == 0, "\(program.errors)")
                return program.output.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            let server = try await CallServer(["--token-key-file", key])
            try await token("bob").write(toFile: folder + "/bob", atomically: true, encoding: .utf8)
            let bob = try await server.listen("bob", ["--answer", "0s", "--token-file", folder + "/bob"])
            try await withBrowser(.chromium) { browser in
                _ = try await PageUser(browser, server, as: "alice")
                let alice = try await PageUser(browser, server, as: "alice", token: try await token("alice"))
                try await alice.callByName("bob")
                try await alice.waitForState("connected")
                try await alice.seeMotion()
                try await alice.click("#hang-up")
                // Whom this user talked to is watched from then on.
                try await alice.until("bob is there", "document.querySelector('li[data-user=bob][data-online=true]')")
            }
            #expect(try await bob.report().text("end.reason") == "remoteHangup")
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
                let candidate: String = try await browser.evaluate(
                    "return window.callagent.call.figures.localCandidate")
                #expect(candidate.hasSuffix(".local") || !candidate.contains("."), "\(candidate)")
                try await alice.click("#hang-up")
            }
            let report = try await bob.report()
            #expect(report.text("end.reason") == "remoteHangup")
            #expect(report.number("video.received.frames") == 0)
        }
    }
}
