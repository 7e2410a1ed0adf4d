import Testing

@testable import CallAgent

/// The commands to the media of a call, and their order.
@Suite(.timeLimit(.minutes(1)))
struct MediaOrderTests {
    @Test("The media gets one command after the other, in the order of the rules")
    func order() async throws {
        try await withParties { alice, bob in
            let mine = try await alice.agent.call("bob")
            let theirs = try await bob.nextCall()
            try await alice.session().emit(.localCandidate(.example))
            try await mine.reaches(.ringing)
            try await bob.session().emit(.verified, .firstVideoFrame)
            try await eventually("the candidate") { try await bob.session().commands.contains(.addCandidate(.example)) }
            // Otherwise the gates to send open before those to receive.
            try await eventually("the frame") { await theirs.report().timeline.instant(of: .firstVideoFrame) != nil }
            #expect(try await bob.session().commands == [.createAnswer("offer"), .addCandidate(.example)])
            try await theirs.accept()
            try await theirs.reaches(.connected)
            try await alice.session().emit(.verified, .firstVideoFrame)
            try await mine.reaches(.connected)
            for party in [alice, bob] {
                try await eventually("shown") { try await party.session().commands.last == .openReceiveGates }
            }
            await mine.hangUp()
            _ = await theirs.waitUntilEnded()
            for party in [alice, bob] {
                try await eventually("closed") { try await party.session().commands.last == .close }
            }
            let caller = try await alice.session().commands
            #expect(caller == [.createOffer, .openSendGates, .setAnswer("answer"), .openReceiveGates, .close])
            #expect(
                try await bob.session().commands == [
                    .createAnswer("offer"), .addCandidate(.example), .openReceiveGates, .close,
                ])
        }
    }

    @Test("Commands that wait when the call ends are never run")
    func nothingAfterTheEnd() async throws {
        try await withAlice { alice, _ in
            let latch = Latch()
            alice.media.plan.offerLatch = latch
            let calling = Task { try await alice.agent.call("bob") }
            try await eventually("the offer") { latch.waiting == 1 }
            for call in alice.agent.activeCalls { await call.hangUp() }
            await #expect(throws: CallError.self) { try await calling.value }
            try await eventually("closed") { try await alice.session().commands.contains(.close) }
            latch.open()
            await alice.agent.close()
            // Gives other tasks the chance to run it.
            for _ in 0..<200 { await Task.yield() }
            #expect(try await alice.session().commands == [.createOffer, .close], "the send gates were waiting")
        }
    }

    @Test("The media session has the media of the call", arguments: [CallMedia.audioVideo, .audioOnly])
    func kinds(media: CallMedia) async throws {
        try await withParties { alice, bob in
            let mine = try await alice.agent.call("bob", media: media)
            let theirs = try await bob.nextCall()
            #expect(await mine.media == media)
            #expect(await theirs.media == media)
            #expect(try await alice.session().media == media)
            #expect(try await bob.session().media == media)
        }
    }
}
