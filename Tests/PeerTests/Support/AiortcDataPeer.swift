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
    static func aiortc(_ script: String, _ arguments: [String], hasInput: Bool = false) throws -> Program {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        let python = root.appendingPathComponent(".build/peers/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else {
            try Test.cancel("aiortc is not there; scripts/install-peers installs it")
        }
        let path = tests.appendingPathComponent("Peers/\(script)").path
        return try Program([path] + arguments, path: python, hasInput: hasInput)
    }
}
