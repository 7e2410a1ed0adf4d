import CallAgent
import CallProtocol
import Testing

@Suite(.timeLimit(.minutes(1)))
struct InMemorySignalingTests {
    private let board = InMemorySignaling()

    @Test func aMessageArrivesAsItWasSentAndInOrder() async throws {
        let alice = try await signedIn("alice")
        let bob = try await signedIn("bob")
        for number in 0..<100 { try await alice.send("message \(number)", to: "bob") }
        var events = bob.events.makeAsyncIterator()
        for number in 0..<100 { #expect(await events.next() == .received("message \(number)")) }
    }

    @Test func aNameThatIsTakenIsRefusedUntilItIsFree() async throws {
        let first = try await signedIn("alice")
        let second = board.transport()
        await #expect(throws: SignalingError.signInRefused(code: 409, text: "alice is signed in already")) {
            try await second.connect(as: "alice")
        }
        await first.close()
        try await second.connect(as: "alice")
    }

    @Test func aMessageToAUserWhoIsOfflineIsAnsweredWith480() async throws {
        let alice = try await signedIn("alice")
        var unanswered = message(from: "alice", to: "bob")
        unanswered.generation = 2
        try await alice.send(unanswered.encoded(), to: "bob")
        var events = alice.events.makeAsyncIterator()
        guard case .received(let text) = await events.next() else {
            Issue.record("no answer came")
            return
        }
        let answer = try SignalingMessage(decoding: text)
        #expect(answer.body == .error(.init(code: 480, text: "bob is offline", ref: "m1")))
        #expect(answer.callId == "c1")
        #expect(answer.to == "alice")
        #expect(answer.generation == 2)
    }

    @Test func sendingBeforeTheSignInAndAfterTheCloseFails() async throws {
        let alice = board.transport()
        await #expect(throws: SignalingError.notConnected) { try await alice.send("x", to: "bob") }
        try await alice.connect(as: "alice")
        await alice.close()
        await #expect(throws: SignalingError.notConnected) { try await alice.send("x", to: "bob") }
    }

    @Test func closeEndsTheEventsAfterWhatWasReceived() async throws {
        let alice = try await signedIn("alice")
        let bob = try await signedIn("bob")
        try await alice.send("last", to: "bob")
        await bob.close()
        await bob.close()
        var events = bob.events.makeAsyncIterator()
        #expect(await events.next() == .received("last"))
        #expect(await events.next() == nil)
    }

    @Test func aUserWhoDoesNotReadGetsNoMoreThanWhatMayWait() async throws {
        let alice = try await signedIn("alice")
        let bob = try await signedIn("bob")
        let limit = InMemorySignaling.maximumWaiting
        for number in 0..<limit { try await alice.send("\(number)", to: "bob") }
        await #expect(throws: SignalingError.receiverIsFull("bob", limit: limit)) {
            try await alice.send("too many", to: "bob")
        }
        var events = bob.events.makeAsyncIterator()
        #expect(await events.next() == .received("0"))
        try await alice.send("again", to: "bob")
        await bob.close()
        var last: SignalingTransportEvent?
        var count = 1
        while let event = await events.next() { (last, count) = (event, count + 1) }
        #expect(last == .received("again") && count == limit + 1)
    }

    private func signedIn(_ user: String) async throws -> InMemorySignaling.Transport {
        let transport = board.transport()
        try await transport.connect(as: user)
        return transport
    }
}
