import Testing

@testable import SignalingServer

/// The server's log for its operator.
@Suite(.timeLimit(.minutes(2)))
struct ServerLogTests {
    @Test("A refused sign-in is one log line with user, address and reason, printable and without the token")
    func refusedSignIns() async throws {
        let lines = LogLines()
        let token = TestToken.good("bob")
        try await withTokenServer(logger: lines.logger) {
            $0.trustedProxies = ["127.0.0.1"]
        } _: { server in
            for (user, device, shown) in [
                ("alice", "tv", "alice"), (#"al\n[1mice \u00e9"#, "tv", "al??1mice??"),
                (String(repeating: "x", count: 5_000), "tv", String(repeating: "x", count: 64)),
            ] {
                let client = try await RawClient.connect(port: server.port, fields: "X-Forwarded-For: 198.51.100.7\r\n")
                try await client.send(RawClient.signIn(user, device: device, token: token))
                #expect(try await client.closeCode() == 1008)
                let line = try #require(try await lines.next("sign-in refused"))
                #expect(line.hasPrefix("notice sign-in refused address=198.51.100.7 "), "\(line)")
                #expect(line.contains(" user=\(shown)") && line.contains(" device=tv "), "\(line)")
                #expect(line.contains(" reason=the "), "\(line)")
            }
        }
        #expect(!lines.all.contains { $0.contains(token) })
    }

    @Test func whoSaysNothingIsALineAsWell() async throws {
        let lines = LogLines()
        try await withServer(logger: lines.logger) {
            $0.signInTimeout = .seconds(3)
        } _: { server in
            let silent = try await RawClient.connect(port: server.port)
            #expect(try await silent.closeCode() == 1008)
            let line = try #require(try await lines.next("sign-in refused"))
            #expect(line == "notice sign-in refused address=127.0.0.1 code=408 reason=no sign-in came in time user=-")
        }
    }

    @Test("Too many refused sign-ins are logged as a number")
    func manyRefusals() throws {
        let lines = LogLines()
        var log = ServerLog(lines.logger)
        func refuse(at milliseconds: Int) {
            let now = Moment(unixMs: 0, uptimeMs: milliseconds)
            log.refused(user: nil, device: nil, from: nil, code: 400, text: "no", at: now)
        }
        for _ in 0..<105 { refuse(at: 1_000_000) }
        #expect(
            lines.all
                == Array(repeating: "notice sign-in refused address=unknown code=400 reason=no user=-", count: 100))
        refuse(at: 1_000_100)
        #expect(lines.all.last == "notice sign-in refused address=unknown code=400 omitted=5 reason=no user=-")
        refuse(at: 1_000_200)
        #expect(lines.all.count == 102 && lines.all.last == lines.all.first)
    }

    @Test("An ended call is one log line with users, times, duration and outcome, and it is counted")
    func calls() async throws {
        let lines = LogLines()
        try await withServer(logger: lines.logger) {
            $0.announcesRinging = false
        } _: { server in
            let alice = try await RawClient.signedIn("alice", device: "tv", port: server.port)
            let bob = try await RawClient.signedIn("bob", port: server.port)
            try await alice.send(callMessage("invite", from: "alice", to: "bob"))
            _ = try await bob.text()
            try await bob.send(callMessage("accept", from: "bob", to: "alice"))
            _ = try await alice.text()
            try await bob.send(
                callMessage("hangup", from: "bob", to: "alice", extra: #","code":9900,"text":"secret\n""#))
            _ = try await alice.text()
            let line = try #require(try await lines.next("call ended"))
            let expected =
                #/info call ended call=c1 callee=bob calleeDevice=main caller=alice callerDevice=tv code=9900 connectedMs=(\d+) endedUnixMs=(\d+) outcome=completed startedUnixMs=(\d+)/#
            let match = try #require(try expected.wholeMatch(in: line), "\(line)")
            #expect((Int(match.2) ?? 0) - (Int(match.3) ?? 0) >= Int(match.1) ?? .max)

            try await alice.send(callMessage("invite", call: "c2", from: "alice", to: "bob"))
            try await alice.send(callMessage("cancel", call: "c2", from: "alice", to: "bob", extra: #","code":487"#))
            #expect(try #require(try await lines.next("call ended")).contains(" code=487 "))
            let samples = try await PrometheusSamples(port: server.port)
            #expect(samples[#"callagent_signaling_calls_ended_total{outcome="completed"}"#] == 1)
            #expect(samples[#"callagent_signaling_calls_ended_total{outcome="unanswered"}"#] == 1)
            #expect(samples["callagent_signaling_call_seconds_count"] == 1)
            #expect(samples["callagent_signaling_calls"] == 0)
        }
    }
}
