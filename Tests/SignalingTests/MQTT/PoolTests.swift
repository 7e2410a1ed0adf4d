import CallAgent
import CallProtocol
import Foundation
import MQTTSignaling
import TestServers
import Testing

/// The members of a pool at real brokers: one that distributes the calls, and one where the members do it themselves.
struct PoolTests {
    enum BrokerKind: CaseIterable { case distributes, old }

    /// Keeps a broker running.
    private struct RunningBroker {
        let url: String
        let process: any Sendable

        init(_ kind: BrokerKind) async throws {
            switch kind {
            case .distributes:
                let broker = try await MQTTBroker()
                (url, process) = (broker.url, broker)
            case .old:
                let broker = try await OldMQTTBroker()
                (url, process) = (broker.url, broker)
            }
        }
    }

    private let invite =
        #","device":"main","media":{"audio":true,"video":false},"sdp":"v=0","ringTimeoutMs":30000,"seq":1"#

    private func member(_ name: String, _ url: String) async throws -> MQTTClient {
        try await MQTTClient.signedIn("support", url, device: name, isInPool: true)
    }

    /// Answers as an agent does: an acknowledgement, and then this.
    private func answer(_ call: String, as device: String, _ member: MQTTClient, busy: Bool) async throws {
        let address = #","device":"\#(device)","toDevice":"main""#
        try await member.send(
            "ack", id: "k-\(call)", call: call, from: "support", to: "alice", extra: address + #","ref":"a1""#)
        let refusal = busy ? #","code":486,"text":"busy""# : ""
        try await member.send(
            busy ? "reject" : "ringing", id: "r-\(call)", call: call, from: "support", to: "alice",
            extra: address + refusal + #","seq":1"#)
    }

    /// Waits until each of these members knows that it is one of them.
    private func meet(_ names: [String], _ alice: MQTTClient) async throws {
        let watch = PresenceReader(try await alice.transport.watch(["support"]))
        try await watch.reaches(Presence(user: "support", devices: names))
    }

    @Test("Each call rings at one member, and its messages reach that one alone", arguments: BrokerKind.allCases)
    func shared(kind: BrokerKind) async throws {
        let broker = try await RunningBroker(kind)
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        var members: [MQTTClient] = []
        for name in ["a", "b", "c"] { members.append(try await member(name, broker.url)) }
        try await meet(["a", "b", "c"], alice)
        for number in 0..<30 {
            try await alice.send("invite", id: "a1", call: "c\(number)", from: "alice", to: "support", extra: invite)
        }
        try await eventually { members.reduce(0) { $0 + $1.events.count } == 30 }
        #expect(members.allSatisfy { $0.events.count > 0 }, "\(members.map(\.events.count))")
        // One that takes part gets what follows, and the others do not.
        let call = try await members[0].message().callId
        try await alice.send("query", id: "q", call: call, from: "alice", to: "support", extra: #","device":"main""#)
        try await alice.send(
            "query", id: "last", call: "c0", from: "alice", to: "support", extra: #","device":"main","toDevice":"b""#)
        var received: [String] = []
        for member in members {
            while member.events.count > 0 { received.append(try await member.message().id) }
        }
        try await eventually {
            for member in members where member.events.count > 0 { received.append(try await member.message().id) }
            return received.contains("q") && received.contains("last")
        }
        #expect(received.count { $0 == "q" } == 1 && received.count == 31, "\(received)")
    }

    @Test(
        "A busy member passes a call on, and the caller gets 486 only from the last one", arguments: BrokerKind.allCases
    )
    func busy(kind: BrokerKind) async throws {
        let broker = try await RunningBroker(kind)
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        let members = ["a": try await member("a", broker.url), "b": try await member("b", broker.url)]
        try await meet(["a", "b"], alice)
        try await alice.send("invite", id: "a1", call: "c1", from: "alice", to: "support", extra: invite)
        try await eventually { members.values.contains { $0.events.count > 0 } }
        let (first, busy) = try #require(members.first { $0.value.events.count > 0 })
        let (second, free) = try #require(members.first { $0.key != first })
        #expect(try await busy.message().from == "alice")
        try await answer("c1", as: first, busy, busy: true)
        // The member's agent learns that its refusal arrived, so that it does not repeat it.
        #expect(try await busy.message().body == .ack("r-c1"))
        let passedOn = try await free.message()
        #expect(passedOn.from == "alice" && passedOn.body.isInvite && passedOn.callId == "c1")
        try await answer("c1", as: second, free, busy: true)
        let acknowledgement = try await alice.message()
        #expect(acknowledgement.body == .ack("a1") && acknowledgement.device == second)
        let refusal = try await alice.message()
        guard case .reject(let farewell) = refusal.body else {
            Issue.record("\(refusal)")
            return
        }
        #expect(farewell.code == 486 && refusal.device == second)
    }

    @Test("A member that takes no more calls gets none, and keeps those that it has", arguments: BrokerKind.allCases)
    func leaving(kind: BrokerKind) async throws {
        let broker = try await RunningBroker(kind)
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        let (a, b) = (try await member("a", broker.url), try await member("b", broker.url))
        try await meet(["a", "b"], alice)
        // The calls that it has got by then.
        await a.transport.stopTakingCalls()
        await a.transport.stopTakingCalls()
        let before = a.events.count
        #expect(before == 0)
        // The broker takes the requests of a client in their order: the subscription has ended when this comes back.
        try await a.send("query", id: "q", call: "c", from: "support", to: "alice", extra: #","device":"a""#)
        #expect(try await alice.message().id == "q")
        for number in 0..<10 {
            try await alice.send("invite", id: "a1", call: "c\(number)", from: "alice", to: "support", extra: invite)
        }
        // Without a broker that distributes, b may believe for a moment that the first call is for a.
        try await eventually { b.events.count >= 9 }
        #expect(a.events.count == 0)
        // What is for this device still arrives.
        try await alice.send(
            "query", id: "q2", call: "c", from: "alice", to: "support", extra: #","device":"main","toDevice":"a""#)
        #expect(try await a.message().id == "q2")
    }

    @Test("A call that was passed on to a member that is not there goes on to the next one")
    func vanished() async throws {
        let broker = try await MQTTBroker()
        let alice = try await MQTTClient.signedIn("alice", broker.url)
        let a = try await member("a", broker.url)
        // A program of the past left its note: nobody is behind it.
        let unixMs = Date().timeIntervalSince1970 * 1_000
        let note =
            #"{"session":"old","number":1,"sinceUnixMs":1,"sentUnixMs":\#(unixMs),"validForMs":60000,"free":true}"#
        let publisher = Process()
        publisher.executableURL = URL(filePath: "/usr/bin/mosquitto_pub")
        publisher.arguments = [
            "-p", "\(broker.port)", "-q", "1", "-r", "-t", "callagent/presence/support/ghost", "-m", note,
        ]
        try publisher.run()
        publisher.waitUntilExit()
        try await meet(["a", "ghost"], alice)
        try await alice.send("invite", id: "a1", call: "c1", from: "alice", to: "support", extra: invite)
        #expect(try await a.message().body.isInvite)
        try await answer("c1", as: "a", a, busy: true)
        // The broker hands nothing on to the ghost, and nobody else is there.
        #expect(try await alice.message().body == .ack("a1"))
        guard case .reject = try await alice.message().body else {
            Issue.record("no refusal")
            return
        }
    }

    @Test("With the access rules for mosquitto a pool works, and nobody invites in another's name")
    func accessRules() async throws {
        let passwords = try PasswordFile(["alice": "a", "support": "s"])
        let rules = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/mosquitto/callagent.acl").standardized.path
        let broker = try await MQTTBroker(
            "allow_anonymous false\npassword_file \(passwords.path)\nacl_file \(rules)")
        func client(_ account: String, device: String, isInPool: Bool, _ password: String) -> MQTTClient {
            MQTTClient(
                "mqtt://\(account)@127.0.0.1:\(broker.port)", device: device, isInPool: isInPool, token: { password })
        }
        let alice = client("alice", device: "main", isInPool: false, "a")
        let members = ["a", "b"].map { client("support", device: $0, isInPool: true, "s") }
        try await alice.transport.connect(as: "alice")
        for member in members { try await member.transport.connect(as: "support") }
        try await meet(["a", "b"], alice)
        try await alice.send("invite", id: "a1", call: "c1", from: "alice", to: "support", extra: invite)
        try await eventually { members.contains { $0.events.count > 0 } }
        let index = try #require(members.firstIndex { $0.events.count > 0 })
        try await answer("c1", as: ["a", "b"][index], members[index], busy: true)
        #expect(try await members[1 - index].message().body.isInvite)
        // Only another member may pass an invite on: nobody else is believed about its caller.
        let forged = callMessage(
            "invite", id: "a1", call: "c2", from: "bob", to: "support",
            extra: #","generation":0,"sentUnixMs":0"# + invite)
        try await alice.transport.send(forged, to: "support")
        try await alice.send(
            "query", id: "q", call: "c1", from: "alice", to: "support",
            extra: #","device":"main","toDevice":"\#(["a", "b"][1 - index])""#)
        #expect(try await members[1 - index].message().id == "q")
    }
}
