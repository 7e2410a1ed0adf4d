import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Damaged descriptions in a real connection", .disabled(if: FuzzAmount.isAlone))
    struct NativeFuzzTests {
        @Test("webrtcbin answers or refuses what passes the checks: no crash, no hang, and no memory lost")
        func some() async throws {
            var fuzz = NativeFuzz()
            try await fuzz.run()
        }
    }
}

/// For `make fuzz`, which takes longer than any other test may.
@Suite("Very many damaged descriptions in a real connection", .enabled(if: FuzzAmount.isAlone))
struct LongNativeFuzzTests {
    @Test("webrtcbin answers or refuses what passes the checks: no crash, no hang, and no memory lost")
    func many() async throws {
        var fuzz = NativeFuzz()
        try await fuzz.run()
    }
}

/// Sends the damaged descriptions that the checks accept to a process with real connections.
private struct NativeFuzz {
    private var taken = 0
    private var refused = 0
    private var candidates = 0
    private var failures = 0
    /// In kB, after each fifth of the descriptions; the first fifth warms up codec libraries, thread stacks and arenas.
    private var resident: [Int] = []

    mutating func run() async throws {
        var target = try FuzzProcess()
        var seed = FuzzAmount.seed
        while taken + refused < FuzzAmount.native, failures < 10 {
            defer { seed += 1 }
            let damaged = DamagedDescription(seed: seed)
            guard let read = try damaged.read() else { continue }
            do {
                try note(try await target.reply(to: damaged), to: read, seed)
            } catch let failure as FuzzProcess.Failure {
                Issue.record("seed \(seed): \(failure)\n\(damaged.sdp)\n\(damaged.candidates)")
                failures += 1
                target = try FuzzProcess()
                resident = []
            }
            if (taken + refused) % max(1, FuzzAmount.native / 5) == 0, let now = target.residentKilobytes {
                resident.append(now)
            }
        }
        #expect(taken > FuzzAmount.native / 2, "the damage is mild enough to reach webrtcbin")
        #expect(candidates > FuzzAmount.native / 10)
        if let first = resident.first, let last = resident.last {
            #expect(last < first + 16_384, "\(resident) kB resident")
        }
        if FuzzAmount.isAlone {
            print("webrtcbin: \(taken) taken, \(refused) refused, \(candidates) candidates; \(resident) kB resident")
        }
    }

    private mutating func note(_ reply: FuzzProcess.Reply, to offer: RemoteDescription, _ seed: UInt64) throws {
        if reply.refusal == nil { taken += 1 } else { refused += 1 }
        candidates += reply.candidatesTaken
        guard let answer = reply.answer else { return }
        let sections = try RemoteDescription(
            SessionDescription(kind: .answer, sdp: answer), tracks: SDPSamples.tracks
        ).sections
        for given in sections {
            let asked = try #require(offer.sections.first { $0.mid == given.mid })
            // Further videos are only received.
            let possible: MediaDirection = given.track.number > 1 ? .recvonly : .sendrecv
            #expect(
                given.direction == asked.direction.reversed.limited(to: possible),
                "seed \(seed) is answered otherwise:\n\(answer)")
        }
    }
}
