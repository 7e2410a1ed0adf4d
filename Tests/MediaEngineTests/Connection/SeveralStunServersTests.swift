import TestServers
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Several STUN servers") struct SeveralStunServersTests {
        /// An audio call whose ends use these servers.
        private func options(_ urls: [String]) -> LoopbackCall.Options {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.configure = { $0.iceServers = urls.map { StunTurnServer(urls: [$0]) } }
            return options
        }

        @Test(
            "If the first server is dead, the second one finds the address, and both are asked",
            arguments: ["127.0.0.1", "localhost"])
        func deadFirst(host: String) async throws {
            let turn = try await TurnServer()
            let dead = try await HeldUDP(to: turn.port)
            // Like a NAT: the server sees a port that is not the host's own.
            let nat = try await HeldUDP(to: turn.port)
            nat.release()
            let urls = ["stun:\(host):\(dead.port)", "stun:\(host):\(nat.port)"]
            try await withCall(options(urls)) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.wait(for: .candidatesGathered(.complete))
                    let (host, mapped) = (end.candidates("host"), end.candidates("srflx"))
                    try #require(host.count == 1 && mapped.count == 1, "\(end.events)")
                    #expect(mapped[0][4] == "127.0.0.1" && mapped[0][5] != host[0][5])
                    #expect(mapped[0].suffix(4).last == host[0][5], "\(mapped[0])")
                    try await end.waitForTone()
                }
                #expect(dead.count >= 2)
            }
        }

        @Test("All servers are asked, and the first answer gives one candidate, not several")
        func all() async throws {
            let turn = try await TurnServer()
            var nats: [HeldUDP] = []
            for _ in 0..<3 { nats.append(try await HeldUDP(to: turn.port)) }
            try await withCall(options(nats.map { "stun:127.0.0.1:\($0.port)" })) { call in
                try await call.negotiate()
                try await eventually("each is asked by both ends") { nats.allSatisfy { $0.count >= 2 } }
                for nat in nats { nat.release() }
                for end in call.ends {
                    try await end.wait(for: .candidatesGathered(.complete))
                    #expect(end.candidates("srflx").count == 1)
                }
            }
        }

        @Test("Without any answer the gathering ends, and the call connects with other candidates")
        func allDead() async throws {
            let turn = try await TurnServer()
            let dead = [try await HeldUDP(to: turn.port), try await HeldUDP(to: turn.port)]
            try await withCall(options(dead.map { "stun:127.0.0.1:\($0.port)" } + ["stun:no-such-host.invalid"])) {
                call in
                try await call.connect()
                for end in call.ends {
                    try await end.wait(for: .candidatesGathered(.complete))
                    #expect(end.candidates("srflx").isEmpty)
                    try await end.waitForTone()
                }
            }
        }

        @Test("Packets of strangers to the local STUN port go nowhere, and the port closes with the connection")
        func strangers() async throws {
            let servers = [try Datagrams(), try Datagrams()]
            let options = options(servers.map { "stun:127.0.0.1:\($0.port)" })
            try await withCall(options) { call in
                try await call.negotiate()
                let server = try #require(await call.caller.peer.media?.ice.stunServer)
                let port = try #require(UInt16(exactly: server.port))
                try await eventually("questions") { servers.allSatisfy { $0.received.count >= 2 } }
                let stranger = try Datagrams()
                let question: [UInt8] = [0, 1, 0, 0] + [UInt8](repeating: 0x55, count: 16)
                for datagram in [question, [], [1], [UInt8](repeating: 0, count: 1_400)] {
                    stranger.send(datagram, to: port)
                }
                let count = servers[0].received.count
                // libnice repeats a request without an answer.
                try await eventually("the next question") { servers[0].received.count > count }
                for server in servers { #expect(!server.received.contains { $0.contains(0x55) && $0 == question }) }
                await call.close()
                let before = servers.map(\.received.count)
                stranger.send(question, to: port)
                #expect(servers.map(\.received.count) == before)
            }
        }

        @Test("Only STUN binding requests are passed on")
        func questions() {
            let header: [UInt8] = [0, 1, 0, 4] + [UInt8](repeating: 7, count: 16)
            #expect(SingleStunServer.isBindingRequest(header + [0, 0, 0, 0]))
            var otherType = header + [0, 0, 0, 0]
            otherType[1] = 3
            let wrong: [[UInt8]] = [
                [], header, header + [UInt8](repeating: 0, count: 5), otherType, [UInt8](repeating: 0, count: 600),
            ]
            for bytes in wrong { #expect(!SingleStunServer.isBindingRequest(bytes)) }
        }

        @Test("libnice gets a single server as it is, and with the relay policy none")
        func single() async throws {
            let turn = try await TurnServer()
            let peer = try await TestEngine.peer(kinds: [.audio]) {
                $0.iceServers = [StunTurnServer(urls: ["stun:127.0.0.1:\(turn.port)"])]
            }
            _ = try await peer.createOffer()
            let server = IceEndpoint(host: "127.0.0.1", port: Int(turn.port))
            #expect(await peer.media?.ice.stunServer == server)
            await peer.close()
            let relayed = try await TestEngine.peer(kinds: [.audio]) {
                $0.iceServers = [
                    StunTurnServer(urls: ["stun:127.0.0.1:1", "stun:127.0.0.1:2"]),
                    StunTurnServer(
                        urls: [turn.url("udp")], username: TurnServer.username, credential: TurnServer.credential),
                ]
                $0.iceTransportPolicy = .relay
            }
            _ = try await relayed.createOffer()
            #expect(await relayed.media?.ice.stunServer == nil)
            await relayed.close()
        }
    }
}
