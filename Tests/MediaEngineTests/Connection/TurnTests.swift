import TestServers
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Calls through a TURN server") struct TurnTests {
        private static func servers(_ urls: [String], credential: String = TurnServer.credential) -> [StunTurnServer] {
            [StunTurnServer(urls: urls, username: TurnServer.username, credential: credential)]
        }

        @Test(
            "Both ends see and hear each other through the relay only, over UDP and over TCP, also by its name",
            arguments: [("udp", "127.0.0.1"), ("udp", "localhost"), ("tcp", "localhost")])
        func relay(transport: String, host: String) async throws {
            // The transport that must not be used is off.
            let turn = try await TurnServer(transport == "udp" ? ["--no-tcp-relay"] : ["--no-udp"])
            var options = LoopbackCall.Options()
            options.configure = {
                $0.iceServers = Self.servers([turn.url(transport).replacing("127.0.0.1", with: host)])
                $0.iceTransportPolicy = .relay
            }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForFrames(10)
                    try await end.waitForTone()
                    let statistics = await end.peer.statistics()
                    #expect(statistics.transport.selectedPair?.local.type == .relay)
                    #expect(statistics.transport.selectedPair?.local.relayProtocol?.rawValue == transport)
                    let report = await end.peer.statisticsReport()
                    #expect(report.candidates.map(\.relayProtocol) == [transport, nil])
                    #expect(report.candidates.map(\.candidateType) == ["relay", "relay"])
                    #expect(report.candidates.allSatisfy { $0.address == "127.0.0.1" && $0.protocol == "udp" })
                    let changed = try #require(report.transport?.selectedCandidatePairChanged)
                    #expect(changed <= report.transport?.timestamp ?? 0 && changed > 1_600_000_000_000)
                    for case .localCandidate(let candidate) in end.events where candidate != .endOfCandidates {
                        #expect(candidate.isRelay)
                    }
                    #expect(end.relayComplaint == nil)
                }
            }
        }

        @Test("New credentials are used by the next path of a running connection")
        func newCredentials() async throws {
            let turn = try await TurnServer()
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.configure = { $0.iceServers = Self.servers([turn.url("udp")], credential: "expired") }
            try await withCall(options) { call in
                try await call.connect()
                let peer = call.caller.peer
                try await peer.use(Self.servers([turn.url("udp")]))
                try await peer.restartIce(1)
                func relayed() -> Bool {
                    call.caller.events.contains {
                        if case .localCandidate(let candidate) = $0 {
                            candidate.fragment != nil && candidate.isRelay
                        } else {
                            false
                        }
                    }
                }
                try await eventually("a relay candidate of the next path") { relayed() }
                #expect(
                    !call.caller.events.contains {
                        if case .localCandidate(let candidate) = $0 {
                            candidate.fragment == nil && candidate.isRelay
                        } else {
                            false
                        }
                    }, "the first path had none")
                await #expect(throws: MediaError.self) { try await peer.use([StunTurnServer(urls: ["turn:nowhere"])]) }
                try await call.callee.waitForTone()
            }
        }

        @Test("A TURN server that no longer answers delays no close, and the sockets close when it is given up")
        func deadServer() async throws {
            let turn = try await TurnServer()
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            // What the process keeps open from its first call on.
            try await withCall(options) { try await $0.connect() }
            let before = ProcessCensus.now().sockets
            options.configure = { $0.iceServers = Self.servers([turn.url("udp")]) }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await eventually("a relay candidate") {
                        end.events.contains { if case .localCandidate(let line) = $0 { line.isRelay } else { false } }
                    }
                }
                turn.stopAnswering()
                try await inTime("the close") { await call.close() }
            }
            // Meanwhile libnice repeats its requests.
            try await eventually("the sockets are closed") { ProcessCensus.now().sockets <= before }
        }

        @Test("Wrong credentials are reported, and the call connects another way")
        func wrongCredentials() async throws {
            let turn = try await TurnServer()
            var options = LoopbackCall.Options()
            options.configure = {
                $0.iceServers = Self.servers([turn.url("udp"), turn.url("tcp")], credential: "wrong")
            }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForFrames(5)
                    try await eventually("the complaint") { end.relayComplaint?.contains("wrong credentials") == true }
                    #expect(await end.peer.statistics().transport.selectedPair?.local.type == .host)
                }
            }
        }

        @Test("With the relay policy wrong credentials end the call with the reason")
        func nothingButWrongCredentials() async throws {
            let turn = try await TurnServer()
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.configure = {
                $0.iceServers = Self.servers([turn.url("udp")], credential: "wrong")
                $0.iceTransportPolicy = .relay
            }
            try await withCall(options) { call in
                try await call.negotiate()
                let failure = try await call.caller.waitForFailure()
                #expect("\(failure)".contains("no TURN server gave a relay address"))
            }
        }

        @Test("A TURN server also works as a STUN server and gives a server-reflexive candidate")
        func stun() async throws {
            let turn = try await TurnServer()
            // Like a NAT: the server sees a port that is not the host's own.
            let nat = try await HeldUDP(to: turn.port)
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.configure = { $0.iceServers = [StunTurnServer(urls: ["stun:127.0.0.1:\(nat.port)"])] }
            try await withCall(options) { call in
                try await call.negotiate()
                // As short as possible: libnice gives a server 2 s.
                try await eventually("both ends ask the server") { nat.count >= 2 }
                for end in call.ends {
                    #expect(end.count(.candidatesGathered(.complete)) == 0 && end.candidates("srflx").isEmpty)
                }
                nat.release()
                for end in call.ends {
                    try await end.wait(for: .verified)
                    try await end.wait(for: .candidatesGathered(.complete))
                    let (host, mapped) = (end.candidates("host"), end.candidates("srflx"))
                    try #require(host.count == 1 && mapped.count == 1, "\(end.events)")
                    #expect(mapped[0][4] == "127.0.0.1" && mapped[0][5] != host[0][5])
                    // The related address: `raddr 127.0.0.1 rport PORT`.
                    #expect(mapped[0].suffix(4).last == host[0][5], "\(mapped[0])")
                    try await end.waitForTone()
                }
            }
        }

        @Test(
            "A peer that cannot trickle gets all candidates in the description, the relay's too", arguments: [0, 8_000])
        func complete(timeoutMs: Int) async throws {
            let turn = try await TurnServer()
            var options = LoopbackCall.Options()
            // No candidate is trickled.
            options.rewriteCandidate = { _ in nil }
            options.configure = {
                $0.iceServers = Self.servers([turn.url("udp")])
                $0.candidateDelivery = .inDescription(timeoutMs: timeoutMs)
            }
            let descriptions = Shared<[SessionDescription]>([])
            options.rewrite = { description in
                descriptions.update { $0.append(description) }
                return description
            }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.waitForFrames(5)
                    #expect(end.count(.candidatesGathered(.complete)) == 1)
                    let trickled = end.events.filter { if case .localCandidate = $0 { true } else { false } }
                    #expect(trickled.isEmpty)
                }
                for description in descriptions.value {
                    let lines = description.sdp.components(of: "\r\n")
                    #expect(lines.contains { $0.contains("typ host") } && lines.contains { $0.contains("typ relay") })
                    #expect(lines.contains("a=end-of-candidates"))
                }
            }
        }

        @Test("Ports are taken from the configured range")
        func ports() async throws {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.tuning.localPorts = 41_000...41_099
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    try await end.wait(for: .candidatesGathered(.complete))
                    for case .localCandidate(let candidate) in end.events where candidate != .endOfCandidates {
                        let port = try #require(Int(candidate.candidate.components(of: " ")[5]))
                        #expect((41_000...41_099).contains(port))
                    }
                }
            }
        }
    }
}
