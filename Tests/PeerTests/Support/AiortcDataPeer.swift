import Foundation
import Synchronization
import Testing

/// A data channel peer on aiortc.
final class AiortcDataPeer: DataPeer {
    private let program: Program
    private let requests = Mutex(0)

    /// Skips the test if aiortc is not installed.
    init() throws { program = try Program.aiortc("aiortc_data.py", [], hasInput: true) }

    func ask(_ operation: String, _ argument: String) async throws -> Data {
        let id = requests.withLock { count in
            count += 1
            return count
        }
        let request: [String: Any] = ["id": id, "do": operation, "argument": argument]
        try program.write(String(decoding: try JSONSerialization.data(withJSONObject: request), as: UTF8.self) + "\n")
        let reply = try await program.event(["event": "\(id)"])
        return try JSONSerialization.data(withJSONObject: reply["value"] ?? NSNull(), options: .fragmentsAllowed)
    }

    /// Closes its connection and waits for its process to end.
    func close() async throws {
        program.endInput()
        #expect(try await program.waitForExit() == 0, "\(program.errors)")
    }
}

extension Program {
    /// Starts a script of the folder `Peers` with the Python that has aiortc; skips the test if it is not installed.
    ///
    /// `prefix` are words in front of the command.
    static func aiortc(
        _ script: String, _ arguments: [String], hasInput: Bool = false, prefix: [String] = []
    ) throws -> Program {
        let python = try installed("peers/bin/python", "aiortc")
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let path = tests.appendingPathComponent("Peers/\(script)").path
        // No byte code beside the sources.
        let words = prefix + [python, "-B", path] + arguments
        return try Program(Array(words.dropFirst()), path: words[0], hasInput: hasInput)
    }

    /// The path of a program below `.build`; skips the test if it is not there.
    static func installed(_ path: String, _ name: String) throws -> String {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let path = root.appendingPathComponent(".build/\(path)").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            try Test.cancel("\(name) is not there; scripts/install-peers installs it")
        }
        return path
    }
}
