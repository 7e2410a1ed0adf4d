import Foundation
import Testing

extension Peers {
    /// An agent calls a browser.
    @Suite struct BrowserAnswersTests {
        @Test(
            "Nothing of the browser leaves before it accepts; then both see and hear each other",
            arguments: BrowserKind.allCases)
        func accept(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let bob = try server.call("alice", as: "bob", ["--events", "--duration", "10m"] + Program.tellsMoments)
                try await alice.waitForRing()
                try await alice.until("verified", "window.callagent.call.timeline.dtlsConnected !== undefined")
                try await alice.until("a picture", "window.callagent.call.timeline.firstVideoFrame !== undefined")
                #expect(try await alice.seesAndHearsNothing())
                try await alice.click("#accept")
                try await alice.waitForState("connected")
                try await alice.seePicture("colour bars") { $0.isSMPTE && $0.width == 640 }
                try await alice.hearTone(440)
                try await bob.receives(pictures: 40, secondsOfSound: 2)
                bob.signal(SIGINT)
                #expect(try await alice.waitForEnd() == "remoteHangup")
                #expect(try await bob.waitForExit() == 130, "\(bob.errors)")
                let report = try await bob.report()
                #expect(report.number("video.received.rtpPacketsBeforeAccept") == 0)
                #expect(report.number("audio.received.rtpPacketsBeforeAccept") == 0)
                #expect(report.number("video.received.distinctFrames") ?? 0 > 20)
                #expect(report.number("audio.received.samples") ?? 0 > 48_000)
                #expect(report.hears(kind.microphoneHertz), "\(report.number("audio.received.toneHz") ?? 0) Hz")
            }
        }

        @Test("A browser whose policy lets media out while it rings is found out", arguments: BrowserKind.allCases)
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
                // So what the test before this one counts is what there is to count.
                let report = try await bob.report()
                #expect(report.number("video.received.rtpPacketsBeforeAccept") ?? 0 > 0)
                #expect(report.number("video.received.shownBeforeConnected") == 0)
            }
        }

        @Test("Keys that the agent presses are played as their pair of tones", arguments: BrowserKind.allCases)
        func keys(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let keys = String(repeating: "5", count: 60)
                let bob = try server.call(
                    "alice", as: "bob",
                    ["--audio", "silence", "--events", "--duration", "30s", "--at", "1s=dtmf:\(keys)"])
                try await alice.waitForRing()
                try await alice.click("#accept")
                try await alice.waitForState("connected")
                _ = try await bob.event(["event": "action", "action": "dtmf:\(keys)"])
                // 5 is 770 Hz and 1336 Hz; whichever is louder.
                try await alice.hear("the key 5") {
                    $0.decibel > -60 && (abs($0.hertz - 770) <= 8 || abs($0.hertz - 1_336) <= 8)
                }
                try await alice.click("#hang-up")
                #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            }
        }

        @Test("A browser declines; a caller that gives up stops the ringing", arguments: BrowserKind.allCases)
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
            "Without its camera the browser still sees; the agent is told that no picture comes",
            arguments: BrowserKind.allCases)
        func soundOnly(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let bob = try server.call("alice", as: "bob", ["--events", "--duration", "10m"] + Program.tellsMoments)
                try await alice.waitForRing()
                try await alice.click("#accept-audio")
                try await alice.waitForState("connected")
                try await alice.seePicture("colour bars") { $0.isSMPTE }
                try await bob.receives(pictures: 0, secondsOfSound: 1)
                bob.signal(SIGINT)
                #expect(try await bob.waitForExit() == 130, "\(bob.errors)")
                let report = try await bob.report()
                #expect(report.number("video.received.frames") == 0)
                #expect(report.number("audio.received.samples") ?? 0 > 24_000)
            }
        }

        @Test(
            "An agent adds pictures to a call of sound: another peer connection takes over",
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
                try await alice.seePicture("colour bars") { $0.isSMPTE }
                try await alice.seeMotion()
                try await alice.hearTone(440)
                // The browser's user has not agreed to be seen yet, and does so now.
                try await alice.click("#video")
                try await alice.until("its picture is sent", "window.callagent.call.figures.video.sent.frames > 10")
                bob.signal(SIGINT)
                #expect(try await alice.waitForEnd() == "remoteHangup")
                #expect(try await bob.waitForExit() == 130)
                #expect(try await bob.report().number("video.received.distinctFrames") ?? 0 > 5)
            }
        }

        @Test("A held call of sound is not taken for lost by either end", arguments: BrowserKind.allCases)
        func heldSound(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                // Held for longer than the silence that counts as one, and than a browser's pauses between RTCP packets.
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

        @Test("The agent's hold, stop and mute are seen and heard", arguments: BrowserKind.allCases)
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
                try await alice.until("no picture comes", "window.callagent.call.peerSends.video === 'off'")
                let stopped = try await alice.receives()
                #expect(stopped.pictures == 0 && stopped.samples > 24_000, "\(stopped)")
                try await alice.until("pictures come again", "window.callagent.call.peerSends.video === 'on'")
                #expect(try await alice.receives().pictures > 5)
                try await alice.until("muted", "window.callagent.call.peerSends.audio === 'muted'")
                try await alice.seePicture("black") { $0.isBlack }
                try await alice.hearSilence()
                // While it was held RTCP went on, so that neither end took the other for lost.
                #expect(bob.count(of: ["event": "stateChanged", "state": "reconnecting"]) == 0)
                bob.signal(SIGINT)
                #expect(try await alice.waitForEnd() == "remoteHangup")
            }
        }
    }
}
