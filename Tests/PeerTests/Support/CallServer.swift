import Foundation
import Testing

/// A `callagent serve`, and agents that sign in to it.
struct CallServer {
    let program: Program
    /// The URL of the signaling.
    let url: String
    /// Whether it requires tokens.
    let wantsTokens: Bool

    /// - Parameter prefix: the words in front of the command, such as those that run it in a network namespace.
    init(_ arguments: [String] = [], listen: String = "127.0.0.1:0", prefix: [String] = []) async throws {
        wantsTokens = arguments.contains("--token-key-file")
        let command = prefix + [Program.path, "serve", "--listen", listen, "--events"] + arguments
        let program = try Program(Array(command.dropFirst()), path: command[0])
        try await eventually("the server listens") { program.hasEvent(["event": "serving"]) }
        self.program = program
        url = try #require(program.events.first?["url"] as? String)
    }

    /// Kills this server and starts another one at its address.
    func restarted() async throws -> CallServer {
        program.signal(SIGKILL)
        try await program.waitForExit()
        return try await CallServer(listen: url.replacingOccurrences(of: "ws://", with: ""))
    }

    /// The URL of the page.
    var page: String { url.replacingOccurrences(of: "ws://", with: "http://") + "/" }

    /// Starts an agent that listens.
    ///
    /// Its media can be identified.
    func listen(_ user: String, _ arguments: [String] = []) async throws -> Program {
        let listener = try Program(["listen", "--as", user, "--events"] + common + arguments)
        try await eventually("\(user) listens") { listener.hasEvent(["event": "listening"]) }
        return listener
    }

    /// Starts an agent that calls.
    func call(_ peer: String, as user: String, _ arguments: [String] = []) throws -> Program {
        try Program(["call", peer, "--as", user] + common + arguments)
    }

    private var common: [String] {
        ["--signaling", url, "--ice-interface", "127.0.0.1", "--video", "test:smpte", "--audio", "tone:440"]
    }
}

extension Program {
    /// Waits for a line of `--events` and returns it.
    func event(
        _ fields: [String: String], within limit: Duration = .seconds(20),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String: Any] {
        try await eventually("\(fields)", within: limit, sourceLocation: sourceLocation) { self.hasEvent(fields) }
        return try #require(
            events.first { event in fields.allSatisfy { event[$0.key] as? String == $0.value } },
            sourceLocation: sourceLocation)
    }

    /// The report of the ended call.
    func report(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Report {
        let event = try await event(["event": "report"], sourceLocation: sourceLocation)
        return Report(try #require(event["report"] as? [String: Any], sourceLocation: sourceLocation))
    }

    /// The report of the only call of a `call --json`.
    func onlyCall(sourceLocation: SourceLocation = #_sourceLocation) throws -> Report {
        let calls = try document()["calls"] as? [[String: Any]]
        return Report(try #require(calls?.first, sourceLocation: sourceLocation))
    }
}

/// The program's report of a call.
struct Report {
    let document: [String: Any]

    init(_ document: [String: Any]) { self.document = document }

    /// A number such as `video.received.distinctFrames`.
    func number(_ path: String) -> Double? { (value(path) as? NSNumber)?.doubleValue }
    /// Whether the received audio was a tone of about that pitch.
    ///
    /// A busy machine loses some of the audio.
    func hears(_ hertz: Double) -> Bool { abs((number("audio.received.toneHz") ?? 0) - hertz) < 0.02 * hertz }
    func text(_ path: String) -> String? { value(path) as? String }

    private func value(_ path: String) -> Any? {
        path.split(separator: ".").reduce(document as Any?) { ($0 as? [String: Any])?[String($1)] }
    }
}
