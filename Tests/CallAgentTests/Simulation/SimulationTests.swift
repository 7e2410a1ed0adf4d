import Foundation
import Testing

@testable import CallAgent

/// Two to four devices, each with its own rules, routing and delivery, over a network that loses, delays, repeats and reorders messages.
///
/// A run that breaks a promise prints its seed. `make simulate SEED=n` replays it. `make simulate RUNS=n` runs more of them.
struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static let seed = environment["CALLAGENT_SIMULATION_SEED"].flatMap { UInt64($0) } ?? 0
    /// A debug build takes half a minute for this many runs on two cores.
    private static let standardRuns: UInt64 = 6_000
    private static let runs = environment["CALLAGENT_SIMULATION_RUNS"].flatMap { UInt64($0) } ?? standardRuns
    private static let shards = min(runs, 4)

    @Test(
        "Random networks and users: both ends agree in bounded time, and no promise is broken",
        arguments: 0..<shards)
    func everything(shard: UInt64) async {
        let (tally, failures) = await onThread { Self.play(shard) }
        for failure in failures { Issue.record(Comment(rawValue: failure)) }
        guard Self.runs >= Self.standardRuns else { return }
        // The test is meaningful only if all kinds of outcomes occur.
        for outcome in [
            "connected", "glare", "changed", "localHangup", "remoteHangup", "localCancelled", "remoteCancelled",
            "localRejected", "remoteRejected", "remoteBusy", "ringTimeout", "answeredElsewhere", "declinedElsewhere",
            "connectTimeout", "unknownCall", "remoteLost", "restarted", "replaced",
        ] {
            #expect(
                tally[outcome, default: 0] > Self.runs / Self.shards / 500, "\(outcome) happens too rarely: \(tally)")
        }
        if Self.environment["CALLAGENT_SIMULATION_RUNS"] != nil { print("shard \(shard): \(tally)") }
    }

    /// How often each outcome occurred, and the errors of the first runs that broke a promise.
    private static func play(_ shard: UInt64) -> (tally: [String: Int], failures: [String]) {
        var tally: [String: Int] = [:]
        var failures: [String] = []
        for seed in stride(from: seed + shard, to: seed + runs, by: Int(shards)) where failures.count < 10 {
            let world = SimulatedWorld(seed: seed)
            world.run()
            let verdict = SimulationVerdict(world)
            for outcome in verdict.outcomes { tally[outcome, default: 0] += 1 }
            let complaints = world.complaints + verdict.complaints
            if !complaints.isEmpty { failures.append("seed \(seed): \(complaints.joined(separator: "; "))") }
        }
        return (tally, failures)
    }
}
