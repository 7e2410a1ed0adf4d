import Foundation
import TestServers
import Testing

extension EndToEnd {
    /// The programs and webhooks that run when calls ring and end.
    @Suite struct HookCommandTests {
        private let folder = Folder()

        @Test("Programs get the facts of the call as environment variables, at both ends, and no shell runs them")
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
            // The caller's program waits for its hooks before it exits.
            #expect(try facts(mine)["CALLAGENT_REASON"] == "localHangup")
            #expect(!alice.output.contains("never on") && alice.errors.contains("never on"))
        }

        @Test("Webhooks get the facts of the call as JSON")
        func webhooks() async throws {
            let trio = try await Trio()
            let server = try WebHookServer()
            let url = "http://127.0.0.1:\(server.port)/calls?key=1"
            let bob = try await trio.listen(["--once", "--on-end", url, "--on-connect", url, "--on-ring", url])
            let alice = try trio.call(["--duration", "200ms", "--room", "lab"])
            #expect(try await alice.waitForExit() == 0)
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            try await eventually("three events") { server.events.count == 3 }
            #expect(server.events.map { $0["event"] as? String } == ["ring", "connect", "end"])
            let (ring, connect, end) = (server.events[0], server.events[1], server.events[2])
            #expect(try connect.text("user") == "bob" && connect.text("peer") == "alice")
            #expect(try connect.text("room") == "lab" && connect["connectedMs"] == nil && connect["reason"] == nil)
            #expect(try ring.text("peer") == "alice" && ring.text("callId") == end.text("callId"))
            #expect(ring["reason"] == nil)
            #expect(try end.text("reason") == "remoteHangup" && end.number("code") == 9900)
            #expect(try end.text("room") == "lab" && end.number("connectedMs") >= 150)
            #expect(bob.errors.isEmpty, "\(bob.errors)")
        }

        @Test(
            "A refused caller causes no ringing and no hook",
            arguments: [
                (["--reject"], "remoteRejected"), (["--busy"], "remoteBusy"), (["--allow", "carol"], "remoteRejected"),
            ])
        func refused(options: [String], reason: String) async throws {
            let trio = try await Trio()
            let server = try WebHookServer()
            let url = "http://127.0.0.1:\(server.port)/calls"
            let bob = try await trio.listen(options + ["--on-ring", url, "--on-end", url])
            let alice = try trio.call(["--events"])
            #expect(try await alice.waitForExit() == 4)
            #expect(!alice.hasEvent(["stage": "ringing"]) && !alice.hasEvent(["state": "ringing"]), "\(alice.output)")
            #expect(alice.hasEvent(["state": "ended", "reason": reason]))
            bob.signal(SIGTERM)
            try await bob.waitForExit()
            #expect(server.events.isEmpty)
        }

        @Test("A call without an answer runs the hooks of its ringing and its end, and none of a connection")
        func unanswered() async throws {
            let trio = try await Trio()
            let server = try WebHookServer()
            let url = "http://127.0.0.1:\(server.port)/calls"
            let bob = try await trio.listen([
                "--answer", "never", "--once", "--on-ring", url, "--on-connect", url, "--on-end", url,
            ])
            let alice = try trio.call(["--ring-timeout", "500ms"])
            #expect(try await alice.waitForExit() == 4)
            #expect(alice.errors.contains("the call ended with ringTimeout (487)"), "\(alice.errors)")
            #expect(try await bob.waitForExit() == 4, "\(bob.errors)")
            #expect(server.events.map { $0["event"] as? String } == ["ring", "end"])
            let end = try #require(server.events.last)
            #expect(try end.text("reason") == "remoteRingTimeout" && end.number("code") == 487)
            #expect(try end.text("by") == "alice" && end["connectedMs"] == nil)
        }

        @Test("A webhook by TLS is sent only to a trusted server with the right host name")
        func secureWebhooks() async throws {
            let trio = try await Trio()
            let server = try WebHookServer()
            let (good, stranger) = (try TestCertificate(), try TestCertificate())
            let other = try TestCertificate(host: "example.org", address: [192, 0, 2, 1])
            let roots = try folder.write(
                try [good, other].map { try String(contentsOfFile: $0.certificate.path, encoding: .utf8) }.joined(),
                "roots.pem")
            var doors: [WireTap] = []
            for certificate in [good, stranger, other] {
                doors.append(try await WireTap(to: Int(server.port), certificate: certificate))
            }
            let bob = try await trio.listen(
                [
                    "https://localhost:\(doors[0].port)/a", "https://127.0.0.1:\(doors[0].port)/b",
                    "https://localhost:\(doors[1].port)/", "https://localhost:\(doors[2].port)/",
                    "https://localhost:\(server.port)/",
                ].flatMap { ["--on-ring", $0] } + ["--trust-roots", roots, "--once", "--answer", "1m"])
            let alice = try trio.call(["--ring-timeout", "500ms"])
            #expect(try await alice.waitForExit() == 4)
            #expect(try await bob.waitForExit(within: .seconds(15)) == 4, "\(bob.errors)")
            #expect(server.events.count { $0["event"] as? String == "ring" } == 2)
            for (port, part) in [
                (doors[1].port, "its certificate is not trusted"),
                (doors[2].port, "its certificate is for another host"),
                (Int(server.port), "the server does not speak TLS; use http://"),
            ] { #expect(bob.errors.contains("https://localhost:\(port)/ failed: \(part)"), "\(bob.errors)") }
        }

        @Test("Missing trust roots are an error before any call")
        func noRoots() async throws {
            let bob = try Program([
                "listen", "--as", "bob", "--on-end", "https://127.0.0.1/", "--trust-roots", "/nonexistent/roots",
            ])
            #expect(try await bob.waitForExit() == 7)
            #expect(bob.errors.contains("/nonexistent/roots"), "\(bob.errors)")
        }

        @Test("The hooks of a call run in the order of its events and do not delay those of another call")
        func order() async throws {
            let trio = try await Trio()
            let (log, gate) = (folder.path("log"), folder.path("gate"))
            let script = try folder.write(
                """
                #!/bin/sh
                echo "$CALLAGENT_EVENT $CALLAGENT_PEER" >> '\(log)'
                [ "$CALLAGENT_EVENT $CALLAGENT_PEER" = "ring alice" ] || exit 0
                while [ ! -e '\(gate)' ]; do sleep 0.05; done
                echo "rung alice" >> '\(log)'
                """, "hook", executable: true)
            func lines() -> [Substring] {
                ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n")
            }
            let bob = try await trio.listen(["--answer", "1m", "--on-ring", script, "--on-end", script])
            let alice = try trio.call(["--ring-timeout", "500ms"])
            #expect(try await alice.waitForExit() == 4)
            try await eventually("alice's hook runs") { lines() == ["ring alice"] }
            try await eventually("her call is over") { bob.count(of: ["event": "report"]) == 1 }
            let carol = try Program(["call", "bob", "--as", "carol", "--ring-timeout", "500ms"] + trio.common)
            #expect(try await carol.waitForExit() == 4)
            try await eventually("carol's hooks ran") { lines() == ["ring alice", "ring carol", "end carol"] }
            _ = try folder.write("", "gate")
            try await eventually("alice's hooks ran") {
                lines() == ["ring alice", "ring carol", "end carol", "rung alice", "end alice"]
            }
        }

        @Test("Hooks that fail or hang are reported on standard error, and no call waits for them")
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
                "no answer within 5 s", "connection refused", "the answer was 500",
                "'/bin/false' failed: it ended with 1", "'/bin/sleep' failed: it still ran",
            ] { #expect(bob.errors.contains(part), "\(bob.errors)") }
            #expect(!bob.errors.contains("/bin/true"))
        }

        @Test(
            "A hook that cannot run is wrong usage",
            arguments: [
                ("/nonexistent/hook", "is no program"), ("/etc", "is no program"),
                ("no-such-program x", "is no program"),
                ("", "use a command"), ("/bin/echo 'a", "quotation mark"), ("https:///x", "is no URL"),
                ("https://user:x@127.0.0.1/", "without a password"),
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
