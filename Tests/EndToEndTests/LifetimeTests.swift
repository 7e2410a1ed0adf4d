import Foundation
import Testing

extension EndToEnd {
    /// Many calls leak nothing.
    ///
    /// Each check runs in its own process, because `fatal-criticals` aborts.
    @Suite struct LifetimeTests {
        @Test("100 calls leak no threads, descriptors or memory")
        func soak() async throws {
            let demo = try Program(
                ["demo", "--calls", "100", "--duration", "300ms", "--events"],
                environment: [
                    // Freed memory is returned at once, so that the resident memory is the memory in use.
                    "G_DEBUG": "fatal-criticals", "MALLOC_ARENA_MAX": "1", "MALLOC_TOP_PAD_": "0",
                    "MALLOC_MMAP_THRESHOLD_": "32768", "MALLOC_TRIM_THRESHOLD_": "32768",
                ])
            // Takes many samples during each call.
            var samples: [[Sample]] = Array(repeating: [], count: 101)
            var (ended, position) = (0, 0)
            try await eventually("100 calls", within: .seconds(200)) {
                ended += demo.newEvents(since: &position).count {
                    $0["event"] as? String == "stateChanged" && $0["state"] as? String == "ended"
                }
                if let sample = Sample(pid: demo.pid), ended < 100 { samples[ended].append(sample) }
                return demo.exitStatus != nil
            }
            #expect(demo.exitStatus == 0, "\(demo.errors)")
            #expect(demo.count(of: ["event": "stateChanged", "state": "connected"]) == 100)
            let (early, late) = (samples[20..<40].flatMap { $0 }, samples[80..<100].flatMap { $0 })
            try #require(early.count >= 40 && late.count >= 40)
            // The most frequent value is that of a running call. There are more while one call is closed and the next begins.
            #expect(Self.mode(late.map(\.descriptors)) <= Self.mode(early.map(\.descriptors)))
            // Swift's and Dispatch's pools keep a few threads more or less.
            #expect(Self.mode(late.map(\.threads)) <= Self.mode(early.map(\.threads)) + 6)
            let resident = samples[20..<100].filter { !$0.isEmpty }.map { Double(Self.median($0.map(\.residentKB))) }
            // The reports of both ends are kept until the summary. One leaked frame would be 345 kB.
            #expect(Self.slope(resident) < 100, "kB per call")
        }

        @Test("At the end of a process the only living GStreamer object is its one DTLS agent")
        func leaks() async throws {
            let log = NSTemporaryDirectory() + "callagent-leaks-\(UUID().uuidString).log"
            defer { try? FileManager.default.removeItem(atPath: log) }
            let demo = try Program(
                ["demo", "--calls", "3", "--duration", "300ms", "--record", log + ".mkv"],
                environment: [
                    "GST_TRACERS": "leaks", "GST_DEBUG": "GST_TRACER:7", "GST_DEBUG_FILE": log,
                    "GST_DEBUG_NO_COLOR": "1",
                    "G_DEBUG": "fatal-criticals",
                ])
            #expect(try await demo.waitForExit() == 0, "\(demo.errors)")
            for number in ["", "-2", "-3"] { try? FileManager.default.removeItem(atPath: log + number + ".mkv") }
            let alive = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
                .filter { $0.contains(":: object-alive, ") }
            #expect(alive.count == 1)
            #expect(alive.allSatisfy { $0.contains("type-name=(string)GstDtlsAgent") }, "\(alive)")
        }

        /// The resources of a process.
        private struct Sample {
            let residentKB: Int
            let threads: Int
            let descriptors: Int

            init?(pid: Int32) {
                guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
                    let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
                else { return nil }
                func number(_ name: String) -> Int? {
                    status.split(separator: "\n").first { $0.hasPrefix(name + ":") }?
                        .split { !$0.isNumber }.first.flatMap { Int($0) }
                }
                guard let resident = number("VmRSS"), let threads = number("Threads") else { return nil }
                residentKB = resident
                self.threads = threads
                self.descriptors = descriptors
            }
        }

        private static func median(_ values: [Int]) -> Int { values.sorted()[values.count / 2] }

        /// The most frequent value; the highest if there are several.
        private static func mode(_ values: [Int]) -> Int {
            let counts = Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
            return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
        }

        /// The slope of the best-fit line, per element.
        private static func slope(_ values: [Double]) -> Double {
            let middle = Double(values.count - 1) / 2
            let mean = values.reduce(0, +) / Double(values.count)
            let pairs = values.enumerated().map { (x: Double($0.offset) - middle, y: $0.element - mean) }
            return pairs.map { $0.x * $0.y }.reduce(0, +) / pairs.map { $0.x * $0.x }.reduce(0, +)
        }
    }
}
