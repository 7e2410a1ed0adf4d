import Foundation
import Testing

extension EndToEnd {
    /// The logs of the program and of GStreamer.
    @Suite struct LogTests {
        /// GStreamer's own format begins with the time since its start.
        private static func linesOfGStreamer(_ text: String) -> [Substring] {
            text.split(separator: "\n").filter { $0.firstMatch(of: /^\d+:\d\d:\d\d\.\d{9}/) != nil }
        }

        private func run(_ arguments: [String], debug: String = "") async throws -> String {
            let program = try Program(
                ["demo", "--duration", "300ms"] + arguments,
                environment: ["GST_DEBUG": debug, "GST_DEBUG_NO_COLOR": "1"])
            #expect(try await program.waitForExit() == 0, "\(program.errors.suffix(2_000))")
            return program.errors
        }

        @Test("trace-media puts GStreamer's log into the program's log, and GStreamer prints nothing itself")
        func media() async throws {
            let text = try await run(["--log-level", "trace-media"])
            let lines = text.split(separator: "\n")
            #expect(lines.contains { $0.contains("category=webrtc") && $0.contains(" info ") })
            #expect(lines.contains { $0.contains("category=") && $0.contains("object=") && $0.contains("[GStreamer]") })
            #expect(lines.contains { !$0.contains("category=") && $0.contains("debug") || $0.contains("[Agent]") })
            #expect(Self.linesOfGStreamer(text).isEmpty)
        }

        @Test("With GST_DEBUG the log has exactly the GStreamer messages that it selects")
        func chosen() async throws {
            let text = try await run(["--log-level", "trace-media"], debug: "rtpsession:5")
            let categories = Set(
                text.matches(of: /category=(\S+)/).map { String($0.output.1) })
            #expect(categories == ["rtpsession"])
            #expect(text.contains(" debug ") && Self.linesOfGStreamer(text).isEmpty)
        }

        @Test("Without trace-media GStreamer prints what GST_DEBUG selects, and the program's log has none of it")
        func off() async throws {
            #expect(try await run(["--log-level", "error"]).isEmpty)
            let text = try await run(["--log-level", "error"], debug: "webrtcbin:5")
            #expect(!Self.linesOfGStreamer(text).isEmpty && !text.contains("category="))
            let wrong = try Program(["demo", "--log-level", "loud"])
            #expect(try await wrong.waitForExit() == 2)
            #expect(wrong.errors.contains("trace-media"))
        }
    }
}
