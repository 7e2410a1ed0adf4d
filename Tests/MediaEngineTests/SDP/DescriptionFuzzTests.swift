import Foundation
import Testing

@testable import MediaEngine

/// The amount of fuzzing; `make fuzz COUNT=… NATIVE=… SEED=…` does more and prints the results.
enum FuzzAmount {
    private static let environment = ProcessInfo.processInfo.environment
    /// The seed of the first description; each description has its own seed, and a failure names it.
    static let seed = environment["CALLAGENT_FUZZ_SEED"].flatMap { UInt64($0) } ?? 0
    static let parsed = environment["CALLAGENT_FUZZ_COUNT"].flatMap { UInt64($0) } ?? 30_000
    static let native = environment["CALLAGENT_FUZZ_NATIVE"].flatMap { Int($0) } ?? 500
    /// Whether nothing else runs in this process.
    static let isAlone = environment["CALLAGENT_FUZZ_COUNT"] != nil
}

@Suite("Damaged descriptions and candidates") struct DescriptionFuzzTests {
    private static let shards = UInt64(2)

    /// The state of the thread that parses, which the test watches.
    private struct Progress {
        var seed = FuzzAmount.seed
        var accepted = 0
        var candidates = 0
        var complaints: [String] = []
        var isDone = false
    }

    @Test("An accepted description is rewritten into one that is parsed the same way")
    func descriptions() async throws {
        try await withThrowingTaskGroup { group in
            for shard in 0..<Self.shards { group.addTask { try await descriptions(shard: shard) } }
            try await group.waitForAll()
        }
    }

    private func descriptions(shard: UInt64) async throws {
        let progress = Shared(Progress())
        let memory = Shared<[Int]>([])
        let (first, end) = (FuzzAmount.seed + shard, FuzzAmount.seed + FuzzAmount.parsed)
        // Not on the thread pool: others need it, and nobody would notice there that a description hangs.
        DispatchQueue(label: "fuzz.\(shard)").async {
            for seed in stride(from: first, to: end, by: Int(Self.shards)) {
                progress.update { $0.seed = seed }
                // The first tenth allocates what stays allocated: tables, arenas, metadata.
                if FuzzAmount.isAlone, (seed - first) % (FuzzAmount.parsed / 10 + 1) < Self.shards {
                    memory.update { $0.append(ProcessCensus.residentKilobytes() ?? 0) }
                }
                Self.check(seed, progress)
            }
            progress.update { $0.isDone = true }
        }
        // A description that takes seconds is as bad as one that crashes.
        while !progress.value.isDone {
            let seed = progress.value.seed
            try await eventually("the end of seed \(seed):\n\(DamagedDescription(seed: seed).sdp)") {
                progress.value.isDone || progress.value.seed != seed
            }
        }
        let result = progress.value
        for complaint in result.complaints { Issue.record(Comment(rawValue: complaint)) }
        let share = Int(FuzzAmount.parsed / Self.shards / 20)
        #expect(result.accepted > share, "the damage is mild enough to reach the deeper checks")
        #expect(result.candidates > share)
        if FuzzAmount.isAlone {
            let resident = memory.value
            #expect((resident.last ?? 0) < (resident.dropFirst().first ?? 0) + 8_192, "\(resident) kB resident")
            print(
                "shard \(shard): \(result.accepted) of \(FuzzAmount.parsed / Self.shards) accepted; \(resident) kB resident"
            )
        }
    }

    /// Refused m-lines are not written, so the numbers of the others may change.
    private static func unnumbered(_ description: RemoteDescription?) -> [MediaSection]? {
        description?.sections.map { section in
            var section = section
            section.track = TrackID(section.kind)
            return section
        }
    }

    private static func check(_ seed: UInt64, _ progress: Shared<Progress>) {
        let damaged = DamagedDescription(seed: seed)
        let taken = damaged.candidates.count {
            (try? IceCandidate(mLine: 0, candidate: $0).check()) != nil
        }
        progress.update { $0.candidates += taken }
        do {
            guard let read = try damaged.read() else { return }
            progress.update { $0.accepted += 1 }
            let written = read.normalised
            let again = try? RemoteDescription(written, tracks: SDPSamples.tracks)
            let isAscii = written.sdp.utf8.count == written.sdp.utf16.count
            guard unnumbered(again) == unnumbered(read), again?.normalised == written, isAscii else {
                let text = "seed \(seed):\n\(damaged.sdp)\nwas written as\n\(written.sdp)"
                return progress.update { $0.complaints.append(text) }
            }
        } catch {
            progress.update { $0.complaints.append("seed \(seed): \(error)") }
        }
    }
}
