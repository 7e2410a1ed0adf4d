import Foundation
import TestServers
import Testing

/// A program in a room of a lab's Janus.
struct RoomParty {
    let name: String
    let hertz: Int
    let program: Program
    private let lab: NetworkLab

    /// Joins, publishing a small picture and a tone.
    init(
        _ name: String, in lab: NetworkLab, at place: NetworkLab.Place = .alice, hertz: Int = 440,
        _ arguments: [String] = []
    ) throws {
        try self.init(
            name, in: lab, at: place, hertz: hertz,
            command: ["join", JanusServer.room] + Self.media(hertz) + arguments)
    }

    /// Runs `callagent room` with this command.
    init(
        _ name: String, in lab: NetworkLab, at place: NetworkLab.Place = .alice, hertz: Int = 0, command: [String]
    ) throws {
        try self.init(
            name, in: lab, at: place, hertz: hertz, program: ["room"] + command + ["--server", JanusServer.url])
    }

    /// Runs `callagent call` or `listen`, whose call goes on in a room.
    init(
        _ name: String, in lab: NetworkLab, at place: NetworkLab.Place, hertz: Int, calls words: [String],
        knowsRooms: Bool = true
    ) throws {
        let rooms = knowsRooms ? ["--room-server", JanusServer.url] : []
        try self.init(
            name, in: lab, at: place, hertz: hertz,
            program: words + Self.media(hertz) + rooms + ["--signaling", Self.signaling])
    }

    private init(_ name: String, in lab: NetworkLab, at place: NetworkLab.Place, hertz: Int, program words: [String])
        throws
    {
        let whole = lab.command(at: place, Program.path, words + ["--as", name])
        (self.name, self.hertz, self.lab) = (name, hertz, lab)
        program = try Program(whole.arguments, path: whole.path)
    }

    /// The signaling server of calls that go on in a room.
    static let signaling = "ws://\(NetworkLab.server):8080"

    private static func media(_ hertz: Int) -> [String] {
        [
            "--audio", "tone:\(hertz)", "--video", "test:ball", "--video-size", "160x120@10", "--events",
            "--stats-interval", "200ms",
        ]
    }

    /// Waits until it is connected with the media of each of these, for the n-th time.
    func isConnected(with names: [String], times: Int = 1, within limit: Duration = .seconds(30)) async throws {
        for peer in names {
            try await eventually("\(name) receives \(peer): \(story)", within: limit) {
                program.count(of: ["event": "stateChanged", "state": "connected", "peer": peer]) >= times
            }
        }
    }

    /// What happened so far, for a failure.
    private var story: String {
        let events = program.events.compactMap { event -> String? in
            guard let name = event["event"] as? String, !["statistics", "report"].contains(name) else {
                return nil
            }
            return [name, event["peer"], event["state"], event["reason"], event["stage"], event["text"]].compactMap {
                $0 as? String
            }
            .joined(separator: " ")
        }
        return "\(program.errors) exit \(program.exitStatus.map(String.init) ?? "none"); \(events)"
    }

    /// What it received of a participant, as the last statistics say.
    func received(_ kind: String, of peer: String) -> [String: Any] {
        let last = program.events.last { $0["event"] as? String == "statistics" && $0["peer"] as? String == peer }
        let entries = last?["statistics"] as? [[String: Any]] ?? []
        return entries.first { $0["type"] as? String == "inbound-rtp" && $0["kind"] as? String == kind } ?? [:]
    }

    /// Waits until new frames and audio of a participant arrive.
    func expectMedia(of peer: String, within limit: Duration = .seconds(20)) async throws {
        try await Self.expectMedia([(self, of: [peer])], frames: 10, within: limit)
    }

    /// Waits until new frames and audio of all these participants arrive at each party, at all of them from now on.
    ///
    /// So many frames that ``leave(having:)`` finds more than ten that differ.
    static func expectMedia(
        _ parties: [(party: RoomParty, of: [String])], frames: Int = 20, within limit: Duration = .seconds(20)
    ) async throws {
        let before = parties.flatMap { party, peers in peers.map { (party, $0, party.count(of: $0)) } }
        for (party, peer, before) in before {
            try await eventually("\(party.name) receives media of \(peer)", within: limit) {
                let now = party.count(of: peer)
                return now.frames >= before.frames + frames && now.samples >= before.samples + 24_000
            }
        }
    }

    /// How many frames and samples of a participant have arrived.
    private func count(of peer: String) -> (frames: Int, samples: Int) {
        (
            received("video", of: peer)["framesDecoded"] as? Int ?? 0,
            received("audio", of: peer)["totalSamplesReceived"] as? Int ?? 0
        )
    }

    /// Leaves, and checks what it received of each of these: frames that differ, and the pitch of their tone.
    func leave(having parties: [RoomParty]) async throws {
        program.signal(SIGINT)
        #expect(try await program.waitForExit() == 130, "\(program.errors)")
        for party in parties {
            let reports = program.events.compactMap { $0["report"] as? [String: Any] }
            let report = try #require(reports.last { $0["peer"] as? String == party.name }, "\(name) of \(party.name)")
            let audio = (report["audio"] as? [String: Any])?["received"] as? [String: Any]
            let video = (report["video"] as? [String: Any])?["received"] as? [String: Any]
            #expect(abs((audio?["toneHz"] as? Double ?? 0) - Double(party.hertz)) < 5, "\(name) hears \(party.name)")
            #expect((video?["distinctFrames"] as? Int ?? 0) > 10, "\(name) sees \(party.name)")
            #expect(video?["shownBeforeConnected"] as? Int == 0)
        }
    }
}
