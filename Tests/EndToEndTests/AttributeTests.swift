import MediaEngine
import Testing

@testable import CallAgent

extension EndToEnd {
    /// The media attributes of a call, compared with the decoded media.
    @Suite struct AttributeTests {
        @Test("Both ends report sources, sizes and sending states, and each change once")
        func changes() async throws {
            let pair = try await Talk()
            let (mine, theirs) = (pair.mine, pair.theirs)
            let small = FrameSize(width: 240, height: 120)
            try await eventually("both sizes; last \(String(describing: mine.attributes))") {
                mine.attributes?.local.frameSize == FrameSize(width: 320, height: 160)
                    && mine.attributes?.remote.frameSize == small && theirs.attributes?.local.frameSize == small
            }
            #expect(mine.attributes?.local.videoSource == "test:smpte")
            #expect(mine.attributes?.local.audioSource == "tone:440.0")
            #expect(mine.attributes?.remote.videoSource == nil)
            #expect(mine.attributes?.remote.frameSize?.aspectRatio == 2)

            // No other test uses this source, since it stays turned.
            try await theirs.call.setSource(.video(.test(.ball, format: VideoFormat(width: 400, height: 208))))
            try await eventually("the peer's new size") {
                mine.attributes?.remote.frameSize == FrameSize(width: 400, height: 208)
            }
            // The peer may see the change before this end reports it.
            try await eventually("the new source's name") { theirs.attributes?.local.videoSource == "test:ball" }
            #expect(await mine.call.report().statistics.video?.received.width == 400)
            try await theirs.call.turnVideo(.quarter)
            try await eventually("the peer's turned video") {
                mine.attributes?.remote.frameSize == FrameSize(width: 208, height: 400)
            }

            await theirs.call.setVideo(.muted)
            try await eventually("muted, and still frames") {
                mine.attributes?.remote.video == .muted && mine.attributes?.remote.frameSize != nil
            }
            await theirs.call.setVideo(.off)
            try await eventually("no video") {
                mine.attributes?.remote == .init(audio: .on, video: .off) && theirs.attributes?.local.frameSize == nil
            }
            await theirs.call.setVideo(.on)
            try await eventually("video again") { mine.attributes?.remote.frameSize?.width == 208 }
            try await mine.call.hold()
            for call in [mine, theirs] {
                try await eventually("nobody has video") {
                    call.attributes?.local.frameSize == nil && call.attributes?.remote.frameSize == nil
                }
            }
            try await mine.call.unhold()
            try await eventually("video after the hold") { mine.attributes?.remote.frameSize?.width == 208 }
            for call in [mine, theirs] {
                try await eventually("what was told last is what is") {
                    await call.call.attributes == call.attributes
                }
                let told = call.events.all.compactMap { if case .attributesChanged(let one) = $0 { one } else { nil } }
                #expect(zip(told, told.dropFirst()).allSatisfy { $0 != $1 })
            }
            try await pair.close()
        }

        @Test("The peer's video has no size before it is shown, and an audio call has no video")
        func ringing() async throws {
            let server = try await TestServer()
            let alice = try await Station("alice", at: server.url).prepared()
            let bob = try await Station("bob", at: server.url, width: 240).prepared()
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            let seen = try await bob.look(.video)
            try await eventually("frames behind the gate") { seen.frames > 5 }
            #expect(theirs.attributes?.remote.frameSize == nil)
            try await theirs.call.accept()
            try await eventually("a size") { theirs.attributes?.remote.frameSize?.width == 320 }
            await mine.call.hangUp()
            try await theirs.reaches(.ended)

            let audio = try await alice.call(bob, media: .audioOnly)
            let ring = try await bob.ring(2)
            try await ring.call.accept()
            try await audio.reaches(.connected)
            #expect(await audio.call.attributes.remote == .init(audio: .on, video: .off))
            #expect(await audio.call.attributes.local == .init(audio: .on, video: .off, audioSource: "tone:440.0"))
            await alice.agent.close()
            await bob.agent.close()
        }

        @Test("A turned camera stays turned for the agent's next call, although it is closed in between")
        func staysTurned() async throws {
            let pair = try await AgentPair(capturePolicy: .perCall)
            weak var past: PeerConnection?
            for round in 1...2 {
                try await eventually("nothing of the call before") { past == nil }
                let (mine, theirs) = try await pair.ring()
                past = await mine.generations.reported?.peerConnection
                try await theirs.accept()
                if round == 1 {
                    try await eventually("video as it was") {
                        await theirs.report().statistics.video?.received.width == 320
                    }
                    try await mine.turnVideo(.quarter)
                }
                try await eventually("turned video in call \(round)") {
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
    /// The last reported attributes.
    var attributes: MediaAttributes? {
        events.all.reversed().lazy.compactMap { if case .attributesChanged(let one) = $0 { one } else { nil } }.first
    }
}
