import Foundation
import Testing

extension Peers {
    /// Camera, microphone and screen: denied, chosen and exchanged.
    @Suite struct PageDevicesTests {
        @Test("A caller without devices sees and hears", arguments: BrowserKind.allCases)
        func deniedToCaller(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"] + Program.tellsMoments)
            // A Firefox that hides its addresses makes no candidate pair with a peer on 127.0.0.1.
            let options = BrowserOptions(allowsDevices: false, hidesAddresses: kind == .chromium)
            try await withBrowser(kind, options) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.until("what to do", "\(notices).includes('Allow it in the address bar')")
                try await alice.waitForState("connected")
                try await alice.seeVideo("colour bars") { $0.isSMPTE }
                try await alice.hearTone(440)
                if options.hidesAddresses {
                    let candidate: String = try await browser.evaluate(
                        "return window.callagent.call.figures.localCandidate")
                    #expect(candidate.hasSuffix(".local") || !candidate.contains("."), "\(candidate)")
                }
                try await seesWhatIsDenied(alice)
                try await bob.perceives(.nothing)
                try await alice.click("#hang-up")
            }
            let report = try await bob.report()
            #expect(report.text("end.reason") == "remoteHangup")
            #expect(report.number("video.received.framesDecoded") == 0)
        }

        @Test("A callee without devices sees and hears", arguments: BrowserKind.allCases)
        func deniedToCallee(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind, BrowserOptions(allowsDevices: false)) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let bob = try server.call("alice", as: "bob", ["--events", "--duration", "10m"] + Program.tellsMoments)
                try await alice.waitForRing()
                try await alice.click("#accept")
                try await alice.until("what to do", "\(notices).includes('Allow it in the address bar')")
                try await alice.waitForState("connected")
                try await alice.seeVideo("colour bars") { $0.isSMPTE }
                try await alice.hearTone(440)
                try await seesWhatIsDenied(alice)
                try await bob.perceives(.nothing)
                // A device that is denied again is told again.
                try await alice.click("#video")
                try await alice.until("what to do", "\(notices).includes('Allow it in the address bar')")
                try await seesWhatIsDenied(alice)
                bob.signal(SIGINT)
                #expect(try await alice.waitForEnd() == "remoteHangup")
                #expect(try await bob.report().number("video.received.framesDecoded") == 0)
            }
        }

        @Test("Another camera or microphone replaces the one of a call", arguments: BrowserKind.allCases)
        func choice(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"] + Program.tellsMoments)
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                try await bob.perceives(.everything)
                for (select, medium) in [("camera", "video"), ("microphone", "audio")] {
                    // Besides "Default", Firefox has one fake device of each kind, and Chromium three microphones.
                    try await alice.until("devices", "document.querySelectorAll('#\(select) option').length >= 2")
                    let former: String = try await browser.evaluate("return \(track(medium)).id")
                    try await browser.perform(
                        """
                        const select = document.getElementById('\(select)');
                        select.selectedIndex = select.options.length - 1;
                        select.dispatchEvent(new Event('change'));
                        """)
                    try await alice.until(
                        "another \(select)",
                        """
                        \(track(medium)) && \(track(medium)).id !== '\(former)'
                          && \(track(medium)).getSettings().deviceId === document.getElementById('\(select)').value
                        """)
                    try await bob.perceives(.everything)
                }
                try await alice.click("#hang-up")
                try await alice.until("the devices are closed", "!\(track("video")) && !\(track("audio"))")
            }
            let report = try await bob.report()
            #expect(report.hears(kind.microphoneHertz), "\(report.number("audio.received.toneHz") ?? 0) Hz")
        }

        @Test("The screen takes the place of the camera, and gives it back", arguments: BrowserKind.allCases)
        func screen(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"] + Program.tellsMoments)
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                try await bob.perceives(.everything)
                if kind == .firefox {
                    // A Firefox without a window finds no screen to capture. It says so, and a drawing stands for the screen.
                    try await press(alice)
                    try await alice.until("the failure", "\(notices).includes('The screen is not shared')")
                    try await bob.perceives(.everything)
                    try await drawScreen(browser)
                }
                let camera: String = try await browser.evaluate("return \(track("video")).id")
                try await press(alice)
                try await alice.until(
                    "the screen",
                    "document.getElementById('share-screen').textContent === 'Stop sharing'")
                #expect(try await browser.evaluate("return \(track("video")).id") != camera)
                if kind == .chromium {
                    #expect(
                        try await browser.evaluate("return Boolean(\(track("video")).getSettings().displaySurface)"))
                }
                try await press(alice)
                try await alice.until("the camera again", "\(track("video"))?.getSettings().deviceId")
                try await bob.perceives(.everything)

                // Without a camera to go back to, the end of the sharing ends the video.
                try await press(alice)
                try await alice.until("the screen again", "window.callagent.agent.local.isSharing")
                try await browser.perform(
                    """
                    window.navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('gone', 'NotFoundError'));
                    """)
                try await press(alice)
                try await alice.until("no video", "window.callagent.call.sends.video === 'off'")
                try await alice.until("what to do", "\(remarks).includes('There is no camera')")
                try await bob.perceives(.audioOnly)
                try await alice.click("#hang-up")
                try await alice.until("the devices are closed", "!\(track("video")) && !\(track("audio"))")
            }
        }

        private let notices = "document.getElementById('notices').textContent"
        private let remarks = "document.getElementById('remarks').textContent"

        private func track(_ medium: String) -> String { "window.callagent.agent.local.track('\(medium)')" }

        /// What to do about the denied devices stays on the stage after the notices have gone.
        private func seesWhatIsDenied(_ user: PageUser) async throws {
            try await user.until("no notice", "\(notices) === ''")
            for device in ["camera", "microphone"] {
                try await user.until(
                    "the \(device)",
                    "\(remarks).includes('The browser may not use the \(device). Allow it in the address bar')")
            }
        }

        /// A click by the mouse: browsers share a screen for nothing less.
        private func press(_ user: PageUser) async throws {
            try await user.browser.perform(
                "document.getElementById('share-screen').scrollIntoView({ block: 'center' })")
            try await user.press("#share-screen")
        }

        private func drawScreen(_ browser: any Browser) async throws {
            try await browser.perform(
                """
                const canvas = document.createElement('canvas');
                const context = canvas.getContext('2d');
                setInterval(() => {
                  context.fillStyle = `hsl(${Math.random()} 50% 50%)`;
                  context.fillRect(0, 0, canvas.width, canvas.height);
                }, 50);
                window.navigator.mediaDevices.getDisplayMedia = () => Promise.resolve(canvas.captureStream());
                """)
        }
    }
}
