import Foundation
import MediaEngine
import TestServers
import Testing

/// A call between two programs in a lab, which both have received media for a while.
struct LabCall {
    let lab: NetworkLab
    private let servers: [Program]
    let alice: Program
    let bob: Program
    private let folder: Folder

    init(
        _ lab: NetworkLab, stun: Bool = false, alice aliceArguments: [String] = [], bob bobArguments: [String] = []
    ) async throws {
        self.lab = lab
        let url = "ws://\(NetworkLab.server):8080"
        func start(
            _ place: NetworkLab.Place, _ arguments: [String], path: String = Program.path
        ) throws -> Program {
            let command = lab.command(at: place, path, arguments)
            return try Program(command.arguments, path: command.path)
        }
        let server = try start(.internet, ["serve", "--listen", "\(NetworkLab.server):8080", "--events"])
        try await eventually("the server listens") { !server.lines.isEmpty }
        var servers = [server]
        if stun {
            servers.append(
                try start(.internet, NetworkLab.stunServer.arguments, path: NetworkLab.stunServer.path))
            try await eventually("the STUN server listens") { try lab.isStunListening() }
        }
        self.servers = servers
        folder = Folder()
        let common =
            ["--signaling", url, "--events", "--stats-interval", "200ms"]
            + (stun ? ["--ice-server", "stun:\(NetworkLab.server):3478"] : [])
        let bob = try start(
            .bob, ["listen", "--as", "bob", "--allow", "alice", "--audio", "tone:554"] + common + bobArguments)
        self.bob = bob
        try await eventually("bob listens") { bob.hasEvent(["event": "listening"]) }
        alice = try start(
            .alice,
            [
                "call", "bob", "--as", "alice", "--duration", "forever", "--audio", "tone:440", "--record",
                folder.path("alice.mkv"),
            ] + common + aliceArguments)
        for end in [alice, bob] {
            try await eventually("connected: \(end.errors)") {
                end.hasEvent(["event": "stateChanged", "state": "connected"])
            }
        }
        try await expectMedia()
    }

    /// Waits until new frames and audio arrive at both ends.
    func expectMedia(within limit: Duration = .seconds(20)) async throws {
        let ends = [alice, bob].map { (end: $0, before: Self.received($0)) }
        for (end, before) in ends {
            try await eventually("media at \(end === alice ? "alice" : "bob")", within: limit) {
                let now = Self.received(end)
                return now.frames >= before.frames + 20 && now.samples >= before.samples + 24_000
            }
        }
    }

    /// Waits until both ends are connected again, and media flows.
    func expectReconnected() async throws {
        for end in [alice, bob] {
            try await eventually("connected again") {
                end.count(of: ["event": "stateChanged", "state": "connected"]) == 2
            }
        }
        try await expectMedia()
    }

    /// The last statistics of the video that an end sends, under W3C's names.
    static func sentVideo(_ end: Program) -> [String: Any] { entry(end, "outbound-rtp", "video") }

    /// The last statistics of what an end receives of a kind, under W3C's names.
    static func received(_ end: Program, _ kind: String) -> [String: Any] { entry(end, "inbound-rtp", kind) }

    /// How many frames of a video an end has decoded.
    static func decoded(_ track: TrackID, at end: Program) -> Int {
        let statistics = end.events.last { $0["event"] as? String == "statistics" }?["statistics"]
        let entries = statistics as? [[String: Any]] ?? []
        let entry = entries.first {
            $0["type"] as? String == "inbound-rtp" && $0["codecId"] as? String == track.codecId
        }
        return entry?["framesDecoded"] as? Int ?? 0
    }

    private static func entry(_ end: Program, _ type: String, _ kind: String) -> [String: Any] {
        let statistics = end.events.last { $0["event"] as? String == "statistics" }?["statistics"]
        let entries = statistics as? [[String: Any]] ?? []
        return entries.first { $0["type"] as? String == type && $0["kind"] as? String == kind } ?? [:]
    }

    /// How many frames were decoded, and how many samples that were not made up.
    private static func received(_ end: Program) -> (frames: Int, samples: Int) {
        let statistics = end.events.last { $0["event"] as? String == "statistics" }?["statistics"]
        var (frames, samples) = (0, 0)
        for entry in statistics as? [[String: Any]] ?? [] where entry["type"] as? String == "inbound-rtp" {
            frames += entry["framesDecoded"] as? Int ?? 0
            samples += entry["totalSamplesReceived"] as? Int ?? 0
        }
        return (frames, samples)
    }

    /// Waits until both ends report the end of a search; returns the path of each.
    func expectNewPath(count: Int = 1) async throws -> [[String: Any]] {
        var paths: [[String: Any]] = []
        for end in [alice, bob] {
            try await eventually("another path at \(end === alice ? "alice" : "bob")") {
                Self.changes(end).count >= count
            }
            paths.append(try #require(Self.changes(end).last?["after"] as? [String: Any]))
        }
        return paths
    }

    private static func changes(_ end: Program) -> [[String: Any]] {
        end.events.compactMap { $0["networkChange"] as? [String: Any] }
    }

    /// Hangs up, and checks what both ends report of the whole call.
    func end() async throws {
        alice.signal(SIGINT)
        #expect(try await alice.waitForExit() == 130, "\(alice.errors)")
        try await eventually("bob's report") { bob.hasEvent(["event": "report"]) }
        for (end, hertz) in [(alice, 554.0), (bob, 440.0)] {
            let report = try #require(
                end.events.last { $0["event"] as? String == "report" }?["report"] as? [String: Any])
            let audio = try #require((report["audio"] as? [String: Any])?["received"] as? [String: Any])
            let video = try #require((report["video"] as? [String: Any])?["received"] as? [String: Any])
            #expect(abs((audio["toneHz"] as? Double ?? 0) - hertz) < 5)
            let frames = try #require(video["distinctFrames"] as? Int)
            #expect(frames > 40)
        }
        // One file, of the whole call.
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
        #expect(files.count == 1, "\(files)")
        bob.signal(SIGTERM)
        try await bob.waitForExit()
        for server in servers { server.signal(SIGTERM) }
        for server in servers { await server.letEnd(within: .seconds(5)) }
    }
}
