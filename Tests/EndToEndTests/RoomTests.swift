import Foundation
import TestServers
import Testing

extension EndToEnd {
    /// Rooms on a real Janus.
    @Suite(.enabled(if: JanusServer.isPossible, "needs root, iproute2, nftables and Debian's janus"))
    struct RoomTests {
        private func room() async throws -> (lab: NetworkLab, janus: JanusServer) {
            let lab = try NetworkLab(hasNAT: false)
            return (lab, try await JanusServer(in: lab))
        }

        @Test("Everybody sees and hears everybody else; who leaves is gone for the others")
        func everybody() async throws {
            let (lab, janus) = try await room()
            var parties = try (0..<3).map { number in
                try RoomParty("p\(number)", in: lab, at: number == 1 ? .bob : .alice, hertz: 300 + 50 * number)
            }
            for party in parties {
                let others = parties.filter { $0.name != party.name }
                try await party.isConnected(with: others.map(\.name))
            }
            try await RoomParty.expectMedia(
                parties.map { party in (party, of: parties.map(\.name).filter { $0 != party.name }) })
            let first = parties.removeFirst()
            try await first.leave(having: parties)
            for party in parties {
                try await eventually("\(party.name) learns that \(first.name) left") {
                    party.program.hasEvent(["event": "participantLeft", "peer": first.name])
                }
                #expect(
                    party.program.hasEvent([
                        "event": "stateChanged", "state": "ended", "peer": first.name, "reason": "remoteHangup",
                    ]))
            }
            try await parties[0].leave(having: [first, parties[1]])
            try await parties[1].leave(having: [first, parties[0]])
            janus.stop()
        }

        @Test("Eight participants: two receive all the others, six receive one")
        func eight() async throws {
            let (lab, janus) = try await room()
            let parties = try (0..<8).map { number in
                try RoomParty(
                    "p\(number)", in: lab, at: number.isMultiple(of: 2) ? .alice : .bob, hertz: 300 + 50 * number,
                    number < 2 ? [] : ["--only", "p\(number - 1)"])
            }
            func received(by number: Int) -> [RoomParty] {
                number < 2 ? parties.filter { $0.name != "p\(number)" } : [parties[number - 1]]
            }
            for (number, party) in parties.enumerated() {
                try await party.isConnected(with: received(by: number).map(\.name), within: .seconds(60))
            }
            try await RoomParty.expectMedia(
                parties.enumerated().map { number, party in (party, of: received(by: number).map(\.name)) },
                within: .seconds(40))
            for (number, party) in parties.enumerated() { try await party.leave(having: received(by: number)) }
            janus.stop()
        }

        @Test("Who only watches receives and records whom it wants, and publishes nothing")
        func watch() async throws {
            let (lab, janus) = try await room()
            let folder = Folder()
            let alice = try RoomParty("alice", in: lab)
            let bob = try RoomParty("bob", in: lab, at: .bob, hertz: 554)
            try await alice.isConnected(with: ["bob"])
            let eve = try RoomParty(
                "eve", in: lab, at: .bob,
                command: [
                    "watch", JanusServer.room, "--only", "bob", "--record", folder.path("room-%p.mkv"), "--events",
                    "--stats-interval", "200ms",
                ])
            try await eve.isConnected(with: ["bob"])
            for _ in 1...3 { try await eve.expectMedia(of: "bob") }
            #expect(!eve.program.hasEvent(["event": "stateChanged", "peer": "alice"]))
            #expect(!alice.program.hasEvent(["event": "participantPresent", "peer": "eve"]))
            try await eve.leave(having: [bob])
            let recording = try await RecordedFile(folder.path("room-bob.mkv"))
            #expect(recording.changes > 10)
            #expect(abs(recording.toneHz - 554) < 5)
            for party in [alice, bob] { try await party.leave(having: []) }
            janus.stop()
        }

        @Test("One participant is received at a time: the next one when the first one leaves")
        func places() async throws {
            let (lab, janus) = try await room()
            var parties = [try RoomParty("alice", in: lab), try RoomParty("bob", in: lab, at: .bob, hertz: 554)]
            for (party, other) in [(parties[0], "bob"), (parties[1], "alice")] {
                try await party.isConnected(with: [other])
            }
            let eve = try RoomParty(
                "eve", in: lab, at: .bob,
                command: [
                    "watch", JanusServer.room, "--max-received", "1", "--events", "--stats-interval", "200ms",
                ])
            func connected() -> [String] {
                eve.program.events.filter { $0["state"] as? String == "connected" }.compactMap { $0["peer"] as? String }
            }
            try await eventually("eve receives somebody") { !connected().isEmpty }
            let first = try #require(parties.firstIndex { $0.name == connected()[0] })
            let chosen = parties.remove(at: first)
            for _ in 1...3 { try await eve.expectMedia(of: chosen.name) }
            #expect(connected() == [chosen.name])
            try await chosen.leave(having: [parties[0]])
            try await eve.isConnected(with: [parties[0].name])
            for _ in 1...3 { try await eve.expectMedia(of: parties[0].name) }
            try await eve.leave(having: [chosen, parties[0]])
            try await parties[0].leave(having: [chosen])
            janus.stop()
        }

        @Test("A moderator mutes a participant for everybody, and removes it")
        func moderation() async throws {
            let (lab, janus) = try await room()
            let folder = Folder()
            let secret = folder.path("secret")
            try JanusServer.secret.write(toFile: secret, atomically: true, encoding: .utf8)
            let alice = try RoomParty("alice", in: lab)
            // Who is removed does not come back by itself.
            let bob = try RoomParty("bob", in: lab, at: .bob, hertz: 554, ["--reconnect"])
            try await alice.isConnected(with: ["bob"])
            try await alice.expectMedia(of: "bob")
            func act(_ words: [String], as status: Int32 = 0) async throws -> String {
                let party = try RoomParty("mod", in: lab, command: words)
                #expect(try await party.program.waitForExit() == status, "\(words): \(party.program.errors)")
                return party.program.output + party.program.errors
            }
            #expect(try await act(["who", JanusServer.room]).contains("bob  audio video"))
            _ = try await act(["mute", JanusServer.room, "bob", "--audio-only", "--secret-file", secret])
            try await eventually("bob knows") {
                bob.program.hasEvent(["event": "moderatorMuted", "kind": "audio", "peer": "bob"])
            }
            try await eventually("alice knows") {
                alice.program.hasEvent(["event": "moderatorMuted", "kind": "audio", "peer": "bob"])
            }
            // No packets of the audio arrive, while the video continues.
            func packets(_ kind: String) -> Int { alice.received(kind, of: "bob")["packetsReceived"] as? Int ?? 0 }
            let (audio, video) = (packets("audio"), packets("video"))
            try await eventually("the video continues") { packets("video") > video + 30 }
            #expect(packets("audio") <= audio + 30)
            #expect(try await act(["who", JanusServer.room]).contains("bob  audio (muted) video"))
            _ = try await act(["unmute", JanusServer.room, "bob", "--secret-file", secret])
            try await alice.expectMedia(of: "bob")
            let wrong = folder.path("wrong")
            try "guess".write(toFile: wrong, atomically: true, encoding: .utf8)
            #expect(
                try await act(["kick", JanusServer.room, "bob", "--secret-file", wrong], as: 3).contains("wrong secret")
            )
            #expect(
                try await act(["kick", JanusServer.room, "zoe", "--secret-file", secret], as: 4).contains("'zoe'"))
            _ = try await act(["kick", JanusServer.room, "bob", "--secret-file", secret])
            #expect(try await bob.program.waitForExit() == 4)
            #expect(bob.program.errors.contains("a moderator removed this participant"))
            try await eventually("alice knows") {
                alice.program.hasEvent(["event": "participantRemoved", "peer": "bob"])
            }
            try await alice.leave(having: [bob])
            janus.stop()
        }

        @Test("The server hears who speaks, by the level that each one sends, and tells who comes later, too")
        func speaking() async throws {
            let (lab, janus) = try await room()
            let alice = try RoomParty("alice", in: lab)
            try await eventually("alice is there") { alice.program.hasEvent(["event": "roomJoined"]) }
            let bob = try RoomParty(
                "bob", in: lab, at: .bob, hertz: 554, ["--at", "2s=mute-audio", "--at", "4s=unmute-audio"])
            func hasHeard(_ events: [String]) -> Bool {
                let heard = alice.program.events.filter { $0["peer"] as? String == "bob" }
                    .compactMap { $0["event"] as? String }.filter { ["speaking", "silent"].contains($0) }
                return heard.starts(with: events)
            }
            try await eventually("alice knows that bob speaks") { hasHeard(["speaking"]) }
            try await eventually("alice knows that bob is silent: nobody learns the level of what is muted") {
                hasHeard(["speaking", "silent"])
            }
            try await eventually("alice knows that bob speaks again") { hasHeard(["speaking", "silent", "speaking"]) }
            try await alice.expectMedia(of: "bob")
            let carol = try RoomParty("carol", in: lab)
            for name in ["alice", "bob"] {
                try await eventually("carol knows that \(name) speaks already") {
                    carol.program.hasEvent(["event": "speaking", "peer": name])
                }
            }
            try await RoomParty.expectMedia([(carol, of: ["alice", "bob"])])
            try await carol.leave(having: [alice, bob])
            try await bob.leave(having: [alice, carol])
            try await alice.leave(having: [bob, carol])
            janus.stop()
        }

        @Test(
            "Nobody publishes more than the room allows, in one version or in three", arguments: [[], ["--simulcast"]])
        func limit(options: [String]) async throws {
            let lab = try NetworkLab(hasNAT: false)
            let janus = try await JanusServer(in: lab, options: ["bitrate = 150000"])
            let alice = try RoomParty("alice", in: lab, ["--video", "busy", "--video-rate", "800"] + options)
            let bob = try RoomParty("bob", in: lab, at: .bob, hertz: 554)
            try await bob.isConnected(with: ["alice"])
            func rate() -> Double {
                let last = bob.program.events.last {
                    $0["event"] as? String == "statistics" && $0["peer"] as? String == "alice"
                }
                let inbound = (last?["interval"] as? [String: Any])?["inbound"] as? [[String: Any]]
                return inbound?.first { $0["kind"] as? String == "video" }?["kbitPerSecond"] as? Double ?? 0
            }
            try await eventually("bob receives as much of alice as the room allows, after the beginning") {
                bob.received("video", of: "alice")["framesDecoded"] as? Int ?? 0 > 40 && (40...170).contains(rate())
            }
            try await alice.expectMedia(of: "bob")
            try await alice.leave(having: [bob])
            try await bob.leave(having: [alice])
            janus.stop()
        }

        @Test("Each refusal gives one line and its exit code")
        func refusals() async throws {
            let (lab, janus) = try await room()
            func fails(_ words: [String], _ status: Int32, _ text: String) async throws {
                let party = try RoomParty("alice", in: lab, command: ["join"] + words + ["--duration", "2s"])
                #expect(try await party.program.waitForExit() == status, "\(words)")
                #expect(party.program.errors.contains(text), "\(words): \(party.program.errors)")
                #expect(party.program.errors.split(separator: "\n").count == 1, "\(party.program.errors)")
            }
            try await fails(["77"], 4, "the server has no room '77'")
            try await fails([JanusServer.closedRoom], 3, "the room has a PIN")
            try await fails([JanusServer.closedRoom, "--pin", "1"], 3, "wrong pin")
            try await fails(["lobby"], 4, "its rooms have numbers")
            try await fails(["a b"], 2, "cannot be the name of the room")
            let first = try RoomParty(
                "first", in: lab, command: ["join", JanusServer.closedRoom, "--pin", "1234", "--events"])
            try await eventually("the first publishes") {
                first.program.hasEvent(["event": "stateChanged", "state": "connected"])
            }
            try await fails([JanusServer.closedRoom, "--pin", "1234"], 4, "the room is full")
            first.program.signal(SIGINT)
            try await first.program.waitForExit()
            // A server that answers nothing any more, and none at all.
            janus.setHanging(true)
            try await fails([JanusServer.room, "--request-timeout", "700ms"], 3, "no answer in time")
            janus.setHanging(false)
            janus.stop()
            try await fails([JanusServer.room], 3, "connection refused; is it running?")
        }

        @Test("A server with an API secret takes only who has it; a file gives it, and any other option")
        func apiSecret() async throws {
            let lab = try NetworkLab(hasNAT: false)
            let janus = try await JanusServer(in: lab, apiSecret: "sesame")
            let folder = Folder()
            func config(_ secret: String) throws -> [String] {
                let file = try folder.write(secret, "\(secret).secret")
                let options =
                    #"{"api-secret-file": "\#(file)", "request-timeout": "5s", "server": "ws://unused.example"}"#
                return ["--config", try folder.write(options, "\(secret).json")]
            }
            for (options, text) in [([], "refuses this participant"), (try config("wrong"), "--api-secret-file")] {
                let party = try RoomParty("p", in: lab, command: ["who", JanusServer.room] + options)
                #expect(try await party.program.waitForExit() == 3, "\(options)")
                #expect(party.program.errors.contains(text), "\(party.program.errors)")
            }
            let alice = try RoomParty("alice", in: lab, hertz: 440, config("sesame"))
            let bob = try RoomParty("bob", in: lab, at: .bob, hertz: 554, config("sesame"))
            for (party, other) in [(alice, bob), (bob, alice)] { try await party.isConnected(with: [other.name]) }
            try await RoomParty.expectMedia([(alice, of: ["bob"]), (bob, of: ["alice"])])
            let who = try RoomParty("who", in: lab, command: ["who", JanusServer.room] + config("sesame"))
            #expect(try await who.program.waitForExit() == 0, "\(who.program.errors)")
            #expect(who.program.output.contains("bob  audio video"), "\(who.program.output)")
            #expect(who.program.errors.contains("the API secret goes to"), "a warning, since it is not encrypted")
            try await alice.leave(having: [bob])
            try await bob.leave(having: [alice])
            janus.stop()
        }

        @Test("The server dies and comes back: who wants that joins again, others end with one line")
        func outage() async throws {
            let (lab, janus) = try await room()
            let alice = try RoomParty("alice", in: lab, ["--reconnect"])
            let bob = try RoomParty("bob", in: lab, at: .bob, hertz: 554, ["--reconnect"])
            let carol = try RoomParty("carol", in: lab, at: .bob, hertz: 660)
            for (party, others) in [(alice, ["bob", "carol"]), (bob, ["alice", "carol"]), (carol, ["alice", "bob"])] {
                try await party.isConnected(with: others)
            }
            try await carol.expectMedia(of: "alice")
            janus.stop()
            #expect(try await carol.program.waitForExit() == 3)
            #expect(carol.program.errors.contains("the server closed the connection"))
            try await eventually("alice has lost the room") { alice.program.hasEvent(["event": "roomLost"]) }
            try await janus.start()
            try await alice.isConnected(with: ["bob"], times: 2)
            try await bob.isConnected(with: ["alice"], times: 2)
            try await RoomParty.expectMedia([(alice, of: ["bob"]), (bob, of: ["alice"])])
            try await alice.leave(having: [bob])
            try await bob.leave(having: [alice])
        }

        @Test("A participant's address is replaced: what it publishes and receives takes another path")
        func networkChange() async throws {
            let (lab, janus) = try await room()
            let alice = try RoomParty("alice", in: lab)
            let bob = try RoomParty("bob", in: lab, at: .bob, hertz: 554)
            try await alice.isConnected(with: ["bob"])
            try await bob.isConnected(with: ["alice"])
            try await alice.expectMedia(of: "bob")
            try lab.replaceAddress()
            for peer in [JanusServer.room, "bob"] {
                try await eventually("alice's path of \(peer)", within: .seconds(30)) {
                    alice.program.events.contains { event in
                        let change = event["networkChange"] as? [String: Any]
                        let local = (change?["after"] as? [String: Any])?["local"] as? [String: Any]
                        return event["peer"] as? String == peer && local?["address"] as? String == "10.77.1.3"
                    }
                }
            }
            try await RoomParty.expectMedia([(alice, of: ["bob"]), (bob, of: ["alice"])])
            try await alice.leave(having: [bob])
            try await bob.leave(having: [alice])
            janus.stop()
        }
    }
}
