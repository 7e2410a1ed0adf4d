import Foundation
import TestServers
import Testing

/// A `callagent listen` that is a media server, with identifiable media.
struct MediaEndpoint {
    let program: Program
    let url: String
    /// A key for tokens; nil without one.
    private let key: TemporaryFile?

    init(_ arguments: [String] = [], hasTokens: Bool = false, audio: String = "tone:440") async throws {
        let key = hasTokens ? try TemporaryFile(String(repeating: "secret of this test ", count: 3)) : nil
        let program = try Program(
            ["listen", "--http-listen", "127.0.0.1:0", "--events", "--ice-interface", "127.0.0.1"]
                + ["--video", "test:smpte", "--audio", audio] + Program.tellsMoments
                + (key.map { ["--http-token-key-file", $0.path] } ?? []) + arguments)
        let event = try await program.event(["event": "listening"])
        (self.program, self.key) = (program, key)
        url = try #require(event["url"] as? String)
    }

    /// A token for this user.
    func token(for user: String) async throws -> String {
        let key = try #require(key)
        let program = try Program(["token", "--key-file", key.path, "--user", user])
        #expect(try await program.waitForExit() == 0, "\(program.errors)")
        return program.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Reports of ended sessions, in their order.
    var reports: [Report] {
        program.events.filter { $0["event"] as? String == "report" }
            .compactMap { ($0["report"] as? [String: Any]).map(Report.init) }
    }
}
