import SignalingServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ServerLimitTests {
    @Test func whatIsBeyondTheRateIsDroppedAndTold() async throws {
        try await withServer {
            $0.messagesPerSecond = 1
            $0.messageBurst = 5
        } _: { server in
            let alice = try await RawClient.signedIn("alice", port: server.port)
            let bob = try await RawClient.signedIn("bob", port: server.port)
            let burst = (0..<20).flatMap {
                RawClient.bytes(opcode: 1, Array(callMessage(id: "m\($0)", from: "alice", to: "bob").utf8))
            }
            try await alice.send(bytes: burst)
            let answer = try await alice.text()
            #expect(answer.contains(#""code":429"#) && answer.contains(#""ref":"-""#))
            // The sign-in was the first message of five.
            for number in 0..<4 { #expect(try await bob.text().contains("\"m\(number)\"")) }
        }
    }

    @Test(arguments: [1 as UInt8, 9, 0])
    func whoFloodsIsClosedAndTheOthersStay(opcode: UInt8) async throws {
        try await withServer {
            $0.messagesPerSecond = 1
            $0.messageBurst = 5
        } _: { server in
            let alice = try await RawClient.signedIn("alice", port: server.port)
            let bob = try await RawClient.signedIn("bob", port: server.port)
            if opcode == 0 { try await alice.send(opcode: 1, [0x7B], isFinal: false) }
            let frame = RawClient.bytes(opcode: opcode, opcode == 1 ? [0x7B, 0x7D] : [], isFinal: opcode != 0)
            try await alice.send(bytes: (0..<100).flatMap { _ in frame })
            #expect(try await alice.closeCode() == 1008)
            let carol = try await RawClient.signedIn("carol", port: server.port)
            try await bob.send(callMessage(from: "bob", to: "carol"))
            #expect(try await carol.text() == callMessage(from: "bob", to: "carol"))
        }
    }

    @Test func eachBoundOfSocketsIsKept() async throws {
        let bounds: [(inout ServerConfiguration) -> Void] = [
            { $0.connections = 2 },
            { $0.unauthenticatedConnections = 2 },
            {
                $0.connectionsPerAddress = 2
                $0.countsLoopback = true
            },
        ]
        for bound in bounds {
            try await withServer(bound) { server in
                let first = try await RawClient.connect(port: server.port)
                let second = try await RawClient.connect(port: server.port)
                let third = try await RawClient.open(port: server.port)
                try await third.end()
                await second.close()
                // There is room as soon as the server has noticed the close.
                while true {
                    let next = try await RawClient.open(port: server.port)
                    try? await next.send(bytes: Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
                    try await next.end()
                    if next.response.hasPrefix("HTTP/1.1 200") { break }
                }
                try await first.send(RawClient.signIn("alice"))
                #expect(try await first.text().contains("signedIn"))
            }
        }
    }

    @Test func whoIsSignedInLeavesRoomForOthers() async throws {
        try await withServer {
            $0.unauthenticatedConnections = 1
        } _: { server in
            let clients = [
                try await RawClient.signedIn("a", port: server.port),
                try await RawClient.signedIn("b", port: server.port),
                try await RawClient.signedIn("c", port: server.port),
            ]
            #expect(clients.count == 3)
        }
    }

    @Test("At the total limit of waiting bytes only the client with most of them is closed")
    func allThatWaits() async throws {
        try await withServer {
            $0.pendingBytes = 2_000_000
            $0.pendingBytesInAll = 2_500_000
            ($0.messagesPerSecond, $0.messageBurst) = (100_000, 100_000)
        } _: { server in
            let alice = try await RawClient.signedIn("alice", port: server.port)
            let most = try await RawClient.deaf("most", port: server.port)
            let less = try await RawClient.deaf("less", port: server.port)
            let filler = String(repeating: "z", count: 60_000)
            /// Sends until the metric of the bytes that wait in the server has the required value.
            func fill(_ user: String, until isEnough: (PrometheusSamples) -> Bool) async throws {
                let text = callMessage(from: "alice", to: user, extra: #","x":"\#(filler)""#)
                let frame = RawClient.bytes(opcode: 1, Array(text.utf8))
                repeat {
                    for _ in 0..<3 { try await alice.send(bytes: frame) }
                    // The answer shows that the server has read all data before it.
                    try await alice.send(callMessage(from: "alice", to: "nobody"))
                    _ = try await alice.text()
                } while try await !isEnough(PrometheusSamples(port: server.port))
            }
            try await fill("most") { ($0["callagent_signaling_pending_bytes"] ?? 0) > 1_500_000 }
            try await fill("less") { $0["callagent_signaling_connections_cut_off_total"] == 1 }
            #expect(
                (try await PrometheusSamples(port: server.port)["callagent_signaling_pending_bytes"] ?? .infinity)
                    < 1_500_000)
            try await most.read(true)
            #expect(try await most.closeCode() == nil)
            try await less.read(true)
            try await alice.send(callMessage(id: "last", from: "alice", to: "less"))
            while try await !less.text().contains(#""last""#) {}
            while try await PrometheusSamples(port: server.port)["callagent_signaling_pending_bytes"] != 0 {}
        }
    }
}
