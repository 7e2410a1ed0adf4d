import Foundation
import Testing

extension EndToEnd {
    /// The exit of the program.
    @Suite struct ExitTests {
        @Test("No library's destructor runs while GStreamer's threads may still load plugins")
        func destructors() async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("exit-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let log = folder.appendingPathComponent("ld").path
            let program = try Program(["devices"], environment: ["LD_DEBUG": "files", "LD_DEBUG_OUTPUT": log])
            #expect(try await program.waitForExit() == 0, "\(program.errors)")
            // The dynamic linker appends the process id to the name.
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let lines = try names.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
                .joined().split(separator: "\n")
            #expect(lines.contains { $0.contains("calling init") && $0.contains("libgobject") })
            let destructors = lines.filter { $0.contains("calling fini") && $0.contains("libgobject") }
            #expect(destructors.isEmpty, "\(destructors)")
        }
    }
}
