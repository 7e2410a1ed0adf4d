import Foundation
import TestServers
import Testing

extension EndToEnd {
    /// Calls that go on in a room of a real Janus.
    @Suite(.enabled(if: JanusServer.isPossible, "needs root, iproute2, nftables and Debian's janus"))
    struct GroupCallTests {
        private let lab: NetworkLab
        private let janus: JanusServer
        private let server: Program

        init() async throws {
            let lab = try NetworkLab(hasNAT: false)
            self.lab = lab
            janus = try await JanusServer(in: lab)
            let command = lab.command(
                at: .internet, Program.path, ["serve", "--listen", "\(NetworkLab.server):8080", "--events"])
            let server = try Program(command.arguments, path: command.path)
            self.server = server
            try await eventually("the server listens") { !server.lines.isEmpty }
        }

        private func listen(
            _ name: String, _ hertz: Int, _ words: [String] = [], knowsRooms: Bool = true
        ) async throws -> RoomParty {
            let party = try RoomParty(
                name, in: lab, at: .bob, hertz: hertz, calls: ["listen", "--allow", "alice"] + words,
                knowsRooms: knowsRooms)
            try await eventually("\(name) listens") { party.program.hasEvent(["event": "listening"]) }
            return party
        }

        private func call(_ peer: String, _ words: [String]) throws -> RoomParty {
            try RoomParty(
                "alice", in: lab, at: .alice, hertz: 440, calls: ["call", peer, "--duration", "forever"] + words)
        }

        /// How long a program saw nobody, in ms: from the end of the call of two until the room shows the peer; negative without a gap.
        ///
        /// Two tasks print these events, so a few ms say nothing.
        private func gap(_ party: RoomParty, _ peer: String) throws -> Double {
            let events = party.program.events
            func moment(_ state: String, isFirst: Bool) throws -> (ms: Double, call: String) {
                let found = events.filter { $0["state"] as? String == state && $0["peer"] as? String == peer }
                let event = try #require(isFirst ? found.first : found.last, "\(state) \(peer)")
                return (try #require(event["unixMs"] as? Double), event["callId"] as? String ?? "")
            }
            let (shown, ended) = (try moment("connected", isFirst: false), try moment("ended", isFirst: true))
            #expect(shown.call != ended.call)
            return shown.ms - ended.ms
        }

        @Test("A call of two goes on in a room without a gap; a third one joins; each one leaves when it wants")
        func growing() async throws {
            let bob = try await listen("bob", 554, ["--once"])
            let alice = try call("bob", ["--at", "1s=room:\(JanusServer.room)"])
            for (party, peer) in [(alice, bob), (bob, alice)] {
                try await party.isConnected(with: [peer.name], times: 2)
                try await eventually("the call of two is over for \(party.name)") {
                    party.program.hasEvent(["event": "transferred", "peer": peer.name, "room": JanusServer.room])
                        && party.program.hasEvent(["event": "stateChanged", "state": "ended", "peer": peer.name])
                }
                #expect(try gap(party, peer.name) < 50, "\(party.name) saw nobody for a while")
                func report() -> [String: Any]? {
                    party.program.events.compactMap { $0["report"] as? [String: Any] }.first {
                        $0["peer"] as? String == peer.name
                    }
                }
                try await eventually("the report of \(party.name)") { report() != nil }
                let video = (report()?["video"] as? [String: Any])?["received"] as? [String: Any]
                #expect(video?["freezeCount"] as? Int == 0)
            }
            try await RoomParty.expectMedia([(alice, of: ["bob"]), (bob, of: ["alice"])])
            let carol = try RoomParty("carol", in: lab, hertz: 660)
            try await carol.isConnected(with: ["alice", "bob"])
            for party in [alice, bob] { try await party.isConnected(with: ["carol"]) }
            try await RoomParty.expectMedia([
                (alice, of: ["carol"]), (bob, of: ["carol"]), (carol, of: ["alice", "bob"]),
            ])
            // The server dies and comes back: all of them join again, and nobody takes it for the end.
            janus.stop()
            for party in [alice, bob] {
                try await eventually("\(party.name) lost the room") { party.program.hasEvent(["event": "roomLost"]) }
            }
            _ = try await carol.program.waitForExit()
            try await janus.start()
            try await alice.isConnected(with: ["bob"], times: 3)
            try await bob.isConnected(with: ["alice"], times: 3)
            try await RoomParty.expectMedia([(alice, of: ["bob"]), (bob, of: ["alice"])])
            try await alice.leave(having: [bob])
            // Nobody else is there.
            #expect(try await bob.program.waitForExit() == 0, "\(bob.program.errors)")
        }

        @Test("What is off or muted stays so in the room, and a transfer that failed can be tried again")
        func sending() async throws {
            let bob = try await listen("bob", 554, ["--once", "--start-video-off", "--start-muted"])
            let alice = try call("bob", ["--at", "200ms=room:77", "--at", "1s=room:\(JanusServer.room)"])
            try await eventually("the call goes on in the second room") {
                alice.program.hasEvent(["event": "transferred", "peer": "bob", "room": JanusServer.room])
            }
            #expect(alice.program.count(of: ["event": "action", "action": "room:77"]) == 1)
            let present = try #require(
                alice.program.events.last { $0["event"] as? String == "participantPresent" }?["media"] as? [String: Any]
            )
            #expect(present["video"] as? Bool == false && present["audio"] as? Bool == true)
            func samples() -> Int { alice.received("audio", of: "bob")["totalSamplesReceived"] as? Int ?? 0 }
            try await eventually("silence arrives") { samples() > 48_000 }
            try await bob.expectMedia(of: "alice")
            alice.program.signal(SIGINT)
            #expect(try await alice.program.waitForExit() == 130)
            let reports = alice.program.events.compactMap { $0["report"] as? [String: Any] }
                .filter { $0["peer"] as? String == "bob" }
            #expect(reports.count == 2)
            for report in reports {
                let audio = (report["audio"] as? [String: Any])?["received"] as? [String: Any]
                #expect(audio?["toneHz"] == nil)
            }
            #expect(try await bob.program.waitForExit() == 0, "\(bob.program.errors)")
        }

        @Test("An invite names a room: who accepts is there, who does not is not missed")
        func inviting() async throws {
            let bob = try await listen("bob", 554, ["--once"])
            let carol = try await listen("carol", 660, ["--allow", "eve", "--answer", "300ms"])
            let dave = try await listen("dave", 770, ["--reject"])
            let alice = try RoomParty(
                "alice", in: lab,
                ["--invite", "bob", "--invite", "carol", "--invite", "dave", "--signaling", RoomParty.signaling])
            for (party, others) in [(alice, [bob, carol]), (bob, [alice, carol]), (carol, [alice, bob])] {
                for other in others {
                    // Those who called each other first saw each other there.
                    let times = party.name == "alice" || other.name == "alice" ? 2 : 1
                    try await party.isConnected(with: [other.name], times: times)
                }
            }
            try await RoomParty.expectMedia([
                (alice, of: ["bob", "carol"]), (bob, of: ["alice", "carol"]), (carol, of: ["alice", "bob"]),
            ])
            for party in [bob, carol] {
                try await eventually("the call of two is over for \(party.name)") {
                    party.program.hasEvent(["event": "stateChanged", "state": "ended", "peer": "alice"])
                }
                #expect(try gap(party, "alice") < 50, "\(party.name) saw nobody for a while")
            }
            // Who is in the room takes no other call.
            let other = try RoomParty("eve", in: lab, at: .alice, hertz: 880, calls: ["call", "carol"])
            #expect(try await other.program.waitForExit() == 4, "\(other.program.errors)")
            #expect(other.program.errors.contains("Busy"), "\(other.program.errors)")
            try await alice.leave(having: [bob, carol])
            try await bob.expectMedia(of: "carol")
            try await carol.leave(having: [alice, bob])
            #expect(try await bob.program.waitForExit() == 0, "\(bob.program.errors)")
            dave.program.signal(SIGINT)
            #expect(try await dave.program.waitForExit() == 130)
        }

        @Test("A transfer that fails leaves the call as it was", .namesCases)
        static func staying() async {
            await together(["the peer knows no room", "no such room", "a PIN", "no server", "the server hangs"]) {
                try await GroupCallTests().stays($0)
            }
        }

        /// Because of `cause`, in the lab of these tests.
        private func stays(_ cause: String) async throws {
            let bob = try await listen("bob", 554, knowsRooms: cause != "the peer knows no room")
            let room = cause == "no such room" ? "77" : cause == "a PIN" ? JanusServer.closedRoom : JanusServer.room
            if cause == "no server" { janus.stop() }
            if cause == "the server hangs" { janus.setHanging(true) }
            let alice = try call("bob", ["--at", "200ms=room:\(room)"])
            try await eventually("the action is refused", within: .seconds(30)) {
                alice.program.events.contains { $0["event"] as? String == "action" && $0["text"] is String }
            }
            try await RoomParty.expectMedia([(alice, of: ["bob"]), (bob, of: ["alice"])])
            #expect(alice.program.count(of: ["event": "stateChanged", "state": "connected"]) == 1)
            alice.program.signal(SIGINT)
            #expect(try await alice.program.waitForExit() == 130)
            try await bob.leave(having: [alice])
            janus.setHanging(false)
        }
    }
}
