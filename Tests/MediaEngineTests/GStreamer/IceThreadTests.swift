import Foundation
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The thread of all ICE agents") struct IceThreadTests {
        /// How often the thread has written something so far; sending a packet does not count.
        private static func writes() throws -> Int? {
            let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
            for task in tasks.map({ "/proc/self/task/\($0)" })
            // Other threads may end meanwhile.
            where (try? String(contentsOfFile: "\(task)/comm", encoding: .utf8)) == "ice\n" {
                let text = try String(contentsOfFile: "\(task)/io", encoding: .utf8)
                let fields = text.split(whereSeparator: \.isWhitespace)
                return fields.firstIndex(of: "syscw:").flatMap { Int(fields[$0 + 1]) }
            }
            return nil
        }

        @Test(
            "A received packet wakes it once: it does not write to wake itself again",
            .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/io"), "the kernel counts no writes"))
        func wakes() async throws {
            try await withCall { call in
                try await call.connect()
                try await call.callee.waitForFrames(10)
                let before = try #require(try Self.writes())
                try await call.callee.waitForMoreFrames(60)
                // GLib would write twice for each packet, of which each frame has at least one.
                #expect(try #require(try Self.writes()) - before < 60)
            }
        }
    }
}
