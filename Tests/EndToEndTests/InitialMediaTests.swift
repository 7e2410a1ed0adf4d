import Foundation
import MediaEngine
import Testing

@testable import CallAgent

extension EndToEnd {
    /// The initial media of calls, checked by what the other end decodes.
    @Suite struct InitialMediaTests {
        @Test("A callee that starts muted sends black frames and silence from the start, and its camera is open")
        func muted() async throws {
            let (server, alice, bob) = try await stations()
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            try await theirs.call.accept(audio: .muted, video: .muted)
            try await mine.reaches(.connected)
            let (heard, seen) = (try await alice.look(.audio), try await alice.look(.video))
            try await eventually("black frames") { seen.blackRun >= 20 }
            try await eventually("silence") { heard.silentRun >= 50 }
            #expect(seen.wasBlankAlways && heard.wasBlankAlways)
            #expect(await mine.call.peerSends == .init(audio: .muted, video: .muted))
            await theirs.call.setVideo(.on)
            await theirs.call.setAudio(.on)
            try await mine.seesAndHears(bob.mark)
            try await close(mine, alice, bob, server)
        }

        @Test("A caller without video and a callee without playback connect by the remaining media")
        func off() async throws {
            let (server, alice, bob) = try await stations()
            let call = try await alice.agent.call("bob", sends: MediaState(video: .off))
            let mine = FollowedCall(call)
            let theirs = try await bob.ring()
            try await theirs.call.accept(output: false)
            for call in [mine, theirs] { try await call.reaches(.connected) }
            try await mine.seesAndHears(bob.mark)
            // The audio is decoded and not played.
            let heard = try await bob.look(.audio)
            let buffers = heard.buffers
            try await eventually("audio") { heard.buffers > buffers + 50 }
            var received = try #require(await theirs.call.report().statistics.audio).received
            #expect(received.shown == 0)
            #expect(await theirs.call.report().statistics.video?.received.decoded ?? 0 == 0)
            await theirs.call.setOutput(true)
            try await theirs.hears(alice.mark)
            await theirs.call.setOutput(false)
            received = try #require(await theirs.call.report().statistics.audio).received
            let later = heard.buffers
            try await eventually("more audio") { heard.buffers > later + 50 }
            #expect(try #require(await theirs.call.report().statistics.audio).received.shown == received.shown)
            #expect(!theirs.states.contains(.reconnecting) && !mine.states.contains(.reconnecting))
            try await close(mine, alice, bob, server)
        }

        @Test("Media that a call starts without stays off after a hold and after video is added")
        func outputOverChanges() async throws {
            let (server, alice, bob) = try await stations()
            let mine = FollowedCall(try await alice.agent.call("bob", media: .audioOnly, output: false))
            let theirs = try await bob.ring()
            try await theirs.call.accept()
            try await mine.reaches(.connected)
            try await mine.call.hold()
            try await theirs.hears(.holdChanged(.remotelyHeld))
            try await mine.call.unhold()
            try await mine.call.changeMedia(to: .audioVideo)
            try await mine.hears(.mediaChanged(.audioVideo))
            let heard = try await alice.look(.audio, connection: 1)
            let buffers = heard.buffers
            try await eventually("audio") { heard.buffers > buffers + 50 }
            #expect(try #require(await mine.call.report().statistics.audio).received.shown == 0)
            try await close(mine, alice, bob, server)
        }

        @Test("The program's calls start with the media of its options")
        func program() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--once", "--start-video-muted", "--start-output-off"])
            let alice = try trio.call([
                "--events", "--duration", "2s", "--start-muted", "--start-video-off", "--at", "1s=output-off",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let told = try #require(bob.events.last { $0["event"] as? String == "attributesChanged" })
            #expect(
                try told.text("attributes.remote.audio") == "muted" && told.text("attributes.remote.video") == "off")
            #expect(try told.text("attributes.local.video") == "muted")
            for both in [["--start-video-off", "--start-video-muted"], ["--start-audio-off", "--start-muted"]] {
                let refused = try Program(["call", "bob", "--as", "alice"] + both)
                #expect(try await refused.waitForExit() == 2)
            }
        }

        @Test("Audio is off until the program turns it on, and what has no source cannot be turned on")
        func startAudio() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--once", "--video", "none", "--start-video-muted"])
            let alice = try trio.call([
                "--events", "--duration", "4s", "--start-audio-off", "--at", "1500ms=start-audio",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let told = bob.events.filter { $0["event"] as? String == "attributesChanged" }
                .compactMap { try? $0.text("attributes.remote.audio") }
            #expect(told.first == "off" && told.last == "on")
            let heard = try #require(bob.events.last).object("report")
            #expect(try abs(heard.number("audio.received.toneHz") - 440) < 18)
            // Bob has no camera, so alice did not wait for video.
            let seen = try #require(alice.events.last { $0["event"] as? String == "attributesChanged" })
            #expect(try seen.text("attributes.remote.video") == "off")
        }

        private func stations() async throws -> (TestServer, Station, Station) {
            let server = try await TestServer()
            return (
                server, try await Station("alice", at: server.url).prepared(),
                try await Station("bob", at: server.url, width: 240, hertz: 554).prepared()
            )
        }

        private func close(_ call: FollowedCall, _ alice: Station, _ bob: Station, _ server: TestServer) async throws {
            await call.call.hangUp()
            await alice.agent.close()
            await bob.agent.close()
            withExtendedLifetime(server) {}
        }
    }
}
