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

        @Test("On a server with tokens the page signs in with a token and has no directory")
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
                try await alice.until("no directory", "!document.getElementById('no-directory').hidden")
                try await alice.callByName("bob")
                try await alice.waitForState("connected")
                try await alice.seeMotion()
                try await alice.click("#hang-up")
                // After a call the page watches the peer's presence.
                try await alice.until("bob is there", "document.querySelector('li[data-user=bob][data-online=true]')")
            }
            #expect(try await bob.report().text("end.reason") == "remoteHangup")
        }

        @Test(
            "Another camera and the screen replace the camera during a call, and a phone in landscape keeps the controls"
        )
        func devices() async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"] + Program.tellsMoments)
            try await withBrowser(.chromium) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                try await bob.perceives(.everything)
                let track = "window.callagent.agent.local.track('video')"
                let first: String = try await browser.evaluate("return \(track).id")
                try await alice.until("cameras", "document.querySelectorAll('#camera option').length >= 2")
                try await browser.perform(
                    """
                    const select = document.getElementById('camera');
                    select.selectedIndex = select.options.length - 1;
                    select.dispatchEvent(new Event('change'));
                    """)
                try await alice.until("another camera", "\(track) && \(track).id !== '\(first)'")
                try await bob.perceives(.everything)
                try await browser.perform("document.getElementById('share-screen').scrollIntoView({ block: 'center' })")
                try await alice.press("#share-screen")
                try await alice.until("the screen", "\(track)?.getSettings().displaySurface")
                try await alice.until(
                    "says so", "document.getElementById('share-screen').textContent === 'Stop sharing'")
                try await alice.press("#share-screen")
                try await alice.until("the camera again", "\(track) && !\(track).getSettings().displaySurface")
                try await bob.perceives(.everything)

                // Without a camera to go back to, the end of the sharing ends the video.
                try await browser.perform("document.getElementById('share-screen').scrollIntoView({ block: 'center' })")
                try await alice.press("#share-screen")
                try await alice.until("the screen", "\(track)?.getSettings().displaySurface")
                try await browser.perform(
                    "navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('gone', 'NotFoundError'))"
                )
                try await alice.press("#share-screen")
                try await alice.until("no video", "window.callagent.call.sends.video === 'off'")
                try await bob.perceives(.audioOnly)

                try await browser.resize(width: 844, height: 390)
                try await browser.perform("scrollTo(0, 0)")
                try await alice.until(
                    "the controls",
                    """
                    innerHeight === 390 && Array.from(document.querySelectorAll('#stage .tools button')).every((button) => {
                      const { left, right, top, bottom } = button.getBoundingClientRect();
                      return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
                    })
                    """)
                try await alice.click("#hang-up")
                try await alice.until("the camera is closed", "!\(track)")
            }
        }

        @Test("A page without devices and with hidden addresses sees and hears the agent")
        func hiddenAddresses() async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"])
            let options = BrowserOptions(allowsDevices: false, hidesAddresses: true)
            try await withBrowser(.chromium, options) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.until(
                    "what to do",
                    "document.getElementById('notices').textContent.includes('Allow it in the address bar')")
                try await alice.waitForState("connected")
                try await alice.seeVideo("colour bars") { $0.isSMPTE }
                try await alice.hearTone(440)
                let candidate: String = try await browser.evaluate(
                    "return window.callagent.call.figures.localCandidate")
                #expect(candidate.hasSuffix(".local") || !candidate.contains("."), "\(candidate)")
                try await alice.click("#hang-up")
            }
            let report = try await bob.report()
            #expect(report.text("end.reason") == "remoteHangup")
            #expect(report.number("video.received.framesDecoded") == 0)
        }
    }
}
