import Foundation
import Testing

extension Peers {
    /// An agent calls a browser.
    @Suite struct BrowserAnswersTests {
        @Test(
            "The browser sends no media before its accept; then both see and hear each other",
            arguments: BrowserKind.allCases)
        func accept(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let bob = try server.call("alice", as: "bob", ["--events", "--duration", "10m"] + Program.tellsMoments)
                try await alice.waitForRing()
                try await alice.until("verified", "window.callagent.call.timeline.dtlsConnected !== undefined")
                try await alice.until("a frame", "window.callagent.call.timeline.firstVideoFrame !== undefined")
                #expect(try await alice.seesAndHearsNothing())
                try await alice.click("#accept")
                try await alice.waitForState("connected")
                try await alice.seeVideo("colour bars") { $0.isSMPTE && $0.width == 640 }
                try await alice.hearTone(440)
                try await bob.receives(frames: 40, secondsOfAudio: 2)
                bob.signal(SIGINT)
                #expect(try await alice.waitForEnd() == "remoteHangup")
                #expect(try await bob.waitForExit() == 130, "\(bob.errors)")
                let report = try await bob.report()
                #expect(report.number("video.received.rtpPacketsBeforeAccept") == 0)
                // The browser reports on the packets of the agent.
                #expect(report.number("transport.availableOutgoingBitrate") ?? 0 > 100_000)
                #expect(report.number("audio.received.rtpPacketsBeforeAccept") == 0)
                #expect(report.number("video.received.distinctFrames") ?? 0 > 20)
                #expect(report.number("audio.received.samples") ?? 0 > 48_000)
                #expect(report.hears(kind.microphoneHertz), "\(report.number("audio.received.toneHz") ?? 0) Hz")
            }
        }

        @Test("The report counts media that a browser sends before its accept", arguments: BrowserKind.allCases)
        func earlyMedia(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await browser.perform("window.callagent.agent.earlyMedia = 'full'")
                let bob = try server.call("alice", as: "bob", ["--events", "--duration", "10m"])
                try await alice.waitForRing()
                try await alice.until("sends", "window.callagent.call.figures?.video.sent.frames > 5")
                try await alice.click("#accept")
                try await alice.waitForState("connected")
                _ = try await bob.event(["event": "stateChanged", "state": "connected"])
                bob.signal(SIGINT)
                #expect(try await bob.waitForExit() == 130, "\(bob.errors)")
                // This shows that the count in the test before this one is correct.
                let report = try await bob.report()
                #expect(report.number("video.received.rtpPacketsBeforeAccept") ?? 0 > 0)
                #expect(report.number("video.received.shownBeforeConnected") == 0)
            }
        }

        /// The agent is controlling here (RFC 8445 section 6.1.1); where the browser calls, the browser is.
        @Test(
            "Either end of a call of the agent looks for another network path, and media continues",
            arguments: BrowserKind.allCases)
        func networkPath(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let bob = try server.call(
                    "alice", as: "bob",
                    ["--events", "--duration", "10m"] + Program.restartsIce)
                try await alice.waitForRing()
                try await alice.click("#accept")
                try await alice.waitForState("connected")
                try await alice.changesPaths(with: bob)
                try await alice.click("#hang-up")
                #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            }
        }

        @Test("The browser plays the agent's DTMF digits as pairs of tones", arguments: BrowserKind.allCases)
        func dtmf(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let digits = String(repeating: "5", count: 60)
                let bob = try server.call(
                    "alice", as: "bob",
                    ["--audio", "silence", "--events", "--duration", "10m"]
                        // 60 digits last 21 s. A busy browser may need longer to hear three of them.
                        + (0..<4).flatMap { ["--at", "\(1 + 21 * $0)s=dtmf:\(digits)"] })
                try await alice.waitForRing()
                try await alice.click("#accept")
                try await alice.waitForState("connected")
                _ = try await bob.event(["event": "action", "action": "dtmf:\(digits)"])
                // 5 is 770 Hz and 1336 Hz; either may be louder. Repeated, since later digits must be played too.
                for round in 1...3 {
                    try await alice.hear("the digit 5, round \(round)") {
                        $0.decibel > -60 && (abs($0.hertz - 770) <= 8 || abs($0.hertz - 1_336) <= 8)
                    }
                }
                try await alice.click("#hang-up")
                #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            }
        }

        @Test("A browser declines a call; a cancel by the caller stops the ringing", arguments: BrowserKind.allCases)
        func decline(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let bob = try server.call("alice", as: "bob")
                try await alice.waitForRing()
                try await alice.click("#decline")
                #expect(try await bob.waitForExit() == 4)
                #expect(bob.errors.contains("remoteRejected (603)"), "\(bob.errors)")
                let carol = try server.call("alice", as: "carol")
                try await alice.waitForRing()
                carol.signal(SIGINT)
                #expect(try await alice.waitForEnd() == "remoteCancelled")
                try await alice.until("rings no more", "!document.getElementById('incoming').open")
                try await carol.waitForExit()
            }
        }

        @Test(
            "A browser without a camera still sees; the agent is notified that no video will arrive",
            arguments: BrowserKind.allCases)
        func audioOnly(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let bob = try server.call("alice", as: "bob", ["--events", "--duration", "10m"] + Program.tellsMoments)
                try await alice.waitForRing()
                try await alice.click("#accept-audio")
                try await alice.waitForState("connected")
                try await alice.seeVideo("colour bars") { $0.isSMPTE }
                try await bob.receives(frames: 0, secondsOfAudio: 1)
                bob.signal(SIGINT)
                #expect(try await bob.waitForExit() == 130, "\(bob.errors)")
                let report = try await bob.report()
                #expect(report.number("video.received.framesDecoded") == 0)
                #expect(report.number("audio.received.samples") ?? 0 > 24_000)
            }
        }

        @Test(
            "An agent adds video to an audio call: a new peer connection replaces the old one",
            arguments: BrowserKind.allCases)
        func addVideo(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let bob = try server.call(
                    "alice", as: "bob", ["--audio-only", "--events", "--duration", "10m", "--at", "500ms=add-video"])
                try await alice.waitForRing()
                try await alice.click("#accept")
                try await alice.waitForState("connected")
                _ = try await bob.event(["event": "mediaChanged"])
                try await alice.seeVideo("colour bars") { $0.isSMPTE }
                try await alice.seeMotion()
                try await alice.hearTone(440)
                // The browser's user has not turned the camera on yet and does so now.
                try await alice.click("#video")
                try await alice.until("its video is sent", "window.callagent.call.figures.video.sent.frames > 10")
                bob.signal(SIGINT)
                #expect(try await alice.waitForEnd() == "remoteHangup")
                #expect(try await bob.waitForExit() == 130)
                #expect(try await bob.report().number("video.received.distinctFrames") ?? 0 > 5)
            }
        }

        @Test("Neither end reports a held audio call as lost", arguments: BrowserKind.allCases)
        func heldAudio(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                // Hold for longer than the silence that counts as an interruption, and than a browser's pauses between RTCP packets.
                let bob = try server.call(
                    "alice", as: "bob",
                    ["--audio-only", "--events", "--duration", "10m", "--at", "200ms=hold", "--at", "9s=unhold"])
                try await alice.waitForRing()
                try await browser.perform(
                    """
                    window.states = [];
                    window.callagent.call.addEventListener('state', ({ detail }) => window.states.push(detail.state));
                    """)
                try await alice.click("#accept")
                try await alice.until("held", "window.callagent.call.hold === 'remotelyHeld'")
                try await alice.until("taken up", "window.callagent.call.hold === 'none'")
                try await alice.hearTone(440)
                let states: [String] = try await browser.evaluate("return window.states")
                #expect(!states.contains("reconnecting"))
                #expect(bob.count(of: ["event": "stateChanged", "state": "reconnecting"]) == 0)
                bob.signal(SIGINT)
                #expect(try await alice.waitForEnd() == "remoteHangup")
            }
        }

        @Test("The agent's hold, video stop and mute take effect in the browser", arguments: BrowserKind.allCases)
        func hold(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let bob = try server.call(
                    "alice", as: "bob",
                    [
                        "--events", "--duration", "10m", "--at", "1s=hold", "--at", "5s=unhold",
                        "--at", "5500ms=stop-video", "--at", "8500ms=start-video",
                        "--at", "9500ms=mute-video", "--at", "9500ms=mute-audio",
                    ])
                try await alice.waitForRing()
                try await alice.click("#accept")
                try await alice.waitForState("connected")
                try await alice.until("held", "window.callagent.call.hold === 'remotelyHeld'")
                #expect(try await alice.seesAndHearsNothing())
                try await alice.receivesNothing()
                try await alice.until("taken up", "window.callagent.call.hold === 'none'")
                try await alice.until("no video comes", "window.callagent.call.peerSends.video === 'off'")
                let stopped = try await alice.receives()
                #expect(stopped.frames == 0 && stopped.samples > 24_000, "\(stopped)")
                try await alice.until("video comes again", "window.callagent.call.peerSends.video === 'on'")
                #expect(try await alice.receives().frames > 5)
                try await alice.until("muted", "window.callagent.call.peerSends.audio === 'muted'")
                try await alice.seeVideo("black") { $0.isBlack }
                try await alice.hearSilence()
                // RTCP continued during the hold, so neither end reported the other as lost.
                #expect(bob.count(of: ["event": "stateChanged", "state": "reconnecting"]) == 0)
                bob.signal(SIGINT)
                #expect(try await alice.waitForEnd() == "remoteHangup")
            }
        }
    }
}
