import Foundation
import Testing

/// A `callagent serve` process that a test kills and starts again at the same address.
final class MortalServer {
    let url: String
    private(set) var program: Program
    private let options: [String]

    init(_ options: [String] = []) async throws {
        self.options = options
        program = try await Self.start("127.0.0.1:0", options)
        url = try #require(program.events.first?["url"] as? String)
    }

    /// Kills it like a crash: clients get no message.
    func die() async throws {
        program.signal(SIGKILL)
        try await program.waitForExit()
    }

    /// Starts a new process at the old address, without any state.
    func rise() async throws { program = try await Self.start(String(url.dropFirst("ws://".count)), options) }

    private static func start(_ address: String, _ options: [String]) async throws -> Program {
        let program = try Program(["serve", "--listen", address, "--events"] + options)
        try await eventually("the server listens: \(program.errors)") { program.hasEvent(["event": "serving"]) }
        return program
    }
}
