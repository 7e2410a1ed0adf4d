import Foundation
import Testing

extension Peers {
    /// "Call again" asks for the media that this user asked for or sent, and not for what the peer added.
    @Suite struct PageCallAgainTests {
        @Test("A camera stays closed if only the peer added video to the call before", arguments: BrowserKind.allCases)
        func peerAddsVideo(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s", "--at", "1s=add-video"] + Program.tellsMoments)
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await countCameras(browser)
                try await alice.call("bob", video: false)
                for round in 1...2 {
                    try await alice.waitForState("connected")
                    try await alice.until("video of the peer in call \(round)", "window.callagent.call.media.video")
                    try await alice.seeMotion()
                    try await bob.perceives(.audioOnly)
                    try await alice.click("#hang-up")
                    try await eventually("report \(round)") { reports(bob).count == round }
                    if round == 1 { try await alice.click("#call-again") }
                }
                #expect(reports(bob).allSatisfy { $0.number("video.received.framesDecoded") ?? 0 == 0 })
                #expect(try await browser.evaluate("return window.cameras") == 0)
                // The count can be another one.
                try await alice.call("bob")
                try await alice.until("a camera", "window.cameras > 0")
            }
        }

        @Test(
            "A call that was accepted with audio only is repeated with audio only, until the user adds video",
            arguments: BrowserKind.allCases)
        func ownChoice(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await countCameras(browser)
                let caller = try server.call("alice", as: "bob", ["--duration", "10m"])
                try await alice.waitForRing()
                try await alice.click("#accept-audio")
                try await alice.waitForState("connected")
                try await alice.seeMotion()
                caller.signal(SIGINT)
                #expect(try await alice.waitForEnd() == "remoteHangup")
                try await caller.waitForExit()

                let bob = try await server.listen("bob", ["--answer", "0s"] + Program.tellsMoments)
                try await alice.click("#call-again")
                try await alice.waitForState("connected")
                #expect(try await browser.evaluate("return !window.callagent.call.media.video && window.cameras === 0"))
                try await bob.perceives(.audioOnly)
                try await alice.until("video can be added", "!document.getElementById('video').disabled")
                try await alice.click("#video")
                try await bob.perceives(.everything)
                try await alice.click("#hang-up")
                try await eventually("the report") { reports(bob).count == 1 }
                try await alice.click("#call-again")
                try await alice.waitForState("connected")
                try await bob.perceives(.everything)
                try await alice.click("#hang-up")
            }
        }

        /// Counts how often the page asks the browser for a camera.
        private func countCameras(_ browser: any Browser) async throws {
            try await browser.perform(
                """
                const { mediaDevices } = window.navigator;
                const ask = mediaDevices.getUserMedia.bind(mediaDevices);
                window.cameras = 0;
                mediaDevices.getUserMedia = (constraints) => {
                  if (constraints.video) window.cameras += 1;
                  return ask(constraints);
                };
                """)
        }

        private func reports(_ program: Program) -> [Report] {
            program.events.compactMap { ($0["report"] as? [String: Any]).map(Report.init) }
        }
    }
}
