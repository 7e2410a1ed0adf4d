import MediaEngine
import Testing

@testable import CallAgent

/// A connected call between alice and bob.
///
/// Both have received all media that the other sends.
struct Talk {
    let server: TestServer
    let alice: Station
    let bob: Station
    let mine: FollowedCall
    let theirs: FollowedCall

    init(
        media: CallMedia = .audioVideo, calleeWidth: Int = 240, room: String? = nil, data: [String: String] = [:],
        configure: (inout AgentConfiguration) -> Void = { _ in }
    ) async throws {
        let server = try await TestServer()
        let alice = try await Station("alice", at: server.url, hertz: 440, configure: configure).prepared()
        let bob = try await Station("bob", at: server.url, width: calleeWidth, hertz: 554).prepared()
        (self.server, self.alice, self.bob) = (server, alice, bob)
        mine = FollowedCall(try await alice.agent.call("bob", media: media, room: room, extension: data))
        theirs = try await bob.ring()
        try await theirs.call.accept()
        for call in [mine, theirs] { try await call.reaches(.connected) }
        try await withThrowingTaskGroup { group in
            for (call, mark) in [(mine, bob.mark), (theirs, alice.mark)] {
                group.addTask { try await call.hears(mark) }
                if media.video, mark.width > 0 { group.addTask { try await call.sees(mark) } }
            }
            try await group.waitForAll()
        }
    }

    func close() async throws {
        await theirs.call.hangUp()
        try await mine.reaches(.ended)
        await alice.agent.close()
        await bob.agent.close()
    }
}
