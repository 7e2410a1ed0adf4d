import Foundation
import Testing

extension Peers {
    /// A browser calls an agent.
    @Suite struct BrowserCallsTests {
        @Test(
            "A browser and an agent see and hear each other; the browser shows nothing before the accept",
            arguments: BrowserKind.allCases)
        func call(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "4s"])
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("ringing")
                // The media is ready while the call rings, and none of it is shown.
                try await alice.until("verified", "window.callagent.call.timeline.dtlsConnected !== undefined")
                #expect(try await alice.seesAndHearsNothing(orIsNot: "ringing"))
                try await alice.waitForState("connected")
                try await alice.seeVideo("colour bars") { $0.isSMPTE && $0.width == 640 }
                try await alice.seeMotion()
                try await alice.hearTone(440)
                try await alice.click("#hang-up")
                #expect(try await alice.waitForEnd() == "localHangup")
            }
            let report = try await bob.report()
            #expect(report.text("end.reason") == "remoteHangup")
            #expect(report.text("video.received.codec") == "VP8" && report.text("audio.received.codec") == "OPUS")
            #expect(report.number("video.received.distinctFrames") ?? 0 > 10)
            #expect(report.number("video.received.shownBeforeConnected") == 0)
            #expect(report.number("audio.received.heardBeforeConnected") == 0)
            #expect(report.number("audio.received.samples") ?? 0 > 24_000)
            #expect(report.hears(kind.microphoneHertz), "\(report.number("audio.received.toneHz") ?? 0) Hz")
        }

        @Test("A browser calls an agent with audio only", arguments: BrowserKind.allCases)
        func audio(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"])
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob", video: false)
                try await alice.waitForState("connected")
                try await alice.hearTone(440)
                try await alice.click("#hang-up")
                #expect(try await alice.waitForEnd() == "localHangup")
            }
            let report = try await bob.report()
            #expect(report.number("video.received.framesDecoded") == nil)
            #expect(report.number("audio.received.samples") ?? 0 > 24_000)
            #expect(report.hears(kind.microphoneHertz), "\(report.number("audio.received.toneHz") ?? 0) Hz")
        }

        @Test(
            "Mute, video stop, hold and DTMF digits work in both directions",
            arguments: BrowserKind.allCases)
        func controls(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"] + Program.tellsMoments)
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                try await alice.hearTone(440)
                try await bob.perceives(.everything)
                try await alice.click("#mute")
                try await eventually("muted") { sends(bob)?["audio"] as? String == "muted" }
                try await bob.perceives(.videoOnly)
                try await alice.click("#video")
                try await eventually("no video") { sends(bob)?["video"] as? String == "off" }
                try await alice.until("the camera is let go", "!window.callagent.agent.local.track('video')")
                try await alice.click("#mute")
                try await bob.perceives(.audioOnly)
                try await alice.click("#video")
                try await eventually("everything again") {
                    sends(bob)?["video"] as? String == "on" && sends(bob)?["audio"] as? String == "on"
                }
                try await bob.perceives(.everything)
                try await alice.until("the keypad can be used", "!document.getElementById('dtmf').disabled")
                try await alice.click("#dtmf")
                try await alice.click("#keypad [data-digit='5']")
                _ = try await bob.event(["event": "dtmf", "digit": "5"])
                try await alice.click("#hold")
                _ = try await bob.event(["event": "holdChanged", "hold": "remotelyHeld"])
                #expect(try await alice.seesAndHearsNothing())
                try await bob.perceives(.nothing)
                try await alice.receivesNothing()
                try await alice.click("#hold")
                _ = try await bob.event(["event": "holdChanged", "hold": "none"])
                try await bob.perceives(.everything)
                try await alice.seeMotion()
                try await alice.hearTone(440)
                #expect(bob.count(of: ["event": "stateChanged", "state": "reconnecting"]) == 0)
                try await alice.click("#sign-out")
            }
            let report = try await bob.report()
            #expect(report.text("end.reason") == "remoteHangup")
            // The page sends silence while a call is held, which is not nothing.
            for figure in [
                "video.received.framesWhileMuted", "audio.received.audibleMsWhileMuted",
                "video.received.rtpPacketsWhileOff", "audio.received.rtpPacketsWhileOff",
                "video.received.rtpPacketsWhileHeld",
            ] {
                #expect(report.number(figure) == 0, "\(figure): \(report.number(figure) ?? -1)")
            }
        }

        @Test("Either end looks for another network path, and media continues", arguments: BrowserKind.allCases)
        func networkPath(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen(
                "bob", ["--answer", "0s"] + Program.restartsIce)
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                try await bob.perceives(.everything)
                try await alice.changesPaths(with: bob)
                try await alice.click("#hang-up")
            }
        }

        @Test("A call for which Firefox finds no network path does not blame the encryption")
        func noPath() async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"])
            // A Firefox that hides its addresses makes no candidate pair with a peer on 127.0.0.1; a Chromium does.
            try await withBrowser(.firefox, BrowserOptions(allowsDevices: false, hidesAddresses: true)) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                #expect(try await alice.waitForEnd() == "mediaFailed")
                #expect(try await browser.evaluate("return window.callagent.call.end.text") == "ICE found no way")
            }
            #expect(try await bob.report().text("end.reason") == "remoteFailed")
        }

        @Test("A certificate with another fingerprint ends the call", arguments: BrowserKind.allCases)
        func wrongFingerprint(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"])
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await browser.perform(
                    """
                    const { prototype } = window.RTCPeerConnection;
                    const set = prototype.setRemoteDescription;
                    prototype.setRemoteDescription = function ({ type, sdp }) {
                      const change = (_, name, byte) => name + (byte === '00' ? '11' : '00');
                      return set.call(this, { type, sdp: sdp.replace(/(fingerprint:sha-256 )(..)/gi, change) });
                    };
                    """)
                try await alice.call("bob")
                // The peer gets the alert of DTLS, and its word may arrive first.
                #expect(try await ["securityFailed", "remoteFailed"].contains(alice.waitForEnd()))
                #expect(try await alice.seesAndHearsNothing())
            }
            let report = try await bob.report()
            #expect(report.number("video.received.framesDecoded") ?? 0 == 0)
        }

        /// The browser's media state that the agent received last.
        private func sends(_ program: Program) -> [String: Any]? {
            program.events.last { $0["event"] as? String == "peerMediaChanged" }?["peerSends"] as? [String: Any]
        }

        @Test("Leaving the page ends the call", arguments: BrowserKind.allCases)
        func leaves(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"])
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                try await browser.open("about:blank")
                // Firefox closes the connection before the page can send a message.
                let reason = try await bob.report().text("end.reason")
                #expect(reason == "remoteHangup" || reason == "remoteLost")
            }
        }

        @Test("A call survives a restart of its signaling server and can be hung up", arguments: BrowserKind.allCases)
        func serverRestarts(kind: BrowserKind) async throws {
            var server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"])
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                server = try await server.restarted()
                try await alice.until("signed in again", "document.getElementById('who').dataset.link === 'up'")
                _ = try await bob.event(["event": "signalingRestored"])
                try await alice.seeMotion()
                #expect(try await alice.state() == "connected")
                try await alice.click("#hang-up")
                #expect(try await bob.report().text("end.reason") == "remoteHangup")
            }
        }

        @Test("The browser ends the call within seconds after the agent is killed", arguments: BrowserKind.allCases)
        func killed(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"])
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                bob.signal(SIGKILL)
                #expect(try await alice.waitForEnd(within: .seconds(10)) == "remoteLost")
            }
        }
    }
}
