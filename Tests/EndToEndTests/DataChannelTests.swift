import MediaEngine
import TestServers
import Testing

@testable import CallAgent

extension EndToEnd {
    /// Data channels beside the media of a call.
    @Suite struct DataChannelTests {
        /// A connected call whose ends allow data channels or not.
        private static func withTalk(
            caller: Bool = true, callee: Bool = true,
            _ body: (FollowedCall, FollowedCall, Station, Station) async throws -> Void
        ) async throws {
            let server = try await TestServer()
            let alice = try await Station("alice", at: server.url, hertz: 440) { $0.media.allowsDataChannels = caller }
                .prepared()
            let bob = try await Station("bob", at: server.url, width: 240, hertz: 554) {
                $0.media.allowsDataChannels = callee
            }.prepared()
            let mine = FollowedCall(try await alice.agent.call("bob"))
            let theirs = try await bob.ring()
            for call in [mine, theirs] {
                await #expect(throws: CallError.self, "not before the accept") {
                    try await call.call.openDataChannel("early")
                }
            }
            try await theirs.call.accept()
            for call in [mine, theirs] { try await call.reaches(.connected) }
            try await body(mine, theirs, alice, bob)
            await mine.call.hangUp()
            try await theirs.reaches(.ended)
            await alice.agent.close()
            await bob.agent.close()
        }

        @Test(
            "Either end opens a channel without another connection; all messages arrive in order, across a new network path"
        )
        func messages() async throws {
            try await Self.withTalk { mine, theirs, alice, bob in
                for (from, to) in [(mine.call, theirs.call), (theirs.call, mine.call)] {
                    let channel = try await from.openDataChannel("log of \(from.user)")
                    var arriving = to.dataChannels.makeAsyncIterator()
                    let arrived = try #require(await arriving.next())
                    #expect(arrived.label == "log of \(from.user)")
                    let count = 400
                    async let received = arrived.messages.prefix(count + 1).reduce(into: []) { $0.append($1) }
                    for number in 0..<count {
                        try await channel.send("message \(number)")
                        if number == count / 2 { await from.restartIce() }
                    }
                    try await channel.send([0, 255, 7])
                    #expect(await received == (0..<count).map { .text("message \($0)") } + [.binary([0, 255, 7])])
                    try await arrived.send("back")
                    var answers = channel.messages.makeAsyncIterator()
                    #expect(await answers.next() == .text("back"))
                }
                for call in [mine, theirs] {
                    try await eventually("the new paths") {
                        call.notices.count { if case .networkChangeEnded = $0 { true } else { false } } == 2
                    }
                    #expect(await call.call.machine.highest == 0, "no other connection")
                    #expect(await call.call.media == CallMedia(audio: true, video: true, data: true))
                }
                try await expectMedia((mine, alice), (theirs, bob))
            }
        }

        @Test("If one end allows no data channels, the call goes on without them", arguments: [true, false])
        func refused(byCallee: Bool) async throws {
            try await Self.withTalk(caller: byCallee, callee: !byCallee) { mine, theirs, alice, bob in
                for call in [mine, theirs] {
                    await #expect(throws: CallError.self) { try await call.call.openDataChannel("x") }
                }
                #expect(await theirs.call.media == .audioVideo)
                try await expectMedia((mine, alice), (theirs, bob))
            }
        }

        @Test("A channel ends with its connection when video is added, and the next connection has channels, too")
        func otherMedia() async throws {
            let server = try await TestServer()
            let alice = try await Station("alice", at: server.url, configure: { $0.media.allowsDataChannels = true })
                .prepared()
            let bob = try await Station("bob", at: server.url, configure: { $0.media.allowsDataChannels = true })
                .prepared()
            let mine = FollowedCall(try await alice.agent.call("bob", media: .audioOnly))
            let theirs = try await bob.ring()
            try await theirs.call.accept()
            for call in [mine, theirs] { try await call.reaches(.connected) }
            let first = try await mine.call.openDataChannel("first")
            try await mine.call.changeMedia(to: .audioVideo)
            let changed = CallNotice.mediaChanged(CallMedia(audio: true, video: true, data: true))
            for call in [mine, theirs] { try await call.hears(changed) }
            for await _ in first.messages {}
            let second = try await mine.call.openDataChannel("second")
            try await second.send("hello")
            for await channel in theirs.call.dataChannels where channel.label == "second" {
                var messages = channel.messages.makeAsyncIterator()
                #expect(await messages.next() == .text("hello"))
                break
            }
            await mine.call.hangUp()
            try await theirs.reaches(.ended)
            for await _ in theirs.call.dataChannels {}
            await alice.agent.close()
            await bob.agent.close()
        }
    }
}
