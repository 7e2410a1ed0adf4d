import Foundation
import TestServers
import Testing

extension EndToEnd {
    /// The program with an MQTT broker in the place of a signaling server.
    @Suite struct MQTTCallTests {
        private func common(_ url: String) -> [String] { ["--signaling", url, "--ice-interface", "127.0.0.1"] }

        private func listen(_ user: String, _ url: String, _ options: [String] = []) async throws -> Program {
            let program = try Program(["listen", "--as", user, "--events"] + common(url) + options)
            try await eventually("\(user) listens: \(program.errors)") { program.hasEvent(["event": "listening"]) }
            return program
        }

        @Test("A call over TLS with certificates and passwords: both ends see and hear each other")
        func secure() async throws {
            let certificate = try TestCertificate()
            let own = try TestCertificate(host: "agents")
            let broker = try await MQTTBroker(
                "allow_anonymous true\nrequire_certificate true\ncafile \(own.certificate.path)",
                certificate: certificate)
            let security = [
                "--trust-roots", certificate.certificate.path, "--client-cert", own.certificate.path, "--client-key",
                own.key.path,
            ]
            let media = ["--video", "test:smpte", "--audio", "tone:440"]
            let bob = try await listen("bob", broker.url + "/tests", security + media + ["--once"])
            let alice = try Program(
                ["call", "bob", "--as", "alice", "--json", "--duration", "3s"] + common(broker.url + "/tests")
                    + security
                    + ["--audio", "tone:660"] + ["--expect", "video.received.distinctFrames>=30"]
                    + ["--expect", "audio.received.toneHz>430", "--expect", "audio.received.toneHz<450"])
            #expect(try await alice.waitForExit() == 0, "\(alice.output) \(alice.errors)")
            #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
            let report = try #require(bob.events.last { $0["event"] as? String == "report" }).object("report")
            #expect(abs(try report.number("audio.received.toneHz") - 660) < 7)
            #expect(try report.number("video.received.distinctFrames") >= 30)
        }

        @Test("All devices of a user ring, one takes the call")
        func devices() async throws {
            let broker = try await MQTTBroker()
            let tv = try await listen("bob", broker.url, ["--device", "tv", "--answer", "never"])
            let phone = try await listen(
                "bob", broker.url, ["--device", "phone", "--answer", "300ms", "--once"])
            let alice = try Program(["call", "bob", "--as", "alice", "--duration", "1s"] + common(broker.url))
            #expect(try await alice.waitForExit() == 0, "\(alice.output) \(alice.errors)")
            #expect(try await phone.waitForExit() == 0)
            try await eventually("the other device stops ringing") {
                tv.hasEvent(["event": "stateChanged", "state": "ended", "reason": "answeredElsewhere"])
            }
        }

        @Test("A callee that is killed while it rings is gone at once: its last will says so")
        func killed() async throws {
            let broker = try await MQTTBroker()
            let bob = try await listen("bob", broker.url, ["--answer", "never"])
            let alice = try Program(
                ["call", "bob", "--as", "alice", "--events", "--ring-timeout", "60s"] + common(broker.url))
            try await eventually("it rings") { alice.hasEvent(["event": "stateChanged", "state": "ringing"]) }
            bob.signal(SIGKILL)
            #expect(try await alice.waitForExit(within: .seconds(30)) == 5, "\(alice.errors)")
            let report = try #require(alice.events.last { $0["event"] as? String == "report" }).object("report")
            #expect(try report.text("end.reason") == "remoteLost")
        }

        @Test("What cannot work ends with one line and the documented exit code")
        func failures() async throws {
            let passwords = try TemporaryFile("")
            let broker = try await MQTTBroker("allow_anonymous false\npassword_file \(passwords.path)")
            let open = try await MQTTBroker()
            for (url, options, exit, words) in [
                (broker.url, [], 3, "(401)"), (broker.url, ["--token", "wrong"], 3, "(403)"),
                ("mqtt://127.0.0.1:1", [], 3, "connection refused; is it running?"),
                ("mqtt://u:p@127.0.0.1", [], 2, "password"), ("mqtt://127.0.0.1/a b", [], 2, "visible ASCII"),
                (open.url, [], 4, "480"), (open.url, ["--client-cert", "/x"], 2, "belong together"),
                (
                    "mqtts://127.0.0.1:\(open.port)", ["--client-cert", "/nonexistent", "--client-key", "/x"], 3,
                    "/nonexistent cannot be read"
                ),
            ] {
                let alice = try Program(["call", "bob", "--as", "alice"] + common(url) + options)
                #expect(try await alice.waitForExit() == exit, "\(url) \(options): \(alice.errors)")
                #expect(alice.errors.contains(words), "\(url) \(options): \(alice.errors)")
                let complaint = alice.errors.split(separator: "\n").filter { !$0.hasPrefix("warning") }
                #expect(complaint.count == 1, "\(alice.errors)")
            }
        }
    }
}
