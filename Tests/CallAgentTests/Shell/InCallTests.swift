import Testing

@testable import CallAgent

/// Hold, mute, messages and added video in a running call between two agents.
@Suite(.timeLimit(.minutes(1)))
struct InCallTests {
    private func withCall(
        _ media: CallMedia = .audioVideo,
        _ body: (_ alice: Party, _ bob: Party, _ mine: Call, _ theirs: Call) async throws -> Void
    ) async throws {
        try await withParties { alice, bob in
            let mine = try await alice.agent.call("bob", media: media)
            let theirs = try await bob.nextCall()
            try await theirs.accept()
            try await mine.reaches(.connecting)
            for party in [alice, bob] { try await party.session().emit(.verified, .firstAudioSample, .firstVideoFrame) }
            try await mine.reaches(.connected)
            try await theirs.reaches(.connected)
            try await body(alice, bob, mine, theirs)
        }
    }

    @Test("Hold, double hold and back: both ends report the same hold state, and the gates follow")
    func hold() async throws {
        try await withCall { alice, bob, mine, theirs in
            try await mine.hold()
            #expect(await mine.holdState == .held)
            try await eventually("remotely held") { await theirs.holdState == .remotelyHeld }
            try await theirs.hold()
            try await eventually("both") { await mine.holdState == .both }
            await #expect(
                throws: CallError.wrongState(operation: "hold", state: "the callee of a call that is connected, both")
            ) {
                try await theirs.hold()
            }
            try await mine.unhold()
            try await eventually("remotely held") { await mine.holdState == .remotelyHeld }
            try await theirs.unhold()
            for call in [mine, theirs] { try await eventually("nobody") { await call.holdState == .none } }
            for party in [alice, bob] {
                let session = try await party.session()
                try await eventually("open") { session.commands.last == .openReceiveGates }
                #expect(session.commands.contains(.setGates(.init())))
            }
        }
    }

    @Test("Mute and camera off are sent to the peer, and the peer's state is visible at the other end")
    func mute() async throws {
        try await withCall { alice, _, mine, theirs in
            await mine.setAudio(.muted)
            await mine.setVideo(.off)
            try await eventually("told") { await theirs.peerSends == .init(audio: .muted, video: .off) }
            #expect(await mine.sends == .init(audio: .muted, video: .off))
            let session = try await alice.session()
            try await eventually("gates") {
                session.commands.last == .setGates(.init(audio: .blank, video: .off, isReceiving: true))
            }
        }
    }

    @Test("Application messages arrive once, in order, both ways; too long ones are refused")
    func info() async throws {
        try await withCall { _, _, mine, theirs in
            let events = theirs.events
            for number in 0..<5 { try await mine.send(info: "\(number)") }
            var heard: [String] = []
            for await event in events {
                if case .notice(.info(let text)) = event { heard.append(text) }
                if heard.count == 5 { break }
            }
            #expect(heard == ["0", "1", "2", "3", "4"])
            await #expect(throws: CallError.tooLong(bytes: 4_097, limit: 4_096)) {
                try await mine.send(info: String(repeating: "x", count: 4_097))
            }
        }
    }

    @Test("A18: extension data is sent with the next message and reported at the other end")
    func extensionData() async throws {
        try await withCall { _, _, mine, theirs in
            let events = theirs.events
            try await mine.attach(["a": "1"])
            try await mine.attach(["b": "2"])
            try await mine.send(info: "x")
            for await event in events {
                guard case .extensionData(let data) = event else { continue }
                #expect(data == ["a": "1", "b": "2"])
                break
            }
            await #expect(throws: CallError.self) { try await mine.attach(["bad key": ""]) }
            try await mine.send(info: "y")
            try await mine.hangUp(extension: ["why": "done"])
            _ = await theirs.waitUntilEnded()
        }
    }

    @Test(
        "Video is added to an audio call, make before break, and both ends report it",
        arguments: CallRole.both)
    func upgrade(asker: CallRole) async throws {
        try await withCall(.audioOnly) { alice, bob, mine, theirs in
            try await (asker == .caller ? mine : theirs).changeMedia(to: .audioVideo)
            for party in [alice, bob] {
                let next = try await party.session(1)
                #expect(next.media == .audioVideo)
                #expect(try await party.session(0).commands.last != .close, "the old one plays on")
            }
            let (mineNext, theirsNext) = (try await alice.session(1), try await bob.session(1))
            try await eventually("the answer is set") { mineNext.commands.contains(.setAnswer("answer")) }
            mineNext.emit(.verified, .firstAudioSample, .firstVideoFrame)
            theirsNext.emit(.verified, .firstAudioSample, .firstVideoFrame)
            for (party, call) in [(alice, mine), (bob, theirs)] {
                try await eventually("changed") { await call.media == .audioVideo }
                let old = try await party.session(0)
                try await eventually("the old one is closed") { old.commands.last == .close }
                #expect(await call.state == .connected)
            }
            await mine.hangUp()
            _ = await theirs.waitUntilEnded()
            for next in [mineNext, theirsNext] { try await eventually("closed") { next.commands.last == .close } }
        }
    }

    @Test("A19: the next connection of a running call, and its next network path, use new ICE servers from signaling")
    func newServers() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob", media: .audioOnly)
            try signaling.deliver(.accept(sdp: "answer"), call: call.id)
            try await alice.session().emit(.verified, .firstAudioSample)
            try await call.reaches(.connected)
            let server = IceServer(urls: ["turn:turn.example.org"], username: "1790003600:alice", credential: "x")
            signaling.happen(.iceServers([server], validForMs: 60_000))
            try signaling.deliver(.renegotiate(.audioVideo), call: call.id)
            #expect(try await alice.session(1).servers == [server])
            #expect(try await alice.session().servers.isEmpty)
            // For its next network path: credentials expire.
            let session = try await alice.session()
            try await eventually("the running call gets them") { session.newServers == [server] }
        }
    }

    @Test("A failed media change leaves the call unchanged at both ends")
    func failedUpgrade() async throws {
        try await withCall(.audioOnly) { alice, bob, mine, theirs in
            bob.media.plan.answer = .failure(.unusable)
            let events = mine.events
            try await mine.changeMedia(to: .audioVideo)
            for await event in events {
                if case .notice(.mediaChangeFailed) = event { break }
            }
            for call in [mine, theirs] {
                #expect(await call.state == .connected)
                #expect(await call.media == .audioOnly)
            }
            for party in [alice, bob] {
                let next = try await party.session(1)
                try await eventually("the new one is closed") { next.commands.last == .close }
                #expect(try await party.session(0).commands.last != .close)
            }
        }
    }
}
