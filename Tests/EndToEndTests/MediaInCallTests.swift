import MediaEngine
import Testing

@testable import CallAgent

extension EndToEnd {
    /// What the users of a running call do to its media, judged by what the other end decodes.
    @Suite struct MediaInCallTests {
        @Test("Muted sound is silence while the pictures go on, and then the tone again")
        func mutedSound() async throws {
            let pair = try await Talk()
            let (heard, seen) = (try await pair.bob.look(.audio), try await pair.bob.look(.video))
            await pair.mine.call.setAudio(.muted)
            try await pair.theirs.hears(.peerMediaChanged(MediaState(audio: .muted)))
            try await eventually("silence that flows") { heard.silentRun >= 50 }
            let changes = seen.changes
            try await eventually("pictures that move") { seen.changes >= changes + 15 }
            await pair.mine.call.setAudio(.on)
            try await eventually("sound") { heard.silentRun == 0 }
            heard.listenAnew()
            try await eventually("the tone") { abs((heard.toneHz ?? 0) - 440) < 9 }
            try await pair.mine.seesAndHears(pair.bob.mark)
            try await pair.close()
        }

        @Test("A muted camera is black pictures, a stopped one none, and then they move again; the sound goes on")
        func videoStop() async throws {
            let pair = try await Talk()
            let (heard, seen) = (try await pair.bob.look(.audio), try await pair.bob.look(.video))
            await pair.mine.call.setVideo(.muted)
            try await eventually("black pictures that flow") { seen.blackRun >= 20 }

            await pair.mine.call.setVideo(.off)
            try await pair.theirs.hears(.peerMediaChanged(MediaState(video: .off)))
            try await quiet("no pictures of alice's") { seen.pictures }
            let sounds = heard.buffers
            try await eventually("sound without pictures") { heard.buffers >= sounds + 50 }
            #expect(await pair.theirs.call.state == .connected)

            await pair.mine.call.setVideo(.on)
            let changes = seen.changes
            try await eventually("pictures that move") { seen.blackRun == 0 && seen.changes >= changes + 15 }
            try await pair.theirs.seesAndHears(pair.alice.mark)
            try await pair.mine.seesAndHears(pair.bob.mark)
            #expect(!pair.theirs.states.contains(.reconnecting))
            try await pair.close()
        }

        @Test("Opus sends longer packets from one moment to the next, and the tone goes on")
        func opus() async throws {
            let pair = try await Talk(media: .audioOnly)
            let heard = try await pair.bob.look(.audio)
            let usual = await pair.theirs.call.statistics()
            try await pair.mine.call.setOpus(.economical)
            try await eventually("60 ms a packet") {
                let before = await pair.theirs.call.statistics()
                let buffers = heard.buffers
                try await eventually("more sound") { heard.buffers >= buffers + 20 }
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
            "Another picture, size and tone reach the peer without a new connection, and what is added later has them")
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
            #expect(await pair.mine.call.report().statistics.transport.localCandidate == before.localCandidate)
            #expect(!pair.theirs.states.contains(.reconnecting))
            let unknown = VideoSource(name: "nowhere")
            await #expect(throws: CallError.self) { try await pair.mine.call.setSource(.video(unknown)) }
            try await pair.theirs.sees(mark)
            try await pair.close()
            await #expect(throws: CallError.self) { try await pair.mine.call.setSource(.audio(.tone())) }
        }

        @Test("Pictures that are chosen during a call of sound are those that are added")
        func sourceBeforePictures() async throws {
            let pair = try await Talk(media: .audioOnly)
            try await pair.mine.call.setSource(.video(.test(.ball, format: VideoFormat(width: 400, height: 224))))
            try await pair.mine.call.changeMedia(to: .audioVideo)
            try await pair.theirs.sees(Mark(user: "alice", width: 400, hertz: 440))
            try await pair.close()
        }

        @Test("A held call carries no RTP either way, stays connected, and goes on when nobody holds it any more")
        func hold() async throws {
            let pair = try await Talk()
            let looks = (
                mine: (try await pair.alice.look(.audio), try await pair.alice.look(.video)),
                theirs: (try await pair.bob.look(.audio), try await pair.bob.look(.video))
            )
            try await pair.mine.call.hold()
            try await pair.theirs.hears(.holdChanged(.remotelyHeld))
            for (sound, pictures) in [looks.mine, looks.theirs] {
                try await quiet("no sound") { sound.buffers }
                try await quiet("no pictures") { pictures.pictures }
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
            "Pictures are added to a call of sound, by its caller or its callee, and the sound does not stop for it",
            arguments: [true, false])
        func upgrade(byCaller: Bool) async throws {
            let pair = try await Talk(media: .audioOnly)
            let (asker, other) = byCaller ? (pair.mine, pair.theirs) : (pair.theirs, pair.mine)
            let (asking, asked) = byCaller ? (pair.alice, pair.bob) : (pair.bob, pair.alice)
            let old = [try await asking.look(.audio), try await asked.look(.audio)]
            try await asker.call.changeMedia(to: .audioVideo)
            for call in [asker, other] { try await call.hears(.mediaChanged(.audioVideo)) }
            for (old, call) in zip(old, [asker, other]) {
                let arrivals = try #require(await call.call.report().statistics.audio).received.arrivals
                // Sound came on the new connection before the old one went; to make one takes longer than a few buffers.
                #expect(try #require(arrivals.first) - #require(old.lastAt) < .milliseconds(100))
            }
            try await other.seesAndHears(asking.mark)
            try await asker.hears(asked.mark)
            // Whoever was asked decides about its own pictures.
            #expect(await asker.call.report().statistics.video?.received.decoded ?? 0 == 0)
            await other.call.setVideo(.on)
            try await expectMedia((asker, asking), (other, asked))
            for call in [asker, other] { #expect(!call.states.contains(.reconnecting)) }
            try await pair.close()
        }

        @Test("A listener without a camera takes a video call, sees the caller, and is heard")
        func noCamera() async throws {
            let pair = try await Talk(calleeWidth: 0)
            try await pair.theirs.seesAndHears(pair.alice.mark)
            try await pair.mine.hears(pair.bob.mark)
            #expect(await pair.mine.call.peerSends.video == .off)
            #expect(await pair.mine.call.report().statistics.video?.received.decoded ?? 0 == 0)
            try await pair.close()
        }

        @Test("Names, room, data and messages of the applications arrive as they were given")
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

        /// Waits until `count` has not changed for a while in which it would have dozens of times.
        private func quiet(_ text: String, _ count: () -> Int) async throws {
            var (last, since) = (count(), ContinuousClock.now)
            try await eventually(text) {
                if count() != last { (last, since) = (count(), .now) }
                return ContinuousClock.now - since > .milliseconds(1_200)
            }
        }
    }
}
