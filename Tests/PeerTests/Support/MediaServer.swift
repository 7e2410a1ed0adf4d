import Foundation
import Testing

/// A media server of another implementation, for WHIP and WHEP.
struct MediaServer {
    enum Implementation: String, CaseIterable {
        case aiortc, pion
    }

    let program: Program
    let port: Int
    private let scheme: String

    init(_ implementation: Implementation = .aiortc, _ arguments: [String] = []) async throws {
        let program =
            switch implementation {
            case .aiortc: try Program.aiortc("aiortc_whip.py", arguments)
            case .pion: try Program(["serve"], path: Program.installed("pion/peer", "Pion"))
            }
        let event = try await program.event(["event": "listening"])
        self.program = program
        port = try #require(event["port"] as? Int)
        scheme = arguments.contains("--certificate") ? "https" : "http"
    }

    func url(_ path: String) -> String { "\(scheme)://127.0.0.1:\(port)/\(path)" }

    /// Starts a program that sends colour bars and 440 Hz.
    func publish(_ path: String, _ arguments: [String] = []) throws -> Program {
        try Program(
            ["publish", url(path), "--events", "--ice-interface", "127.0.0.1"]
                + ["--video", "test:smpte", "--audio", "tone:440"] + arguments)
    }

    /// Starts a program that receives.
    func play(_ path: String, _ arguments: [String] = []) throws -> Program {
        try Program(["play", url(path), "--events", "--ice-interface", "127.0.0.1"] + arguments)
    }

    /// The methods of the requests so far.
    var methods: [String] {
        program.events.filter { $0["event"] as? String == "request" }.compactMap { $0["method"] as? String }
    }

    /// Sends a request to the server itself, without waiting for its answer.
    func tell(_ path: String) throws {
        let request = "GET /\(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        try BlockingSocket(port: port, "the media server").write(Data(request.utf8))
    }
}
