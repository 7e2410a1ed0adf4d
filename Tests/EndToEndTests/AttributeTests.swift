import MediaEngine
import Testing

@testable import CallAgent

extension EndToEnd {
    /// What a call says of its media, against what is decoded.
    @Suite struct AttributeTests {
        @Test("Sources, sizes and what is sent are told at both ends, and each change once")
        func changes() async throws {
            let pair = try await Talk()
            let (mine, theirs) = (pair.mine, pair.theirs)
            let small = PictureSize(width: 240, height: 120)
            try await eventually("both sizes; last \(String(describing: mine.attributes))") {
                mine.attributes?.local.picture == PictureSize(width: 320, height: 160)
                    && mine.attributes?.remote.picture == small && theirs.attributes?.local.picture == small
            }
            #expect(mine.attributes?.local.videoSource == "test:smpte")
            #expect(mine.attributes?.local.audioSource == "tone:440.0")
            #expect(mine.attributes?.remote.videoSource == nil)
            #expect(mine.attributes?.remote.picture?.aspectRatio == 2)

            // A source that no other test uses, since it stays turned.
            try await theirs.call.setSource(.video(.test(.ball, format: VideoFormat(width: 400, height: 208))))
            try await eventually("the peer's new size") {
                mine.attributes?.remote.picture == PictureSize(width: 400, height: 208)
            }
            // The peer may see it before this end has told it.
            try await eventually("the new source's name") { theirs.attributes?.local.videoSource == "test:ball" }
            #expect(await mine.call.report().statistics.video?.received.width == 400)
            try await theirs.call.turnVideo(.quarter)
            try await eventually("the peer's turned picture") {
                mine.attributes?.remote.picture == PictureSize(width: 208, height: 400)
            }

            await theirs.call.setVideo(.muted)
            try await eventually("muted, and still pictures") {
                mine.attributes?.remote.video == .muted && mine.attributes?.remote.picture != nil
            }
            await theirs.call.setVideo(.off)
            try await eventually("no picture") {
                mine.attributes?.remote == .init(audio: .on, video: .off) && theirs.attributes?.local.picture == nil
            }
            await theirs.call.setVideo(.on)
            try await eventually("a picture again") { mine.attributes?.remote.picture?.width == 208 }
            try await mine.call.hold()
            for call in [mine, theirs] {
                try await eventually("nobody has a picture") {
                    call.attributes?.local.picture == nil && call.attributes?.remote.picture == nil
                }
            }
            try await mine.call.unhold()
            try await eventually("a picture after the hold") { mine.attributes?.remote.picture?.width == 208 }
            for call in [mine, theirs] {
                try await eventually("what was told last is what is") {
                    await call.call.attributes == call.attributes
                }
                let told = call.events.all.compactMap { if case .attributesChanged(let one) = $0 { one } else { nil } }
                #expect(zip(told, told.dropFirst()).allSatisfy { $0 != $1 })
            }
            try await pair.close()
        }

        @Test("Nothing of the peer has a size before it is shown, and a call of sound has no picture")
        func ringing() async throws {
            let server = try await TestServer()
            let alice = try await Station("alice", at: server.url).prepared()
            let bob = try await Station("bob", at: server.url, width: 240).prepared()
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            let seen = try await bob.look(.video)
            try await eventually("pictures behind the gate") { seen.pictures > 5 }
            #expect(theirs.attributes?.remote.picture == nil)
            try await theirs.call.accept()
            try await eventually("a size") { theirs.attributes?.remote.picture?.width == 320 }
            await mine.call.hangUp()
            try await theirs.reaches(.ended)

            let sound = try await alice.call(bob, media: .audioOnly)
            let ring = try await bob.ring(2)
            try await ring.call.accept()
            try await sound.reaches(.connected)
            #expect(await sound.call.attributes.remote == .init(audio: .on, video: .off))
            #expect(await sound.call.attributes.local == .init(audio: .on, video: .off, audioSource: "tone:440.0"))
            await alice.agent.close()
            await bob.agent.close()
        }

        @Test("An agent's own camera that was turned stays so for its next call, though it is closed in between")
        func staysTurned() async throws {
            let pair = try await AgentPair(capturePolicy: .perCall)
            weak var past: PeerConnection?
            for round in 1...2 {
                try await eventually("nothing of the call before") { past == nil }
                let (mine, theirs) = try await pair.ring()
                past = await mine.reported?.peerConnection
                try await theirs.accept()
                if round == 1 {
                    try await eventually("pictures as they were") {
                        await theirs.report().statistics.video?.received.width == 320
                    }
                    try await mine.turnVideo(.quarter)
                }
                try await eventually("turned pictures in call \(round)") {
                    await theirs.report().statistics.video?.received.width == 180
                }
                await mine.hangUp()
                for call in [mine, theirs] { _ = await call.waitUntilEnded() }
            }
            await pair.close()
        }
    }
}

extension FollowedCall {
    /// What was told last.
    var attributes: MediaAttributes? {
        events.all.reversed().lazy.compactMap { if case .attributesChanged(let one) = $0 { one } else { nil } }.first
    }
}
