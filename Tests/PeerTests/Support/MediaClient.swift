import Foundation
import Testing

/// A client of a media server, of another implementation.
///
/// It offers both directions when it publishes; then it sends a tone of 660 Hz, and frames that differ and are 320 pixels wide.
struct MediaClient {
    enum Implementation: String, CaseIterable {
        case aiortc, pion
    }

    enum Role: String, CaseIterable {
        case publish, play
    }

    let implementation: Implementation
    let program: Program
    /// What Pion sends, or writes when it plays.
    private let files: MediaFiles?

    /// Starts a client of the media server at `url`.
    init(_ implementation: Implementation, _ role: Role, _ url: String) async throws {
        self.implementation = implementation
        let arguments = [role.rawValue, url + (role == .publish ? "/whip" : "/whep")]
        switch implementation {
        case .aiortc:
            files = nil
            program = try Program.aiortc("aiortc_whip_client.py", arguments, hasInput: true)
        case .pion:
            let path = try Program.installed("pion/peer", "Pion")
            let files = role == .publish ? try await MediaFiles.ball(toneHz: 660) : try MediaFiles()
            program = try Program(arguments + [files.video, files.audio], path: path, hasInput: true)
            self.files = files
        }
    }

    /// Waits until it has received audio and video from now on.
    func receivesEverything() async throws {
        switch implementation {
        case .aiortc: try await program.perceives(.everything)
        case .pion:
            func packets(_ kind: String) -> Int {
                program.events.last { $0["event"] as? String == "received" }?[kind] as? Int ?? 0
            }
            let (audio, video) = (packets("audio"), packets("video"))
            // Two seconds of audio, and some thirty frames of several packets.
            try await eventually("both arrive: \(program.errors)") {
                packets("audio") >= audio + 100 && packets("video") >= video + 100
            }
        }
    }

    /// Asks for another network path; aiortc cannot.
    func restartICE() async throws {
        try program.write("restart\n")
        try await eventually("an answer") { program.events.contains { $0["event"] as? String == "restarted" } }
        #expect(status("restarted") == 200)
    }

    /// The status of the first response that this event tells.
    private func status(_ event: String) -> Int? {
        program.events.first { $0["event"] as? String == event }?["status"] as? Int
    }

    /// Ends its session, twice, and itself.
    func end() async throws {
        try program.write("end\n")
        #expect(try await program.waitForExit() == 0, "\(program.errors)")
        #expect(status("deleted") == 200)
        #expect(status("deletedAgain") == 404)
        if implementation == .pion {
            // Its candidates come after its offer.
            let trickled = program.events.filter { $0["event"] as? String == "trickled" }
            #expect(trickled.count >= 2 && trickled.allSatisfy { $0["status"] as? Int == 204 }, "\(trickled)")
        }
    }

    /// Expects that it has received colour bars that move, and 440 Hz.
    func expectTestMedia() async throws {
        let ended = try #require(program.events.last { $0["event"] as? String == "ended" })
        let content: MediaFiles.Content
        if let files {
            content = try await files.decoded()
            #expect(ended["width"] as? Int == 640 && ended["height"] as? Int == 360)
        } else {
            content = .init(
                distinctFrames: ended["distinct"] as? Int ?? 0, bars: ended["colours"] as? [[Int]] ?? [],
                toneHz: ended["hertz"] as? Double)
        }
        #expect(content.distinctFrames > 10)
        #expect(content.bars.count == 7)
        #expect(PageUser.Frame(width: 640, height: 360, bars: content.bars, hash: 0).isSMPTE, "\(content.bars)")
        #expect(abs((content.toneHz ?? 0) - 440) < 5, "\(content)")
    }

    /// Expects that it has received nothing.
    func expectNothing() throws {
        let ended = try #require(program.events.last { $0["event"] as? String == "ended" })
        let figures = implementation == .aiortc ? ["distinct"] : ["audio", "video"]
        for name in figures { #expect(ended[name] as? Int == 0, "\(name)") }
    }
}
