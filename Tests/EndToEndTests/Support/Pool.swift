import Testing

@testable import CallAgent

/// Programs that share the calls of the user `support`.
struct Pool {
    /// What a caller must have seen and heard of a member.
    static let media = [
        "--expect", "video.received.distinctFrames>=20", "--expect", "audio.received.toneHz>430",
        "--expect", "audio.received.toneHz<450",
    ]

    private(set) var members: [Program] = []
    private let options: [String]
    /// Where callers sign in unless they say otherwise.
    private let url: String
    private let broker: any Sendable

    /// Starts a member for each of these URLs; returns when all listen.
    init(_ urls: [String], _ options: [String] = [], keeping broker: any Sendable) async throws {
        (url, self.options, self.broker) = (urls[0], options, broker)
        try await add(urls)
    }

    mutating func add(_ urls: [String]) async throws {
        let new = try urls.map { url in
            try Program(
                ["listen", "--as", "support", "--pool", "--events", "--ice-interface", "127.0.0.1"]
                    + ["--signaling", url, "--audio", "tone:440", "--video-size", "320x180"] + options)
        }
        for member in new {
            try await eventually("it listens: \(member.errors)") { member.hasEvent(["event": "listening"]) }
        }
        members += new
    }

    /// How many calls have rung at each member.
    var rings: [Int] { members.map { $0.count(of: ["event": "stateChanged", "state": "ringing"]) } }

    /// A caller in a program of its own.
    func call(_ options: [String]) throws -> Program {
        try Program(
            ["call", "support", "--as", "alice-\(Int.random(in: 0..<1_000_000))", "--events"]
                + ["--signaling", url, "--ice-interface", "127.0.0.1"] + options)
    }

    /// Returns a call that is connected.
    func hold(as user: String) async throws -> PoolCall {
        let call = try await PoolCall(from: Station(user, at: url).prepared())
        try await call.call.reaches(.connected)
        return call
    }
}

/// A call to a pool that lasts until the test ends it, however long programs take to start meanwhile.
struct PoolCall {
    let call: FollowedCall
    private let caller: Station

    /// Calls from an agent that is signed in.
    init(from caller: Station) async throws {
        self.caller = caller
        call = FollowedCall(try await caller.agent.call("support"))
    }

    /// Waits until new video and audio of a member arrive.
    func expectMedia() async throws {
        try await call.seesAndHears(Mark(user: "support", width: 320, hertz: 440))
    }

    /// Hangs up; nobody else has ended the call before.
    func end() async throws {
        await call.call.hangUp()
        try await call.ends(.localHangup, .localCancelled)
        await caller.agent.close()
    }
}
