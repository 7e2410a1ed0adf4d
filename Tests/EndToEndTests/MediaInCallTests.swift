import MediaEngine
import Synchronization
import Testing

@testable import CallAgent

extension EndToEnd {
    /// Media changes by the users of a running call, checked by what the other end decodes.
    @Suite struct MediaInCallTests {
        @Test("Muted audio is silence while the video continues, and unmuted audio is the tone again")
        func mutedAudio() async throws {
            let pair = try await Talk()
            let (heard, seen) = (try await pair.bob.look(.audio), try await pair.bob.look(.video))
            await pair.mine.call.setAudio(.muted)
            try await pair.theirs.hears(.peerMediaChanged(MediaState(audio: .muted)))
            try await eventually("silence that flows") { heard.silentRun >= 50 }
            let changes = seen.changes
            try await eventually("frames that move") { seen.changes >= changes + 15 }
            await pair.mine.call.setAudio(.on)
            try await eventually("audio") { heard.silentRun == 0 }
            heard.listenAnew()
            try await eventually("the tone") { abs((heard.toneHz ?? 0) - 440) < 9 }
            try await pair.mine.seesAndHears(pair.bob.mark)
            try await pair.close()
        }

        @Test("A muted camera sends black frames, a stopped one none, a restarted one video; the audio continues")
        func videoStop() async throws {
            let pair = try await Talk()
            let (heard, seen) = (try await pair.bob.look(.audio), try await pair.bob.look(.video))
            await pair.mine.call.setVideo(.muted)
            try await eventually("black frames that flow") { seen.blackRun >= 20 }

            await pair.mine.call.setVideo(.off)
            try await pair.theirs.hears(.peerMediaChanged(MediaState(video: .off)))
            try await quiet("no video of alice's") { seen.frames }
            let audio = heard.buffers
            try await eventually("audio without video") { heard.buffers >= audio + 50 }
            #expect(await pair.theirs.call.state == .connected)

            await pair.mine.call.setVideo(.on)
            let changes = seen.changes
            try await eventually("frames that move") { seen.blackRun == 0 && seen.changes >= changes + 15 }
            try await pair.theirs.seesAndHears(pair.alice.mark)
            try await pair.mine.seesAndHears(pair.bob.mark)
            #expect(!pair.theirs.states.contains(.reconnecting))
            try await pair.close()
        }

        @Test("A call can be waited for until it is connected, and a call that ends before says why")
        func waitUntilConnected() async throws {
            let pair = try await Talk()
            try await pair.mine.call.waitUntilConnected()
            #expect(await pair.mine.call.state == .connected)
            await pair.mine.call.hangUp()
            try await pair.theirs.reaches(.ended)
            // It was connected.
            try await pair.mine.call.waitUntilConnected()

            let failing = try await pair.alice.agent.call("nobody")
            do throws(CallError) {
                try await failing.waitUntilConnected()
                Issue.record("nobody was connected")
            } catch .ended(let end) {
                #expect(end.reason == .unknownUser)
            }
            let early = try await pair.alice.call(pair.bob)
            let theirs = try await pair.bob.ring(2)
            async let connected: Void = early.call.waitUntilConnected()
            try await theirs.call.accept()
            try await connected
            try await early.seesAndHears(pair.bob.mark)
            await early.call.hangUp()
            await pair.alice.agent.close()
            await pair.bob.agent.close()
        }

        @Test("The Opus packet duration changes during a call, and the tone continues")
        func opus() async throws {
            let pair = try await Talk(media: .audioOnly)
            let heard = try await pair.bob.look(.audio)
            let usual = await pair.theirs.call.statistics()
            try await pair.mine.call.setOpus(.economical)
            try await eventually("60 ms a packet") {
                let before = await pair.theirs.call.statistics()
                let buffers = heard.buffers
                try await eventually("more audio") { heard.buffers >= buffers + 20 }
                let (from, to) = (before.inbound.first, await pair.theirs.call.statistics().inbound.first)
                let seconds = (to?.totalSamplesDuration ?? 0) - (from?.totalSamplesDuration ?? 0)
                let packets = Double((to?.packetsReceived ?? 0) - (from?.packetsReceived ?? 0))
                return seconds > 0 && packets / seconds < 25
            }
            #expect(usual.inbound.first?.packetsReceived ?? 0 > 0)
            heard.listenAnew()
            try await eventually("the tone") { abs((heard.toneHz ?? 0) - 440) < 9 }
            try await pair.close()
            await #expect(throws: CallError.self) { try await pair.mine.call.setOpus(.stack) }
            #expect(await pair.mine.call.statistics().inbound.count == 1, "the last report survives the call")
        }

        @Test(
            "A new source, size and tone arrive without a new connection, and a later connection has them too")
        func otherSources() async throws {
            let pair = try await Talk()
            let before = await pair.mine.call.report().statistics.transport
            try await pair.mine.call.setSource(.video(.test(.ball, format: VideoFormat(width: 400, height: 224))))
            try await pair.mine.call.setSource(.audio(.tone(hertz: 880)))
            let mark = Mark(user: "alice", width: 400, hertz: 880)
            try await eventually("the new tone") {
                let heard = await pair.theirs.call.report().statistics.audio?.received.toneHz ?? 0
                return abs(heard - 880) < 18
            }
            try await pair.theirs.seesAndHears(mark)
            try await pair.mine.seesAndHears(pair.bob.mark)
            #expect(await pair.mine.call.report().statistics.transport.selectedPair == before.selectedPair)
            #expect(!pair.theirs.states.contains(.reconnecting))
            let unknown = VideoSource(name: "nowhere")
            await #expect(throws: CallError.self) { try await pair.mine.call.setSource(.video(unknown)) }
            try await pair.theirs.sees(mark)
            try await pair.close()
            await #expect(throws: CallError.self) { try await pair.mine.call.setSource(.audio(.tone())) }
        }

        @Test("A video source chosen during an audio call is the one that is added")
        func sourceBeforeFrames() async throws {
            let pair = try await Talk(media: .audioOnly)
            try await pair.mine.call.setSource(.video(.test(.ball, format: VideoFormat(width: 400, height: 224))))
            try await pair.mine.call.changeMedia(to: .audioVideo)
            try await pair.theirs.sees(Mark(user: "alice", width: 400, hertz: 440))
            try await pair.close()
        }

        @Test("A held call has no RTP in either direction, stays connected, and continues when no end holds it")
        func hold() async throws {
            let pair = try await Talk()
            let looks = (
                mine: (try await pair.alice.look(.audio), try await pair.alice.look(.video)),
                theirs: (try await pair.bob.look(.audio), try await pair.bob.look(.video))
            )
            try await pair.mine.call.hold()
            try await pair.theirs.hears(.holdChanged(.remotelyHeld))
            for (audio, frames) in [looks.mine, looks.theirs] {
                try await quiet("no audio") { audio.buffers }
                try await quiet("no video") { frames.frames }
            }
            for call in [pair.mine, pair.theirs] {
                let statistics = await call.call.report().statistics
                let last = [statistics.audio, statistics.video].compactMap { $0?.received.arrivals.last }.max()
                #expect(try ContinuousClock.now - #require(last) > .seconds(1))
            }
            try await pair.theirs.call.hold()
            try await pair.mine.hears(.holdChanged(.both))
            try await pair.mine.call.unhold()
            try await pair.theirs.hears(.holdChanged(.held))
            #expect(await pair.mine.call.holdState == .remotelyHeld)
            try await pair.theirs.call.unhold()
            try await expectMedia((pair.mine, pair.alice), (pair.theirs, pair.bob))
            for call in [pair.mine, pair.theirs] { #expect(!call.states.contains(.reconnecting)) }
            try await pair.close()
        }

        @Test(
            "Video is added to an audio call, by its caller or its callee, without a gap in the audio",
            arguments: [true, false])
        func upgrade(byCaller: Bool) async throws {
            let pair = try await Talk(media: .audioOnly)
            let (asker, other) = byCaller ? (pair.mine, pair.theirs) : (pair.theirs, pair.mine)
            let (asking, asked) = byCaller ? (pair.alice, pair.bob) : (pair.bob, pair.alice)
            let old = [try await asking.look(.audio), try await asked.look(.audio)]
            let width = Mutex(0)
            let audio = Mutex(0)
            let (frames, samples) = (other.call.frames(.gray8), other.call.samples())
            async let seen: Void = { for await frame in frames { width.withLock { $0 = frame.width } } }()
            async let heard: Void = { for await _ in samples { audio.withLock { $0 += 1 } } }()
            try await eventually("samples") { audio.withLock { $0 > 0 } }
            await #expect(throws: CallError.self, "a call without video has no snapshot") {
                try await other.call.snapshot(.png)
            }
            func decodedAudio() async -> Int { await other.call.report().statistics.audio?.received.decoded ?? 0 }
            // More than a new connection decodes until it is looked at.
            try await eventually("2 s of audio") { await decodedAudio() > 96_000 }
            let decoded = await decodedAudio()
            try await asker.call.changeMedia(to: .audioVideo)
            for call in [asker, other] { try await call.hears(.mediaChanged(.audioVideo)) }
            #expect(await decodedAudio() >= decoded, "the counts go on")
            for (old, call) in zip(old, [asker, other]) {
                var next: ContinuousClock.Instant?
                try await eventually("audio on the new connection") {
                    let arrivals = await call.call.report().statistics.audio?.received.arrivals ?? []
                    let last = try #require(old.lastAt)
                    next = arrivals.first { $0 > last }
                    return next != nil
                }
                // Audio arrived on the new connection before the old one closed. Making a connection takes longer than a few buffers.
                #expect(try #require(next) - #require(old.lastAt) < .milliseconds(100))
            }
            try await other.seesAndHears(asking.mark)
            try await asker.hears(asked.mark)
            // The end that was asked decides about its own video.
            #expect(await asker.call.report().statistics.video?.received.decoded ?? 0 == 0)
            await other.call.setVideo(.on)
            try await expectMedia((asker, asking), (other, asked))
            for call in [asker, other] { #expect(!call.states.contains(.reconnecting)) }
            #expect(width.withLock(\.self) == asking.mark.width, "frames of the next connection")
            let before = audio.withLock(\.self)
            try await eventually("samples of the next connection") { audio.withLock { $0 > before + 10 } }
            #expect(try await other.call.snapshot(.png).starts(with: [0x89, 0x50]))
            try await pair.close()
            // The streams end with the call.
            await seen
            await heard
            for await _ in other.call.frames() { Issue.record("a frame after the end") }
        }

        @Test("A snapshot requested right after the accept waits for the first frame")
        func earlySnapshot() async throws {
            let pair = try await AgentPair(earlyMedia: .off)
            let (mine, theirs) = try await pair.ring()
            try await theirs.accept()
            for call in [mine, theirs] {
                #expect(try await call.snapshot(.jpeg, within: .seconds(60)).starts(with: [0xFF, 0xD8]))
            }
            await mine.hangUp()
            await #expect(throws: CallError.self) { try await mine.snapshot(.jpeg) }
            await pair.close()
        }

        @Test("A listener without a camera accepts a video call, sees the caller, and is heard")
        func noCamera() async throws {
            let pair = try await Talk(calleeWidth: 0)
            try await pair.theirs.seesAndHears(pair.alice.mark)
            try await pair.mine.hears(pair.bob.mark)
            #expect(await pair.mine.call.peerSends.video == .off)
            #expect(await pair.mine.call.report().statistics.video?.received.decoded ?? 0 == 0)
            try await pair.close()
        }

        @Test("Names, room, data and application messages arrive unchanged")
        func words() async throws {
            let pair = try await Talk(room: "room-7", data: ["ticket": "4711 ä"]) {
                $0.displayName = "Alice \"Al\" Ä."
                $0.address = "alice@example.org"
            }
            let theirs = pair.theirs.call
            #expect(theirs.callerDisplayName == "Alice \"Al\" Ä.")
            #expect(theirs.callerAddress == "alice@example.org")
            #expect(theirs.room == "room-7" && pair.mine.call.room == "room-7")
            #expect(theirs.inviteExtension == ["ticket": "4711 ä"])
            try await pair.mine.call.send(info: #"{"cursor":[1,2]}"#)
            try await pair.theirs.hears(.info(#"{"cursor":[1,2]}"#))
            try await pair.theirs.call.send(info: "ümläut \u{0}")
            try await pair.mine.hears(.info("ümläut \u{0}"))
            try await pair.mine.call.hangUp(text: "done", extension: ["stars": "5"])
            try await pair.theirs.ends(.remoteHangup)
            try await eventually("the data of the hang-up") {
                pair.theirs.events.contains(.extensionData(["stars": "5"]))
            }
            try await pair.close()
        }

        /// Waits until `count` has not changed for a time in which it normally changes dozens of times.
        private func quiet(_ text: String, _ count: () -> Int) async throws {
            var (last, since) = (count(), ContinuousClock.now)
            try await eventually(text) {
                if count() != last { (last, since) = (count(), .now) }
                return ContinuousClock.now - since > .milliseconds(1_200)
            }
        }
    }
}
