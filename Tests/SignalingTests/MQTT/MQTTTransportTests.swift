import CallAgent
import CallProtocol
import Foundation
import MQTTSignaling
import TestServers
import Testing

/// The transport at a real mosquitto.
struct MQTTTransportTests {
    @Test("Two users exchange messages, to all devices and to one")
    func talk() async throws {
        let broker = try await MQTTBroker()
        let alice = try await MQTTClient.signedIn("alice+1", broker.url)
        let tv = try await MQTTClient.signedIn("bob@b.c", broker.url, device: "t+v")
        let phone = try await MQTTClient.signedIn("bob@b.c", broker.url, device: "phone")
        #expect(!alice.transport.guaranteesDelivery && alice.transport.device == "main")
        try await alice.send(id: "m1", from: "alice+1", to: "bob@b.c")
        for client in [tv, phone] { #expect(try await client.message().id == "m1") }
        try await alice.send(id: "m2", from: "alice+1", to: "bob@b.c", extra: #","toDevice":"t+v""#)
        #expect(try await tv.message().id == "m2")
        // In order, and nothing of them to the other device.
        for number in 3...200 { try await alice.send(id: "m\(number)", from: "alice+1", to: "bob@b.c") }
        for client in [tv, phone] {
            for number in 3...200 { #expect(try await client.message().id == "m\(number)") }
        }
        try await tv.send(id: "r1", from: "bob@b.c", to: "alice+1", extra: #","device":"t+v","toDevice":"main""#)
        #expect(try await alice.message().device == "t+v")
        // To the own other device.
        try await tv.send(id: "r2", from: "bob@b.c", to: "bob@b.c", extra: #","toDevice":"phone""#)
        #expect(try await phone.message().id == "r2")
        for client in [alice, tv, phone] {
            await client.transport.close()
            // The ends of a call learn that another one is gone.
            while let event = try await client.events.next() {
                guard case .received(let text) = event else { throw CancellationError() }
                #expect(try SignalingMessage(decoding: text).body == .gone)
            }
        }
    }

    @Test("Another prefix is another world")
    func prefixes() async throws {
        let broker = try await MQTTBroker()
        let alice = try await MQTTClient.signedIn("alice", broker.url + "/one")
        let bob = try await MQTTClient.signedIn("bob", broker.url + "/two")
        try await alice.send(from: "alice", to: "bob")
        guard case .error(let fault) = try await alice.message().body else { throw CancellationError() }
        #expect(fault.code == 480)
        #expect(bob.events.count == 0)
    }

    @Test("A message for nobody is answered with 480, an acknowledgement is not")
    func offline() async throws {
        let broker = try await MQTTBroker()
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        try await alice.send("ack", id: "k1", from: "alice", to: "bob", extra: #","ref":"x""#)
        try await alice.send(id: "m1", call: "c7", from: "alice", to: "bob")
        let answer = try await alice.message()
        guard case .error(let fault) = answer.body else { throw CancellationError() }
        #expect(fault.code == 480 && fault.ref == "m1" && fault.text == "bob is not signed in")
        #expect(answer.callId == "c7" && answer.from.isEmpty && answer.to == "alice")
    }

    @Test("Nobody speaks in another's name, and only the transport says that a device is gone")
    func forgery() async throws {
        let broker = try await MQTTBroker()
        let mallory = try await MQTTClient.signedIn("mallory", broker.url)
        let bob = try await MQTTClient.signedIn("bob", broker.url)
        try await mallory.send(id: "f1", from: "alice", to: "bob")
        try await mallory.send(id: "f2", from: "mallory", to: "bob", extra: #","device":"other""#)
        try await mallory.send("gone", id: "f3", from: "mallory", to: "bob")
        try await mallory.send("error", id: "f4", from: "", to: "bob", extra: #","code":480,"ref":"x""#)
        try await mallory.send(id: "good", from: "mallory", to: "bob")
        #expect(try await bob.message().id == "good")
    }

    @Test("What is no message is not sent")
    func malformed() async throws {
        let broker = try await MQTTBroker()
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        for text in ["", "x", "{}", String(repeating: "x", count: 70_000)] {
            await #expect {
                try await alice.transport.send(text, to: "bob")
            } throws: { error in
                if case .malformed? = error as? SignalingError { true } else { false }
            }
        }
    }

    @Test("A server hands on what it cannot read: the receiver answers it")
    func forwarded() async throws {
        let broker = try await MQTTBroker()
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        let bob = try await MQTTClient.signedIn("bob", broker.url, device: "tv")
        // Of an unknown type or version, an invite without its fields, and the same for one device.
        let texts = [
            callMessage("later", from: "alice", to: "bob"), callMessage("invite", id: "a1", from: "alice", to: "bob"),
            #"{"v":2,"id":"m3","callId":"c1","from":"alice","to":"bob"}"#,
            callMessage("invite", id: "a1", from: "alice", to: "bob", extra: #","toDevice":"tv""#),
            callMessage(from: "alice", to: "bob", extra: #","generation":0,"sentUnixMs":0"#),
        ]
        for text in texts {
            await alice.transport.forward(text)
            #expect(try await bob.events.next() == .received(text))
        }
        // Nobody could answer these, or they are answers themselves.
        for text in [
            "", "x", "{}", callMessage("later", from: "carol", to: "bob"),
            callMessage("later", from: "alice", to: "b b"),
            callMessage("later", from: "alice", to: "bob", extra: #","toDevice":7"#),
            callMessage("error", from: "alice", to: "nobody", extra: #","code":"x""#),
        ] {
            await alice.transport.forward(text)
        }
        await alice.transport.forward(
            callMessage("later", id: "m9", call: "c9", from: "alice", to: "nobody", extra: #","generation":3"#))
        let answer = try await alice.message()
        guard case .error(let fault) = answer.body else {
            Issue.record("no error: \(answer)")
            return
        }
        #expect(fault.code == 480 && fault.ref == "m9" && answer.callId == "c9" && answer.generation == 3)
        await alice.transport.forward(texts[0])
        #expect(try await bob.events.next() == .received(texts[0]))
        await alice.transport.close()
        await alice.transport.forward(texts[0])
    }

    // MARK: Signing in

    @Test("A sign-in that cannot work fails in one line")
    func refusals() async throws {
        func expect(_ client: MQTTClient, as user: String = "alice", _ matches: (SignalingError) -> Bool) async {
            do throws(SignalingError) {
                try await client.transport.connect(as: user)
                Issue.record("it signed in")
            } catch {
                #expect(matches(error), "\(error)")
            }
        }
        let passwords = try PasswordFile(["alice": "secret"])
        let broker = try await MQTTBroker("allow_anonymous false\npassword_file \(passwords.path)")
        await expect(MQTTClient("mqtt://127.0.0.1:1")) {
            $0 == .unreachable("mqtt://127.0.0.1:1", text: "connection refused")
        }
        await expect(MQTTClient("mqtt://nobody.invalid")) {
            $0 == .unreachable("mqtt://nobody.invalid", text: "the host name cannot be resolved")
        }
        await expect(MQTTClient("ws://h")) { if case .invalidURL = $0 { true } else { false } }
        await expect(MQTTClient(broker.url), as: "a b") { if case .signInRefused(400, _) = $0 { true } else { false } }
        await expect(MQTTClient(broker.url, device: "")) { if case .signInRefused(400, _) = $0 { true } else { false } }
        await expect(MQTTClient(broker.url)) { if case .signInRefused(401, _) = $0 { true } else { false } }
        await expect(MQTTClient(broker.url, token: { "wrong" })) {
            if case .signInRefused(403, _) = $0 { true } else { false }
        }
        // One that never answers, and does not notice that nobody waits any more.
        let (never, held) = AsyncStream<Void>.makeStream()
        defer { held.finish() }
        let stuck = MQTTClient(broker.url, configure: { $0.connectTimeout = .milliseconds(50) }) {
            await Task.detached { for await _ in never {} }.value
            return ""
        }
        await expect(stuck) { if case .signInRefused(401, let text) = $0 { text.contains("within") } else { false } }
        struct NoToken: Error {}
        await expect(MQTTClient(broker.url, token: { throw NoToken() })) {
            if case .signInRefused(401, let text) = $0 { text.contains("NoToken") } else { false }
        }
        // After a failure it may try again.
        let password = Shared("wrong")
        let alice = MQTTClient(broker.url, token: { password.value })
        await expect(alice) { if case .signInRefused(403, _) = $0 { true } else { false } }
        password.set("secret")
        try await alice.transport.connect(as: "alice")
        // The user of the broker may be another one.
        let bob = MQTTClient("mqtt://alice@127.0.0.1:\(broker.port)", token: { "secret" })
        try await bob.transport.connect(as: "bob")
        try await bob.send(from: "bob", to: "alice")
        #expect(try await alice.message().from == "bob")
        // Signed in already.
        try await alice.transport.connect(as: "alice")
        await expect(alice, as: "carol") { if case .signInRefused(409, _) = $0 { true } else { false } }
        await alice.transport.close()
        await expect(alice) { $0 == .closed }
        await #expect(throws: SignalingError.closed) { try await alice.send(from: "alice", to: "bob") }
    }

    @Test("A broker that accepts the connection and says nothing is given up in time")
    func silent() async throws {
        let broker = try await MQTTBroker()
        broker.stopAnswering()
        let alice = MQTTClient(broker.url) { $0.connectTimeout = .milliseconds(200) }
        await #expect(throws: SignalingError.unreachable(broker.url, text: "no answer within 0.2 seconds")) {
            try await alice.transport.connect(as: "alice")
        }
        broker.answerAgain()
        let patient = MQTTClient(broker.url)
        try await patient.transport.connect(as: "alice")
        // A close ends an attempt.
        broker.stopAnswering()
        let bob = MQTTClient(broker.url)
        let connecting = Task { try await bob.transport.connect(as: "bob") }
        try await eventually { try threads(of: broker) > 0 }
        await bob.transport.close()
        await #expect(throws: SignalingError.closed) { try await connecting.value }
        broker.answerAgain()
    }

    @Test("The shipped access rules let a user speak only in its own name")
    func accessRules() async throws {
        let passwords = try PasswordFile(["alice": "a", "bob": "b", "mallory": "m"])
        let rules = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/mosquitto/callagent.acl").standardized.path
        let broker = try await MQTTBroker(
            "allow_anonymous false\npassword_file \(passwords.path)\nacl_file \(rules)")
        func client(_ account: String, _ password: String) -> MQTTClient {
            MQTTClient("mqtt://\(account)@127.0.0.1:\(broker.port)", token: { password })
        }
        let (alice, bob) = (client("alice", "a"), client("bob", "b"))
        try await alice.transport.connect(as: "alice")
        try await bob.transport.connect(as: "bob")
        try await alice.send(from: "alice", to: "bob")
        #expect(try await bob.message().from == "alice")
        try await bob.send(from: "bob", to: "alice", extra: #","toDevice":"main""#)
        #expect(try await alice.message().from == "bob")
        let watch = PresenceReader(try await alice.transport.watch(["bob"]))
        #expect(try await watch.next() == Presence(user: "bob", devices: ["main"]))
        // With its own account it cannot become another user: it may not publish that user's presence.
        let mallory = client("mallory", "m")
        await #expect {
            try await mallory.transport.connect(as: "alice")
        } throws: { error in
            if case .signInRefused(403, _)? = error as? SignalingError { true } else { false }
        }
        #expect(alice.events.count == 0)

        // Whatever program it uses: it cannot publish as another one, and reads only what is sent to it.
        let text = callMessage(id: "forged", from: "alice", to: "bob", extra: #","generation":0,"sentUnixMs":0"#)
        for topic in ["to/bob/from/alice/x", "to/bob/main/from/alice/x", "presence/bob/x", "invite/bob/from/alice/x"] {
            let publisher = try mosquitto("pub", broker, ["-q", "1", "-t", "callagent/\(topic)", "-m", text])
            publisher.process.waitUntilExit()
        }
        let reader = try mosquitto("sub", broker, ["-t", "callagent/to/#", "-C", "1", "-W", "20", "-F", "%t", "-R"])
        var number = 0
        try await eventually {
            number += 1
            try await alice.send(id: "m\(number)", from: "alice", to: "bob")
            #expect(try await bob.message().id == "m\(number)")
            try await alice.send(id: "x", from: "alice", to: "mallory")
            return !reader.process.isRunning
        }
        let read = String(decoding: reader.output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(read == "callagent/to/mallory/from/alice/main\n")
    }

    /// Runs mosquitto's own client as mallory.
    private func mosquitto(
        _ name: String, _ broker: MQTTBroker, _ arguments: [String]
    ) throws -> (process: Process, output: Pipe) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/mosquitto_\(name)")
        process.arguments = ["-h", "127.0.0.1", "-p", "\(broker.port)", "-u", "mallory", "-P", "m"] + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return (process, output)
    }

    @Test("Invites expire at the broker soon after their ring timeout, and notes with their validity")
    func expiry() async throws {
        let broker = try await MQTTBroker()
        let alice = try await MQTTClient.signedIn("alice", broker.url) { $0.presenceValidity = .seconds(40) }
        // What the broker says to a client of another make; the note first, which waits there.
        let reader = try mosquitto(
            "sub", broker,
            ["-V", "mqttv5", "-t", "callagent/presence/+/+", "-t", "callagent/invite/+/from/+/+", "-F", "%t %E"]
                + ["-C", "2", "-W", "20"])
        var number = 0
        try await eventually {
            number += 1
            try await alice.send(
                "invite", id: "a1", call: "c\(number)", from: "alice", to: "bob",
                extra: #","media":{"audio":true,"video":false},"sdp":"v=0","ringTimeoutMs":30000"#)
            return !reader.process.isRunning
        }
        let lines = String(decoding: reader.output.fileHandleForReading.availableData, as: UTF8.self)
            .split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.map { $0[0] } == ["callagent/presence/alice/main", "callagent/invite/bob/from/alice/main"])
        // The time that it has waited is taken off.
        let seconds = lines.compactMap { Int($0[1]) }
        #expect(seconds.count == 2 && (30...40).contains(seconds[0]) && seconds[1] == 32, "\(seconds)")
    }

    @Test("A broker that delivers nothing to a user does not count as a sign-in")
    func noDelivery() async throws {
        let rules = try TemporaryFile("pattern write #\n")
        let broker = try await MQTTBroker("allow_anonymous true\nacl_file \(rules.path)")
        let alice = MQTTClient(broker.url) { $0.connectTimeout = .milliseconds(500) }
        await #expect {
            try await alice.transport.connect(as: "alice")
        } throws: { error in
            guard case .signInRefused(_, let text)? = error as? SignalingError else { return false }
            return text.contains("access rules")
        }
    }

    @Test("Who may not see the presence of others sees nobody, and still gets messages")
    func hiddenPresence() async throws {
        let rules = try TemporaryFile("pattern readwrite callagent/to/#\npattern readwrite callagent/presence/%u/+\n")
        let broker = try await MQTTBroker("allow_anonymous true\nacl_file \(rules.path)")
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        let bob = try await MQTTClient.signedIn("bob", broker.url)
        // mosquitto takes the subscription, and shows nothing.
        let watch = PresenceReader(try await alice.transport.watch(["bob"]))
        #expect(try await watch.next() == Presence(user: "bob", devices: []))
        try await bob.send(from: "bob", to: "alice")
        #expect(try await alice.message().from == "bob")
    }

    // MARK: TLS

    @Test("TLS: the broker's certificate has to be trusted, and it may ask for one")
    func tls() async throws {
        let certificate = try TestCertificate()
        let own = try TestCertificate(host: "alice")
        let broker = try await MQTTBroker(
            "allow_anonymous true\nrequire_certificate true\ncafile \(own.certificate.path)", certificate: certificate)
        func client(_ configure: @escaping (inout MQTTTransportConfiguration) -> Void) -> MQTTClient {
            MQTTClient(broker.url, configure: configure)
        }
        func failure(_ client: MQTTClient) async -> String {
            do throws(SignalingError) {
                try await client.transport.connect(as: "alice")
                return "none"
            } catch {
                return error.description
            }
        }
        let roots = certificate.certificate.path
        let untrusted = await failure(client { _ in })
        #expect(untrusted.contains("its certificate is not trusted"), "\(untrusted)")
        #expect(await failure(client { $0.trustRootsFile = own.certificate.path }).contains("not trusted"))
        #expect(await failure(client { $0.trustRootsFile = "/nonexistent" }).contains("/nonexistent cannot be read"))
        #expect(await failure(client { $0.trustRootsFile = roots }).contains("cannot reach"))
        let alice = client {
            $0.trustRootsFile = roots
            ($0.certificateFile, $0.keyFile) = (own.certificate.path, own.key.path)
        }
        try await alice.transport.connect(as: "alice")
        try await alice.send(from: "alice", to: "alice", extra: #","toDevice":"main""#)
        #expect(try await alice.message().from == "alice")

        let plain = try await MQTTBroker()
        let wrong = MQTTClient("mqtts://127.0.0.1:\(plain.port)") { $0.connectTimeout = .seconds(2) }
        #expect(await failure(wrong).hasPrefix("cannot reach"))
    }
}

/// A file with passwords for mosquitto.
struct PasswordFile {
    private let file: TemporaryFile
    var path: String { file.path }

    init(_ passwords: [String: String]) throws {
        file = try TemporaryFile(passwords.map { "\($0.key):\($0.value)\n" }.joined())
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/mosquitto_passwd")
        process.arguments = ["-U", file.path]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CancellationError() }
    }
}
