import CallAgent
import CallProtocol
import Foundation
import MQTTSignaling
import TestServers
import Testing

/// Presence, and what outlives a connection.
struct MQTTSessionTests {
    @Test("Presence: at once, after each change, and after an outage")
    func presence() async throws {
        let broker = try await MQTTBroker()
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        let bob = try await MQTTClient.signedIn("bob", broker.url, device: "tv")
        let watch = PresenceReader(try await alice.transport.watch(["bob", "carol"]))
        #expect(try await watch.next() == Presence(user: "bob", devices: ["tv"]))
        #expect(try await watch.next() == Presence(user: "carol", devices: []))
        let phone = try await MQTTClient.signedIn("bob", broker.url, device: "phone")
        #expect(try await watch.next() == Presence(user: "bob", devices: ["phone", "tv"]))
        await bob.transport.close()
        #expect(try await watch.next() == Presence(user: "bob", devices: ["phone"]))

        broker.stop()
        for client in [alice, phone] { _ = try await client.loss() }
        try await broker.start()
        for client in [alice, phone] { #expect(try await client.events.next() == .reconnected) }
        try await watch.reaches(Presence(user: "bob", devices: ["phone"]))

        // Another list ends the former one.
        let all = PresenceReader(try await alice.transport.watchEverybody())
        while try await watch.next() != nil {}
        #expect(try await all.next() == Presence(user: "alice", devices: ["main"]))
        #expect(try await all.next() == Presence(user: "bob", devices: ["phone"]))
        await alice.transport.close()
        while try await all.next() != nil {}
        await #expect(throws: SignalingError.closed) { try await alice.transport.watch([]) }
        await #expect(throws: SignalingError.notConnected) { try await MQTTClient(broker.url).transport.watch(["bob"]) }
        await #expect(throws: SignalingError.self) { try await phone.transport.watch(["a b"]) }
    }

    @Test("The other end of a call is gone when it signs out")
    func gone() async throws {
        let broker = try await MQTTBroker()
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        let bob = try await MQTTClient.signedIn("bob", broker.url)
        for call in ["c1", "c2"] {
            try await alice.send(id: "q1", call: call, from: "alice", to: "bob")
            #expect(try await bob.message().callId == call)
            try await bob.send(id: "r1", call: call, from: "bob", to: "alice", extra: #","device":"main""#)
            #expect(try await alice.message().callId == call)
        }
        let bye = #","device":"main","code":9900,"text":"""#
        try await bob.send("hangup", id: "h1", call: "c1", from: "bob", to: "alice", extra: bye)
        #expect(try await alice.message().id == "h1")
        // Its first answer comes after the subscription to the device of the call.
        let watch = PresenceReader(try await alice.transport.watch(["bob"]))
        #expect(try await watch.next() == Presence(user: "bob", devices: ["main"]))
        await bob.transport.close()
        #expect(try await watch.next() == Presence(user: "bob", devices: []))
        let message = try await alice.message()
        #expect(message.body == .gone && message.callId == "c2", "\(message)")
        #expect(message.from == "bob" && message.device == "main")
        #expect(alice.events.count == 0)
    }

    @Test("A second program with the same name replaces the first one, which stays signed out")
    func replaced() async throws {
        let broker = try await MQTTBroker()
        let first = try await MQTTClient.signedIn("bob", broker.url)
        let second = try await MQTTClient.signedIn("bob", broker.url)
        guard case .ended(.replaced) = try await first.events.next() else {
            Issue.record("it was not replaced")
            return
        }
        #expect(try await first.events.next() == nil)
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        let watch = PresenceReader(try await alice.transport.watch(["bob"]))
        #expect(try await watch.next() == Presence(user: "bob", devices: ["main"]))
        try await alice.send(from: "alice", to: "bob")
        #expect(try await second.message().from == "alice")
        #expect(second.events.count == 0)
    }

    @Test("A program that signs in at another server ends its former sign-in, which leaves its presence alone")
    func resumed() async throws {
        let broker = try await MQTTBroker()
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        let watch = PresenceReader(try await alice.transport.watch(["bob"]))
        #expect(try await watch.next() == Presence(user: "bob", devices: []))
        let first = try await MQTTClient.signedIn("bob", broker.url) { $0.session = "s" }
        #expect(try await watch.next() == Presence(user: "bob", devices: ["main"]))
        let second = try await MQTTClient.signedIn("bob", broker.url) { $0.session = "s" }
        guard case .ended(.replaced) = try await first.events.next() else {
            Issue.record("it was not replaced")
            return
        }
        #expect(try await first.events.next() == nil)
        await first.transport.close()
        try await alice.send(from: "alice", to: "bob")
        #expect(try await second.message().from == "alice")
        // Nothing was reported between, and its own end is.
        await second.transport.close()
        #expect(try await watch.next() == Presence(user: "bob", devices: []))
    }

    @Test("A lost connection comes back, and messages pass again")
    func reconnects() async throws {
        let broker = try await MQTTBroker()
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        let bob = try await MQTTClient.signedIn("bob", broker.url)
        for _ in 1...3 {
            broker.stop()
            for client in [alice, bob] { #expect(try await !client.loss().isEmpty) }
            await #expect(throws: SignalingError.notConnected) { try await alice.send(from: "alice", to: "bob") }
            try await broker.start()
            for client in [alice, bob] { #expect(try await client.events.next() == .reconnected) }
            try await alice.send(from: "alice", to: "bob")
            #expect(try await bob.message().from == "alice")
        }
    }

    @Test("A broker that does not answer a check is left, and a pause ends with the check")
    func check() async throws {
        let broker = try await MQTTBroker()
        let alice = try await MQTTClient.signedIn("alice", broker.url) {
            ($0.shortestRetryDelay, $0.longestRetryDelay) = (.seconds(600), .seconds(600))
            $0.checkTimeout = .milliseconds(300)
        }
        await alice.transport.checkConnection()
        #expect(alice.events.count == 0)
        broker.stopAnswering()
        await alice.transport.checkConnection()
        #expect(try await alice.loss().contains("did not answer"))
        broker.answerAgain()
        #expect(try await alice.events.next() == .reconnected)
        // The broker ends the former connection late, and publishes its last will.
        let bob = try await MQTTClient.signedIn("bob", broker.url)
        let watch = PresenceReader(try await bob.transport.watch(["alice"]))
        try await watch.reaches(Presence(user: "alice", devices: ["main"]))
        // Without a check, the pause is ten minutes.
        broker.stop()
        _ = try await alice.loss()
        try await broker.start()
        await alice.transport.checkConnection()
        #expect(try await alice.events.next() == .reconnected)
    }

    @Test("A node that does not answer lets one sign-in wait, not those after it")
    func nodes() async throws {
        let (dead, broker, nodes) = (try await FakeServer.saying(nil), try await MQTTBroker(), BrokerNodes())
        for user in ["alice", "bob", "carol"] {
            let client = MQTTClient("mqtt://127.0.0.1:\(dead.port),127.0.0.1:\(broker.port)") {
                $0.nodes = nodes
                // Only the first one needs it, and a busy machine may need it for the broker.
                $0.connectTimeout = .seconds(2)
            }
            try await client.transport.connect(as: user)
        }
        #expect(dead.connections.count == 1)
        // One that shares no knowledge finds out by itself.
        let dave = MQTTClient("mqtt://127.0.0.1:\(dead.port),127.0.0.1:\(broker.port)") {
            $0.connectTimeout = .seconds(2)
        }
        try await dave.transport.connect(as: "dave")
        #expect(dead.connections.count == 2)
    }

    @Test("A password that is refused at a reconnection is reported once, and the next one signs in")
    func renewal() async throws {
        let passwords = try PasswordFile(["alice": "new"])
        let broker = try await MQTTBroker()
        let password = Shared("old")
        let alice = MQTTClient(broker.url, token: { password.value })
        await #expect(throws: SignalingError.notConnected) { try await alice.transport.renew(token: "new") }
        try await alice.transport.connect(as: "alice")
        broker.stop()
        let lost = try await alice.loss()
        try await broker.start("allow_anonymous false\npassword_file \(passwords.path)")
        let refused = try await alice.loss()
        #expect(lost != refused && refused.contains("403"), "\(refused)")
        password.set("new")
        #expect(try await alice.events.next() == .reconnected)
    }

    @Test("A renewed token is used at the next sign-in")
    func renewed() async throws {
        let passwords = try PasswordFile(["alice": "new"])
        let broker = try await MQTTBroker()
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        try await alice.transport.renew(token: "new")
        broker.stop()
        _ = try await alice.loss()
        try await broker.start("allow_anonymous false\npassword_file \(passwords.path)")
        #expect(try await alice.events.next() == .reconnected)
    }

    @Test("Many transports come, talk and go, and leave no thread behind")
    func lifetime() async throws {
        let broker = try await MQTTBroker()
        func round() async throws {
            let clients = try await withThrowingTaskGroup(of: MQTTClient.self) { group in
                for number in 0..<20 {
                    group.addTask { try await MQTTClient.signedIn("u\(number)", broker.url) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for client in clients { await client.transport.close() }
        }
        for _ in 1...3 { try await round() }
        try await eventually { try threads(of: broker) == 0 }
    }
}
