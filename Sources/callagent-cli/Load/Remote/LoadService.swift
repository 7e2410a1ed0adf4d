internal import ArgumentParser
internal import Foundation
internal import Synchronization

/// Runs workers for the loads of a user on another machine, one load after the other.
struct LoadService: Sendable {
    private typealias Line = LoadLine<LoadAnswer, LoadOrder>

    private let command: LoadCommand
    private let customer: String
    private let line: Line
    private let device: String

    /// - Parameter customer: the only user whose loads are run.
    init(_ command: LoadCommand, for customer: String) {
        (self.command, self.customer) = (command, customer)
        device = command.identity.device ?? DeviceName.unique
        let logger = command.log.logger("signaling")
        let transport = command.tokens.transport(url: command.agent.signalingURL, device: device, logger: logger)
        line = Line(transport, user: command.agent.user, peer: customer, logger: logger)
    }

    /// Waits for loads until the task is cancelled; a load that runs then is hung up.
    func run() async throws(Failure) {
        try await line.connect()
        announce("waits for loads of \(customer) as \(command.agent.user) on \(device)")
        let service = Task { await serve() }
        let failure = await withTaskCancellationHandler {
            await service.value
        } onCancel: {
            service.cancel()
        }
        await Task { await line.close() }.value
        if let failure { throw failure }
    }

    private func serve() async -> Failure? {
        var job: LoadJob?
        var failure: Failure?
        for await event in line.events {
            if job?.hasEnded == true { job = nil }
            switch event {
            case .received(.gather, let party):
                let answer = job == nil ? LoadAnswer.available(processes: command.load.offeredWorkers) : .busy
                await line.send(answer, to: party, load: party.load)
                // Its shares have names of their own. Who asked may have vanished without a word.
                Task { [line] in
                    try? await Task.sleep(for: .seconds(60))
                    await line.forget(party.load)
                }
            case .received(.prepare(let plan, let first, let processes, let count), let party):
                guard job == nil else {
                    await line.send(.ended(problem: "it runs another load"), to: party, load: party.load)
                    continue
                }
                job = await prepare(plan, (first, processes, count), party)
            case .received(.start, let party): if job?.party == party { job?.start() }
            case .received(.stop, let party): if job?.party == party { job?.stop() }
            case .gone(let party):
                if job?.party == party { job?.stop() }
                await line.forget(party.load)
            case .ended(let text): failure = Failure(.signaling, text)
            }
            if failure != nil { break }
        }
        job?.stop(because: "the machine was stopped")
        await job?.wait()
        return failure
    }

    /// Starts the workers; nil, and the other end knows why, if the plan cannot be carried out here.
    private func prepare(
        _ plan: LoadPlan, _ numbers: (first: Int, processes: Int, count: Int), _ party: LoadParty
    ) async -> LoadJob? {
        let (first, processes, count) = numbers
        do {
            try plan.check(known: CommandOptions.all(of: ["load"])?.options ?? [:])
            // The same checks as for a command line.
            let own = try ConfigFile.expanded(Array(CommandLine.arguments.dropFirst()))
            let load = try LoadCommand.parse(own.dropFirst() + plan.arguments)
            guard (1...command.load.offeredWorkers).contains(processes), first >= 0, count <= load.load.calls,
                first + processes <= count
            else { throw Failure(.usage, "it does not take \(processes) of \(count) workers") }
        } catch {
            let line = (error as? Failure)?.line ?? LoadCommand.message(for: error)
            await self.line.send(.ended(problem: line), to: party, load: party.load)
            return nil
        }
        announce("has \(processes) of the \(count) workers of a load of \(customer)")
        let members = (0..<processes).map {
            LoadProcess(
                share: WorkerShare(index: first + $0, count: count), options: ["--device", device],
                plan: plan.arguments)
        }
        await line.watch(party)
        return LoadJob(party, members) { [line] answer in await line.send(answer, to: party, load: party.load) }
    }

    private func announce(_ text: String) {
        if command.output.events {
            Output.event(EventDocument("working", of: command.agent.user, text: text))
        } else if !command.output.json {
            Output.line(text)
        }
    }
}

/// The workers of this machine for one load.
private final class LoadJob: Sendable {
    let party: LoadParty
    private let members: [LoadProcess]
    private let report: @Sendable (LoadAnswer) async -> Void
    private let ready = Atomic(0)
    private let isStarted = Atomic(false)
    /// How long the workers wait for their start: longer than the workers of other machines may take.
    private static let longestWait: Duration = .seconds(60)
    private let ended = Atomic(false)
    /// Why it was stopped here; nil if it was not.
    private let problem = Mutex<String?>(nil)
    private let following = Mutex<Task<Void, Never>?>(nil)

    /// Whether all workers have ended.
    var hasEnded: Bool { ended.load(ordering: .relaxed) }

    init(_ party: LoadParty, _ members: [LoadProcess], report: @escaping @Sendable (LoadAnswer) async -> Void) {
        (self.party, self.members, self.report) = (party, members, report)
        following.withLock { $0 = Task { await follow() } }
        // The other end may have vanished before this one could notice.
        Task { [weak self] in
            try? await Task.sleep(for: Self.longestWait)
            guard let self, !isStarted.load(ordering: .relaxed) else { return }
            stop(because: "the load did not begin within \(Self.longestWait)")
        }
    }

    func start() {
        isStarted.store(true, ordering: .relaxed)
        for member in members { member.start() }
    }

    /// - Parameter problem: why it is stopped; nil if the other end wants it.
    func stop(because problem: String? = nil) {
        self.problem.withLock { $0 = $0 ?? problem }
        for member in members { member.stop() }
    }

    func wait() async { await following.withLock { $0 }?.value }

    private func follow() async {
        let problems = await withTaskGroup(of: String?.self) { group in
            for (worker, member) in members.enumerated() {
                group.addTask { await self.follow(member, worker) }
            }
            return await group.reduce(into: [String]()) { $0 += [$1].compactMap(\.self) }
        }
        ended.store(true, ordering: .relaxed)
        await report(.ended(problem: problem.withLock { $0 } ?? problems.first))
    }

    /// Returns why it ended, if it did not do so in order.
    private func follow(_ member: LoadProcess, _ worker: Int) async -> String? {
        for await (_, message) in member.reports {
            // The load begins when all workers are ready.
            if case .ready = message, ready.add(1, ordering: .relaxed).newValue != members.count { continue }
            await report(.report(worker: worker, message))
        }
        return await member.waitForEnd()
    }
}
