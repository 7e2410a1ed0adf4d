import Foundation
import Testing

extension Peers {
    /// More than one video in a call with a browser.
    @Suite struct SeveralVideosTests {
        private static let other = "#additional-videos > video"

        @Test(
            "The page shows a second video of an agent, and hides it with the first one",
            arguments: BrowserKind.allCases)
        func shown(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let bob = try server.call(
                    "alice", as: "bob",
                    [
                        "--events", "--duration", "10m", "--video", "test:ball", "--additional-video", "test:smpte",
                        "--at", "6s=mute-video", "--network", "loss=5%",
                    ])
                try await alice.waitForRing()
                #expect(try await browser.evaluate("return document.querySelector('\(Self.other)') === null"))
                try await alice.click("#accept")
                try await alice.waitForState("connected")
                try await alice.seeVideo("colour bars", at: Self.other) { $0.isSMPTE && $0.width == 640 }
                try await alice.seeMotion(at: Self.other)
                try await alice.seeMotion()
                try await alice.seeVideo("black") { $0.isBlack }
                try await alice.seeVideo("black", at: Self.other) { $0.isBlack }
                bob.signal(SIGINT)
                #expect(try await alice.waitForEnd() == "remoteHangup")
                let report = try await bob.report()
                #expect(report.number("video2.sent.framesSent") ?? 0 > 40)
                #expect(report.number("video.sent.retransmittedPacketsSent") ?? 0 > 0)
            }
        }

        @Test(
            "A browser that names no streams sends two videos: the mid of the packets tells them apart",
            arguments: BrowserKind.allCases)
        func received(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"])
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await browser.perform(Self.secondVideo)
                try await alice.call("bob")
                try await alice.waitForState("connected")
                try await alice.seeMotion()
                try await alice.until("many frames", "window.callagent.call.figures?.video.sent.frames > 150")
                try await alice.click("#hang-up")
                #expect(try await alice.waitForEnd() == "localHangup")
            }
            let report = try await bob.report()
            #expect(report.number("video2.received.frameWidth") == 96)
            #expect(report.number("video2.received.distinctFrames") ?? 0 > 20)
            #expect(report.number("video.received.frameWidth") != 96)
            #expect(report.number("video.received.distinctFrames") ?? 0 > 20)
            #expect(report.hears(kind.microphoneHertz), "\(report.number("audio.received.toneHz") ?? 0) Hz")
        }

        /// Adds a drawing that moves to the offer, and removes the names of all streams from what the agent gets.
        private static let secondVideo = """
            const canvas = document.createElement('canvas');
            [canvas.width, canvas.height] = [96, 64];
            const context = canvas.getContext('2d');
            let turn = 0;
            setInterval(() => {
              context.fillStyle = turn++ % 2 ? '#c00' : '#0c0';
              context.fillRect(0, 0, 96, 64);
              context.fillStyle = '#fff';
              context.fillRect(turn % 80, 8, 16, 48);
            }, 66);
            const track = canvas.captureStream(15).getVideoTracks()[0];
            const { createOffer, setLocalDescription } = RTCPeerConnection.prototype;
            let original;
            RTCPeerConnection.prototype.createOffer = async function (...options) {
              this.addTransceiver(track, { direction: 'sendonly' });
              original = await createOffer.apply(this, options);
              return { type: 'offer', sdp: original.sdp.replace(/a=ssrc.*\\r\\n/g, '') };
            };
            RTCPeerConnection.prototype.setLocalDescription = function (description) {
              return setLocalDescription.call(this, description?.type === 'offer' ? original : description);
            };
            """
    }
}
