import CallAgent
import Foundation

/// Signs many devices in with one of the project's transports, and lets them call each other at a steady rate.
///
/// A call is an invite, its ringing, its accept, the candidates of each end, the hangup after a second, and an acknowledgement for each message.
struct TransportLoad: Sendable {
    /// How many devices sign in at the same time.
    private static let signInsAtOnce = 50
    /// How long the last messages may take.
    private static let patience = Duration.seconds(10)

    private let devices: [CallDevice]
    private let perSecond: Int
    private let server: ProcessUsage
    private let tally: CallTally

    init(users: [String], perSecond: Int, server: ProcessUsage, transport: (String) -> any SignalingTransport) {
        let tally = CallTally()
        devices = users.map { CallDevice(user: $0, transport: transport($0), tally: tally) }
        (self.perSecond, self.server, self.tally) = (perSecond, server, tally)
    }

    func run(seconds: Int) async throws -> TransportFigures {
        // What a former load has freed does not count.
        _ = trimHeap(keeping: 0)
        let (serverBefore, ownBefore, threadsBefore) = (
            server.residentBytes, ProcessUsage.own.residentBytes, ProcessUsage.own.threads
        )
        let start = ContinuousClock.now
        let signIns = try await signIn()
        let signInSeconds = (ContinuousClock.now - start) / .seconds(1)
        let (serverBytes, ownBytes) = (
            server.residentBytes - serverBefore, ProcessUsage.own.residentBytes - ownBefore
        )
        let threads = ProcessUsage.own.threads - threadsBefore

        // Warm-up: buffers are needed once, and the processor must raise its clocks.
        _ = try await call(for: 2)
        let (shares, counts) = try await call(for: seconds)
        let residentBytes = server.residentBytes
        await withDiscardingTaskGroup { group in
            for device in devices { group.addTask { await device.signOut() } }
        }
        return TransportFigures(
            signIn: Latencies(signIns), signInSeconds: signInSeconds,
            ringing: Latencies(counts.ringing), accept: Latencies(counts.accepts),
            setUps: counts.begun, failedSetUps: counts.begun - min(counts.ended, counts.accepts.count),
            messages: counts.sent, lostMessages: counts.sent - counts.arrived,
            faults: counts.faults, firstFault: counts.firstFault,
            serverCoreShare: shares.server, serverResidentBytes: residentBytes,
            serverBytesPerDevice: serverBytes / devices.count, clientsCoreShare: shares.clients,
            clientBytesPerDevice: ownBytes / devices.count, clientsThreads: threads)
    }

    /// Signs all devices in; returns how long each took, in ns.
    private func signIn() async throws -> [Int64] {
        try await withThrowingTaskGroup(of: Int64.self) { group in
            var durations: [Int64] = []
            for (number, device) in devices.enumerated() {
                if number >= Self.signInsAtOnce, let duration = try await group.next() { durations.append(duration) }
                group.addTask { Int64(try await device.signIn() / .nanoseconds(1)) }
            }
            for try await duration in group { durations.append(duration) }
            return durations
        }
    }

    /// Places calls for this time, and waits until all are over; returns the shares of a core that the two ends used.
    private func call(for seconds: Int) async throws -> (shares: (server: Double, clients: Double), CallTally.Counts) {
        tally.reset()
        let before = (server: server.processorSeconds, clients: ProcessUsage.own.processorSeconds)
        let start = ContinuousClock.now
        for number in 0..<perSecond * seconds {
            try await Task.sleep(until: start + .seconds(1) * number / perSecond, clock: .continuous)
            // Each device calls and is called in turn, and has one call at a time.
            let caller = devices[number % devices.count]
            let callee = devices[(number + devices.count / 2) % devices.count]
            Task { await caller.call(callee.user, id: "call-\(UUID().uuidString)") }
        }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        let shares = (
            server: (server.processorSeconds - before.server) / elapsed,
            clients: (ProcessUsage.own.processorSeconds - before.clients) / elapsed
        )
        let end = ContinuousClock.now + Self.patience
        while !(tally.current.isQuiet && tally.current.begun == perSecond * seconds), ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(50))
        }
        return (shares, tally.current)
    }
}

/// Gives memory that was freed back to the system; the module Glibc lacks `malloc.h`.
@_silgen_name("malloc_trim")
private func trimHeap(keeping bytes: Int) -> CInt
