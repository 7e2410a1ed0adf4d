import Foundation
import Testing

extension EndToEnd {
    /// What is run and told when calls ring and end.
    @Suite struct HookCommandTests {
        private let folder = Folder()

        @Test("Programs get the facts of the call as variables, at both ends, and nothing of them is run by a shell")
        func programs() async throws {
            let trio = try await Trio()
            let script = try folder.write(
                """
                #!/bin/sh
                env | grep ^CALLAGENT_ > "$1.tmp"
                echo "ARGUMENT=$2" >> "$1.tmp"
                echo "never on standard output"
                mv "$1.tmp" "$1"
                """, "hook", executable: true)
            let (ring, end, mine) = (folder.path("ring"), folder.path("end"), folder.path("mine"))
            let bob = try await trio.listen([
                "--once", "--on-ring", "\(script) '\(ring)' \"$(id) `id` ;x\"", "--on-end", "\(script) \(end)",
            ])
            let alice = try trio.call([
                "--duration", "2s", "--events", "--display-name", "Alice\nX=1", "--on-end", "\(script) \(mine)",
            ])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let callId = try #require(alice.events.last?["callId"] as? String)

            let ringing = try facts(ring)
            #expect(ringing["CALLAGENT_EVENT"] == "ring" && ringing["CALLAGENT_CALL_ID"] == callId)
            #expect(ringing["CALLAGENT_ROLE"] == "callee" && ringing["CALLAGENT_PEER"] == "alice")
            #expect(ringing["CALLAGENT_USER"] == "bob" && ringing["CALLAGENT_REASON"] == nil)
            #expect(ringing["CALLAGENT_DISPLAY_NAME"] == #"Alice\u{a}X=1"#)
            #expect(ringing["ARGUMENT"] == "$(id) `id` ;x")
            let ended = try facts(end)
            #expect(ended["CALLAGENT_EVENT"] == "end" && ended["CALLAGENT_REASON"] == "remoteHangup")
            #expect(ended["CALLAGENT_CODE"] == "9900" && ended["CALLAGENT_BY"] == "alice")
            #expect(Int(ended["CALLAGENT_CONNECTED_MS"] ?? "") ?? 0 >= 150)
            // The caller's program waits for its hooks before it ends.
            #expect(try facts(mine)["CALLAGENT_REASON"] == "localHangup")
            #expect(!alice.output.contains("never on") && alice.errors.contains("never on"))
        }

        @Test("Webhooks get the same as JSON")
        func webhooks() async throws {
            let trio = try await Trio()
            let server = try WebHookServer()
            let url = "http://127.0.0.1:\(server.port)/calls?key=1"
            let bob = try await trio.listen(["--once", "--on-ring", url, "--on-end", url])
            let alice = try trio.call(["--duration", "200ms"])
            #expect(try await alice.waitForExit() == 0)
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            try await eventually("two events") { server.events.count == 2 }
            let ring = try #require(server.events.first { $0["event"] as? String == "ring" })
            let end = try #require(server.events.first { $0["event"] as? String == "end" })
            #expect(try ring.text("peer") == "alice" && ring.text("callId") == end.text("callId"))
            #expect(ring["reason"] == nil)
            #expect(try end.text("reason") == "remoteHangup" && end.number("code") == 9900)
            #expect(bob.errors.isEmpty, "\(bob.errors)")
        }

        @Test(
            "Nothing is done for a caller who is refused: no ringing, no hook",
            arguments: [["--reject"], ["--allow", "carol"]])
        func refused(options: [String]) async throws {
            let trio = try await Trio()
            let server = try WebHookServer()
            let url = "http://127.0.0.1:\(server.port)/calls"
            let bob = try await trio.listen(options + ["--on-ring", url, "--on-end", url])
            let alice = try trio.call(["--events"])
            #expect(try await alice.waitForExit() == 4)
            #expect(!alice.hasEvent(["stage": "ringing"]) && !alice.hasEvent(["state": "ringing"]), "\(alice.output)")
            bob.signal(SIGTERM)
            try await bob.waitForExit()
            #expect(server.events.isEmpty)
        }

        @Test("Hooks that fail or hang are told on standard error, and no call waits for them")
        func failing() async throws {
            let trio = try await Trio()
            let (silent, failing) = (try WebHookServer(status: nil), try WebHookServer(status: 500))
            let bob = try await trio.listen([
                "--once", "--on-ring", "http://127.0.0.1:\(silent.port)", "--on-ring", "http://127.0.0.1:1",
                "--on-ring", "http://127.0.0.1:\(failing.port)", "--on-ring", "/bin/false", "--on-ring",
                "/bin/sleep 60",
                "--on-ring", "/bin/true",
            ])
            let alice = try trio.call(["--duration", "200ms", "--expect", "timelineMs.connected<3000"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            #expect(try await bob.waitForExit(within: .seconds(15)) == 0, "\(bob.errors)")
            for part in [
                "no answer within 5 s", "no connection to 127.0.0.1:1", "the answer was 500",
                "'/bin/false' failed: it ended with 1", "'/bin/sleep' failed: it still ran",
            ] { #expect(bob.errors.contains(part), "\(bob.errors)") }
            #expect(!bob.errors.contains("/bin/true"))
        }

        @Test(
            "A hook that cannot be run is wrong usage",
            arguments: [
                ("/nonexistent/hook", "is no program"), ("/etc", "is no program"),
                ("no-such-program x", "is no program"),
                ("", "use a command"), ("/bin/echo 'a", "quotation mark"), ("https://127.0.0.1/", "http://"),
                ("http://user:x@127.0.0.1/", "without a password"), ("http:///x", "is no URL"),
                ("http://127.0.0.1/a b", "is no URL"),
            ])
        func usage(hook: String, part: String) async throws {
            let bob = try Program(["listen", "--as", "bob", "--on-ring", hook])
            #expect(try await bob.waitForExit() == 2)
            #expect(bob.errors.contains("--on-ring") && bob.errors.contains(part), "\(bob.errors)")
        }

        private func facts(_ path: String) throws -> [String: String] {
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            return Dictionary(
                lines.map { line in
                    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    return (String(parts[0]), String(parts.last ?? ""))
                }, uniquingKeysWith: { first, _ in first })
        }
    }
}
