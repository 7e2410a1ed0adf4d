import Foundation
import Testing

@testable import CallAgent

/// Two to four devices with rules, routing and delivery of their own, over a network that loses, delays, repeats and reorders.
///
/// A run that breaks a promise prints its seed; `make simulate SEED=n` plays it again, `make simulate RUNS=n` does more of them.
struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static let seed = environment["CALLAGENT_SIMULATION_SEED"].flatMap { UInt64($0) } ?? 0
    private static let runs = environment["CALLAGENT_SIMULATION_RUNS"].flatMap { UInt64($0) } ?? 20_000
    private static let shards = min(runs, 4)

    @Test(
        "Whatever the network and the users do, both ends come to the same, in bounded time, and no promise is broken",
        arguments: 0..<shards)
    func everything(shard: UInt64) {
        var tally: [String: Int] = [:]
        var failures = 0
        for seed in stride(from: Self.seed + shard, to: Self.seed + Self.runs, by: Int(Self.shards))
        where failures < 10 {
            let world = SimulatedWorld(seed: seed)
            world.run()
            let verdict = SimulationVerdict(world)
            for outcome in verdict.outcomes { tally[outcome, default: 0] += 1 }
            let complaints = world.complaints + verdict.complaints
            guard !complaints.isEmpty else { continue }
            failures += 1
            Issue.record("seed \(seed): \(complaints.joined(separator: "; "))")
        }
        guard Self.runs >= 20_000 else { return }
        // The runs show something only if they are of all kinds.
        for outcome in [
            "connected", "glare", "changed", "localHangup", "remoteHangup", "localCancelled", "remoteCancelled",
            "localRejected", "remoteRejected", "remoteBusy", "ringTimeout", "answeredElsewhere", "declinedElsewhere",
            "connectTimeout", "unknownCall", "remoteLost",
        ] {
            #expect(
                tally[outcome, default: 0] > Self.runs / Self.shards / 500, "\(outcome) happens too rarely: \(tally)")
        }
        if Self.environment["CALLAGENT_SIMULATION_RUNS"] != nil { print("shard \(shard): \(tally)") }
    }
}
