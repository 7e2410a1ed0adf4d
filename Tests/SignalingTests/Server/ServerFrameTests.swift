import SignalingServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ServerFrameTests {
    /// Errors of a client, and the status that the server closes with.
    struct Offence: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var status: Int
    }

    static let offences = [
        Offence(testDescription: "binary frame", bytes: RawClient.bytes(opcode: 2, [1, 2]), status: 1003),
        Offence(
            testDescription: "binary fragment", bytes: RawClient.bytes(opcode: 2, [1], isFinal: false), status: 1003),
        Offence(
            testDescription: "frame of 65,537 bytes",
            bytes: RawClient.bytes(opcode: 1, Array(repeating: 0x20, count: 65_537)), status: 1009),
        Offence(
            testDescription: "header of a huge frame", bytes: [0x81, 0xFF, 0x7F] + Array(repeating: 0xFF, count: 7),
            status: 1009),
        Offence(
            testDescription: "header of an impossible frame", bytes: [0x81, 0xFF] + Array(repeating: 0xFF, count: 8),
            status: 1009),
        Offence(
            testDescription: "fragments of 65,537 bytes in all",
            bytes: RawClient.bytes(opcode: 1, Array(repeating: 0x20, count: 65_000), isFinal: false)
                + RawClient.bytes(opcode: 0, Array(repeating: 0x20, count: 536), isFinal: false)
                + RawClient.bytes(opcode: 0, [0x20]), status: 1009),
        Offence(
            testDescription: "frame that is not masked", bytes: RawClient.bytes(opcode: 1, [0x20], isMasked: false),
            status: 1002),
        Offence(
            testDescription: "ping that is not masked", bytes: RawClient.bytes(opcode: 9, [], isMasked: false),
            status: 1002
        ),
        Offence(testDescription: "reserved bit", bytes: RawClient.bytes(opcode: 1, [0x20], reserved: 4), status: 1002),
        Offence(testDescription: "reserved opcode", bytes: RawClient.bytes(opcode: 3, [0x20]), status: 1002),
        Offence(testDescription: "reserved control opcode", bytes: RawClient.bytes(opcode: 11), status: 1002),
        Offence(
            testDescription: "ping of 126 bytes", bytes: RawClient.bytes(opcode: 9, Array(repeating: 0, count: 126)),
            status: 1002),
        Offence(
            testDescription: "fragmented ping", bytes: RawClient.bytes(opcode: 9, [], isFinal: false), status: 1002),
        Offence(testDescription: "continuation of nothing", bytes: RawClient.bytes(opcode: 0, [0x20]), status: 1002),
        Offence(
            testDescription: "message within a message",
            bytes: RawClient.bytes(opcode: 1, [0x20], isFinal: false) + RawClient.bytes(opcode: 1, [0x20]), status: 1002
        ),
        Offence(
            testDescription: "text that is not UTF-8", bytes: RawClient.bytes(opcode: 1, [0xC3, 0x28]), status: 1007),
    ]

    @Test(arguments: offences)
    func anOffenceClosesItsConnectionAndNoOther(offence: Offence) async throws {
        try await withServer { server in
            let alice = try await RawClient.signedIn("alice", port: server.port)
            let bob = try await RawClient.signedIn("bob", port: server.port)
            try await alice.send(bytes: offence.bytes)
            #expect(try await alice.closeCode() == offence.status)
            try await alice.end()
            let again = try await RawClient.signedIn("alice", port: server.port)
            try await bob.send(callMessage(from: "bob", to: "alice"))
            #expect(try await again.text() == callMessage(from: "bob", to: "alice"))
        }
    }

    @Test(arguments: offences)
    func anOffenceBeforeTheSignInClosesTheConnectionToo(offence: Offence) async throws {
        try await withServer { server in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(bytes: offence.bytes)
            #expect(try await client.closeCode() == offence.status)
            try await client.end()
        }
    }

    @Test func aPingIsAnsweredWithItsOwnPayload() async throws {
        try await withServer { server in
            let client = try await RawClient.connect(port: server.port)
            for payload: [UInt8] in [[], Array("hello".utf8), Array(repeating: 7, count: 125)] {
                try await client.send(opcode: 9, payload)
                #expect(try await client.frames.next() == RawClient.Frame(opcode: 10, payload: payload))
            }
            try await client.send(opcode: 10, [1])
            try await client.send(RawClient.signIn("alice"))
            #expect(try await client.text().contains("signedIn"))
        }
    }

    @Test(
        arguments: [
            ([], []), ([0x03, 0xE8], [0x03, 0xE8]), ([0x0F, 0xA0, 0x41], [0x0F, 0xA0]), ([0x03, 0xED], [0x03, 0xEA]),
            ([0x00, 0x01], [0x03, 0xEA]), ([0x03], []),
        ] as [([UInt8], [UInt8])])
    func aCloseFrameIsAnsweredWithItsStatusAndTheSocketCloses(payload: [UInt8], answer: [UInt8]) async throws {
        try await withServer { server in
            let client = try await RawClient.signedIn("alice", port: server.port)
            try await client.send(opcode: 8, payload)
            #expect(try await client.frame() == RawClient.Frame(opcode: 8, payload: answer))
            try await client.end()
        }
    }

    @Test func aClientThatDoesNotAnswerACloseFrameIsCut() async throws {
        try await withServer {
            $0.closeTimeout = .milliseconds(50)
        } _: { server in
            let client = try await RawClient.signedIn("alice", port: server.port)
            try await client.send(opcode: 2, [1])
            #expect(try await client.frame()?.closeCode == 1003)
            try await client.end()
        }
    }

    @Test func randomBytesNeverHarmTheServer() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        try await withServer {
            $0.closeTimeout = .milliseconds(50)
        } _: { server in
            let bob = try await RawClient.signedIn("bob", port: server.port)
            let samples = [RawClient.signIn("alice"), callMessage(from: "alice", to: "bob")]
            for round in 0..<150 {
                let client =
                    round % 3 == 0
                    ? try await RawClient.open(port: server.port) : try await RawClient.connect(port: server.port)
                // A connection that the server has already closed refuses the remaining data.
                if round % 2 == 0 { try? await client.send(RawClient.signIn("user\(round)")) }
                for _ in 0..<8 {
                    let bytes = generator.mutated(samples)
                    try? await round % 3 == 0 ? client.send(bytes: bytes) : client.send(opcode: 1, bytes)
                }
                try? await client.send(bytes: generator.mutated([String(repeating: "\u{1}~", count: 40)]))
                await client.close()
            }
            let carol = try await RawClient.signedIn("carol", port: server.port)
            try await carol.send(callMessage(id: "alive", from: "carol", to: "bob"))
            let answer = try await bob.text()
            #expect(answer.contains("alive"), "seed \(seed)")
        }
    }
}
