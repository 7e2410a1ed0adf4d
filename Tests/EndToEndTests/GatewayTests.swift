import Foundation
import SignalingServer
import TestServers
import Testing

@testable import CallAgent

extension EndToEnd {
    /// Several signaling servers that share a broker.
    @Suite struct GatewayTests {
        private func serve(_ broker: String, _ options: [String] = []) async throws -> (program: Program, url: String) {
            let program = try Program(
                ["serve", "--listen", "127.0.0.1:0", "--events", "--broker", broker] + options)
            try await eventually("it serves: \(program.errors)") { program.hasEvent(["event": "serving"]) }
            return (program, try #require(program.events.first?["url"] as? String))
        }

        private func talk(_ caller: Station, _ callee: Station, _ number: Int = 1) async throws {
            let mine = try await caller.call(callee)
            let theirs = try await callee.ring(number)
            try await theirs.call.accept()
            for call in [mine, theirs] { try await call.reaches(.connected) }
            try await expectMedia((mine, caller), (theirs, callee))
            await mine.call.hangUp()
            try await theirs.ends(.remoteHangup)
        }

        @Test("Clients of two servers and agents at the broker call each other")
        func reach() async throws {
            let broker = try await MQTTBroker()
            let (first, second) = (try await serve(broker.url), try await serve(broker.url))
            let alice = try await Station("alice", at: first.url, hertz: 440).prepared()
            let bob = try await Station("bob", at: second.url, width: 240, hertz: 554).prepared()
            try await talk(alice, bob)
            let carol = try await Station("carol", at: broker.url, width: 272, hertz: 660).prepared()
            // Each station's connections are counted, so a third call is one between others.
            try await talk(carol, try await Station("dave", at: first.url, width: 240, hertz: 554).prepared())
            let nobody = FollowedCall(try await alice.agent.call("nobody"))
            try await nobody.ends(.offline)
            // A program that vanishes at one server is gone at the other one.
            let callee = try Program(
                ["listen", "--as", "erin", "--signaling", first.url, "--answer", "never", "--events"]
                    + ["--ice-interface", "127.0.0.1"])
            try await eventually("erin listens: \(callee.errors)") { callee.hasEvent(["event": "listening"]) }
            let ringing = FollowedCall(try await bob.agent.call("erin"))
            try await ringing.reaches(.ringing)
            callee.signal(SIGKILL)
            try await ringing.ends(.remoteLost)
            for station in [alice, bob, carol] { await station.agent.close() }
        }

        @Test("The broker vanishes: calls continue, and messages arrive when it is back")
        func brokerOutage() async throws {
            let broker = try await MQTTBroker()
            let (first, second) = (try await serve(broker.url), try await serve(broker.url))
            let alice = try await Station("alice", at: first.url, hertz: 440).prepared()
            let bob = try await Station("bob", at: second.url, width: 240, hertz: 554).prepared()
            let mine = try await alice.call(bob)
            let theirs = try await bob.ring()
            try await theirs.call.accept()
            for call in [mine, theirs] { try await call.reaches(.connected) }
            broker.stop()
            for call in [mine, theirs] { try await call.hears(.signalingLost) }
            try await mine.call.send(info: "are you there?")
            try await expectMedia((mine, alice), (theirs, bob))
            try await broker.start()
            try await theirs.hears(.info("are you there?"))
            await theirs.call.hangUp()
            try await mine.ends(.remoteHangup)
            for station in [alice, bob] { await station.agent.close() }
        }

        @Test("The server checks tokens and speaks for its clients, with an account of its own")
        func ownAccount() async throws {
            let (key, password) = (try TemporaryFile("a secret of more than thirty-two bytes, for tests\n"), "p")
            let passwords = try TemporaryFile("")
            let file = try TemporaryFile(password + "\n")
            try run("/usr/bin/mosquitto_passwd", ["-b", passwords.path, "gateway", password])
            let rules = try TemporaryFile("user gateway\ntopic readwrite callagent/#\n")
            let broker = try await MQTTBroker(
                "allow_anonymous false\npassword_file \(passwords.path)\nacl_file \(rules.path)")
            let options = ["--broker-token-file", file.path, "--token-key-file", key.path]
            let url = broker.url.replacing("mqtt://", with: "mqtt://gateway@")
            let (first, second) = (try await serve(url, options), try await serve(url, options))
            let signer = try await TokenKey.read(file: key.path)
            func station(_ user: String, _ url: String, _ owner: String, _ width: Int, _ hertz: Double) async throws
                -> Station
            {
                let token = try AccessToken(user: owner, lifetime: .seconds(600)).signed(with: signer)
                return try await Station(user, at: url, token: { token }, width: width, hertz: hertz)
            }
            let alice = try await station("alice", first.url, "alice", 320, 440).prepared()
            let bob = try await station("bob", second.url, "bob", 240, 554).prepared()
            try await talk(alice, bob)
            let mallory = try await station("mallory", first.url, "alice", 320, 440)
            await #expect(throws: CallError.self) { try await mallory.agent.prepare() }
            for station in [alice, bob, mallory] { await station.agent.close() }
        }

        @Test("Without a broker nobody signs in, and wrong options end with one line")
        func refused() async throws {
            let server = try await serve("mqtt://127.0.0.1:1")
            let alice = try Program(["call", "bob", "--as", "alice", "--signaling", server.url])
            #expect(try await alice.waitForExit() == 3, "\(alice.errors)")
            #expect(alice.errors.contains("the broker cannot be reached"), "\(alice.errors)")
            for (options, words) in [
                (["--broker", "ws://127.0.0.1"], "takes an mqtt:// or mqtts:// URL"),
                (["--broker", "mqtt://127.0.0.1/a b"], "visible ASCII"),
                (["--broker-token-file", "x"], "need --broker"),
                (["--broker", "mqtt://127.0.0.1", "--broker-token-file", "x"], "needs --token-key-file"),
                (
                    ["--broker", "mqtt://127.0.0.1", "--broker-token-file", "/nonexistent", "--token-key-file", "x"],
                    "/nonexistent"
                ),
            ] {
                let program = try Program(["serve", "--listen", "127.0.0.1:0"] + options)
                #expect(try await program.waitForExit() == 2, "\(options): \(program.errors)")
                #expect(program.errors.contains(words), "\(options): \(program.errors)")
            }
        }

        private func run(_ path: String, _ arguments: [String]) throws {
            let process = Process()
            process.executableURL = URL(filePath: path)
            process.arguments = arguments
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
        }
    }
}
