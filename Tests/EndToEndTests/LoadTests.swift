import Foundation
import Testing

@testable import callagent_cli

extension EndToEnd {
    /// Many calls at a time.
    @Suite struct LoadTests {
        @Test(
            "Two workers share the calls, and media flows in each of them both ways",
            arguments: [
                (["--video-size", "320x180@30", "--duration", "4s"], decoded: 20.0, rate: 20.0),
                // Half as many frames a second, since each of them is encoded and decoded for each end.
                (
                    ["--video-size", "320x180@15", "--duration", "8s", "--encode", "each", "--decode", "all"],
                    decoded: 80.0, rate: 12.0
                ),
            ])
        func pair(options: [String], decoded: Double, rate: Double) async throws {
            let standstill = Standstill()
            let load = try Program(
                [
                    // Small frames, since a busy machine would leave out large ones.
                    "load", "--pair", "--calls", "4", "--workers", "2", "--rate", "10/s", "--json",
                    "--expect", "summary.connected==4", "--expect",
                    "callee.video.received.framesReceived>80",
                    "--expect", "summary.usagePerEnd.threads.max>1",
                ] + options)
            #expect(try await load.waitForExit() == 0, "\(load.errors)")
            let document = try load.document()
            let calls = try #require(document["calls"] as? [[String: Any]])
            #expect(calls.count == 4)
            // At 30 frames a second at most; 0 unless the machine itself stood still.
            let uncaptured = standstill.seconds * 30
            for call in calls {
                for (end, other) in [("caller", "callee"), ("callee", "caller")] {
                    // What was sent arrived, but for what the encoder has at the end.
                    let sent = try call.number("\(other).video.sent.framesSent")
                    #expect(try call.number("\(end).video.received.framesReceived") > 0.9 * sent - 15)
                    // Frames that differ, and the tone.
                    #expect(try call.number("\(end).video.received.distinctFrames") > decoded)
                    // Each frame arrived once, in order, and soon.
                    #expect(try call.number("\(end).video.received.quality.framesMarked") > decoded)
                    #expect(try call.number("\(end).video.received.quality.framesMissing") < 15 + uncaptured)
                    #expect(try call.number("\(end).video.received.quality.framesReordered") == 0)
                    #expect(try call.number("\(end).video.received.quality.delayMs.median") < 500)
                    #expect(abs(try call.number("\(end).audio.received.toneHz") - 440) < 9)
                }
                #expect(try call.text("caller.callId") == call.text("callee.callId"))
            }
            // Each worker has a caller and a callee of its own.
            #expect(Set(try calls.map { try $0.text("caller.peer") }) == ["callee-1", "callee-2"])
            #expect(try document.number("summary.caller.timelineMs.connected.p95") > 0)
            let moments = try #require(document["moments"] as? [[String: Any]])
            #expect(try moments.map { try $0.number("connectedCalls") }.max() == 4)
            #expect(try moments.map { try $0.number("ends") }.max() == 8)
            #expect(moments.contains { ($0["framesPerSecond"] as? Double ?? 0) > rate })
            #expect(try document.number("summary.usage.cpuPercent.max") > 1)
        }

        @Test("A load on callees of others takes turns, and replaces calls that end")
        func callees() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--max-calls", "4"])
            let carol = try Program(["listen", "--as", "carol", "--max-calls", "4", "--events"] + trio.common)
            try await eventually("carol listens") { carol.hasEvent(["event": "listening"]) }
            let load = try Program(
                [
                    "load", "bob", "carol", "--as", "alice", "--calls", "2", "--total", "5", "--rate", "20/s",
                    "--duration",
                    "1s", "--json",
                ]
                    + trio.common)
            #expect(try await load.waitForExit() == 0, "\(load.errors)")
            bob.signal(SIGINT)
            let document = try load.document()
            let calls = try #require(document["calls"] as? [[String: Any]])
            carol.signal(SIGINT)
            #expect(calls.count == 5)
            #expect(Set(try calls.map { try $0.text("peer") }) == ["bob", "carol"])
            for call in calls { #expect(try call.number("video.received.framesDecoded") > 10) }
            let moments = try #require(document["moments"] as? [[String: Any]])
            #expect(try moments.map { try $0.number("connectedCalls") }.allSatisfy { $0 <= 2 })
        }

        @Test("A call that fails fails the load, and its reason is in the text and in JUnit")
        func failing() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--max-calls", "1"])
            let folder = Folder()
            let load = try Program(
                [
                    "load", "bob", "nobody", "--as", "alice", "--calls", "2", "--workers", "1", "--duration", "1s",
                    "--junit", folder.path("verdict.xml"), "--html", folder.path("report.html"),
                ] + trio.common)
            #expect(try await load.waitForExit() == 4)
            bob.signal(SIGINT)
            #expect(
                load.lines.contains { $0.contains("to nobody: the call ended with unknownUser (404)") },
                "\(load.output)")
            #expect(load.lines.last?.hasPrefix("fail: 1 of 2 calls connected") == true)
            let junit = try String(contentsOfFile: folder.path("verdict.xml"), encoding: .utf8)
            #expect(junit.contains(#"tests="2" failures="1""#))
            let html = try String(contentsOfFile: folder.path("report.html"), encoding: .utf8)
            #expect(html.contains("Calls that failed: 1") && html.contains("unknownUser"))
            #expect(html.contains(#"<span class="verdict fail">"#) && html.contains("<polyline"))
        }

        @Test("A load that cannot sign in says so, and prints no document")
        func noServer() async throws {
            let load = try Program(["load", "bob", "--as", "alice", "--signaling", "ws://127.0.0.1:1", "--json"])
            #expect(try await load.waitForExit() == 3)
            #expect(load.output.isEmpty && load.errors.contains("cannot reach the signaling server"), "\(load.errors)")
        }

        @Test(
            "What the end of the load cuts off is judged, too",
            arguments: [("never", 4), ("now", 5)] as [(String, Int32)])
        func cutOff(answer: String, status: Int32) async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--max-calls", "4", "--video", "none", "--answer", answer])
            let load = try Program(
                [
                    "load", "bob", "--as", "alice", "--calls", "2", "--for", "3s", "--duration", "forever",
                    "--require-media",
                ] + trio.common)
            #expect(try await load.waitForExit() == status, "\(load.errors)")
            bob.signal(SIGINT)
            let text = answer == "never" ? "no call was connected when the load ended" : "bob sent no video"
            #expect(load.errors.contains(text), "\(load.errors)")
        }

        @Test("A signal hangs up, the report has the calls so far, and no worker stays", arguments: [SIGINT, SIGTERM])
        func interrupted(signal: Int32) async throws {
            let load = try await lasting()
            let workers = try load.children
            #expect(workers.count == min(2, ProcessInfo.processInfo.activeProcessorCount))
            load.signal(signal)
            #expect(try await load.waitForExit() == 128 + signal)
            let reports = load.events.filter { $0["event"] as? String == "report" }
            #expect(reports.count == 2)
            for report in reports {
                #expect(try report.text("caller.end.reason") == "localHangup")
                #expect(try report.number("callee.video.received.framesDecoded") > 0)
                #expect(report["failure"] == nil)
            }
            try await eventually("the workers are gone") { workers.allSatisfy(Self.hasEnded) }
        }

        @Test("Workers hang up and end when the process that started them is killed")
        func killed() async throws {
            let load = try await lasting()
            let workers = try load.children
            load.signal(SIGKILL)
            try await eventually("the workers are gone") { workers.allSatisfy(Self.hasEnded) }
        }

        @Test("A worker that dies fails the load, and the other calls are in the report")
        func deadWorker() async throws {
            let load = try await lasting(["--workers", "2"])
            let workers = try load.children
            kill(try #require(workers.first), SIGKILL)
            #expect(try await load.waitForExit() == 7)
            #expect(load.errors.contains("a worker was ended by signal 9"), "\(load.errors)")
            #expect(load.count(of: ["event": "report"]) == 1)
            try await eventually("the workers are gone") { workers.allSatisfy(Self.hasEnded) }
        }

        /// Whether a process is gone; one that nobody has waited for has ended, too.
        private static func hasEnded(_ pid: Int32) -> Bool {
            guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return true }
            return status[(status.lastIndex(of: ")") ?? status.startIndex)...].hasPrefix(") Z")
        }

        /// A load of two calls that are up.
        private func lasting(_ options: [String] = []) async throws -> Program {
            let load = try Program(
                ["load", "--pair", "--calls", "2", "--for", "10m", "--duration", "forever", "--events"] + options)
            try await eventually("both calls are up: \(load.errors)") {
                load.events.contains { ($0["moment"] as? [String: Any])?["connectedCalls"] as? Int == 2 }
            }
            return load
        }

        @Test(
            "Bad options are refused",
            arguments: [
                (["load"], "name the users to call, or use --pair"),
                (["load", "bob"], "Missing expected argument '--as <user>'"),
                (["load", "--pair", "bob"], "leave callees, --as and --signaling out"),
                (["load", "--pair", "--calls", "0"], "--calls takes 1 to 1000"),
                (["load", "--pair", "--rate", "0/s"], "--rate"),
                (["load", "--pair", "--total", "3", "--for", "1m"], "--total and --for exclude each other"),
                (["load", "--pair", "--duration", "forever"], "--duration forever needs --for"),
                (
                    ["load", "--pair", "--sink-video", "window"],
                    "--sink-video, --sink-audio and snapshots are for single calls"
                ),
                (["load", "--pair", "--events", "--stats-interval", "1s"], "--stats-interval is for single calls"),
                (["load", "--pair", "--expect", "caller.statistics.1.x<1"], "no 'statistics'"),
                (["load", "--pair", "--record", "x.mkv"], "--record and --preview are for single calls"),
                (["load", "--pair", "--html", "/"], "--html: '/' is a folder"),
            ])
        func refused(arguments: [String], text: String) async throws {
            let load = try Program(arguments)
            #expect(try await load.waitForExit() == 2)
            #expect(load.errors.contains(text), "\(load.errors)")
        }

        @Test("The report does not have secrets of the command line")
        func secrets() {
            let arguments = [
                "load", "bob", "--token", "abc", "--ice-server=turn:a:b@c", "--video", "rtsp://user:word@192.0.2.7/cam",
                "--at", "5s=video=rtsp://u:p@h/", "--extension", "key=secret", "--signaling", "wss://u:p@h/x?token=y",
                "https://h/whep?token=y", "http://h/whep?token=y",
            ]
            #expect(
                LoadPage.shown(arguments) == [
                    "load", "bob", "--token", "…", "--ice-server=…", "--video", "rtsp://…@192.0.2.7/cam",
                    "--at", "5s=video=rtsp://…@h/", "--extension", "…", "--signaling", "wss://…@h/x?…",
                    "https://h/whep?…", "http://h/whep?…",
                ])
        }
    }
}
