internal import ArgumentParser
internal import Foundation
internal import Synchronization

/// The machines whose workers run a load: found, and given their shares.
final class LoadCrew: Sendable {
    typealias Line = LoadLine<LoadOrder, LoadAnswer>

    private struct State {
        /// How many processes each machine offers.
        var offers: [LoadParty: Int] = [:]
        /// The machines that run another load.
        var busy: Set<LoadParty> = []
        var machines: [LoadParty: LoadMachine] = [:]
        var failure: Failure?
    }

    private let line: Line
    private let load = "load-\(UUID().uuidString)"
    private let state = Mutex(State())

    /// How long machines may take to answer.
    private static let answerTime: Duration = .seconds(2)
    /// How long to wait for a number of machines.
    private static let longestWait: Duration = .seconds(30)

    private init(_ line: Line) { self.line = line }

    /// Signs in, asks the workers that are signed in as `user`, and gives them their shares of the calls.
    static func gather(_ command: LoadCommand, at user: String) async throws(Failure) -> (LoadCrew, [LoadMachine]) {
        let known = CommandOptions.all(of: ["load"])?.options ?? [:]
        let arguments = try ConfigFile.expanded(Array(CommandLine.arguments.dropFirst()))
        let plan = try LoadPlan(Array(arguments.dropFirst()), known: known)
        let logger = command.log.logger("signaling")
        let transport = command.tokens.transport(
            url: command.agent.signalingURL, device: command.identity.device ?? DeviceName.unique, logger: logger)
        let crew = LoadCrew(Line(transport, user: command.agent.user, peer: user, logger: logger))
        try await crew.line.connect()
        Task { [line = crew.line] in for await event in line.events { crew.take(event) } }
        do throws(Failure) {
            let offers = try await crew.offers(
                atLeast: command.load.machines, of: user, for: command.agent.user)
            return (crew, await crew.assign(plan, calls: command.load.calls, offers))
        } catch {
            await crew.line.close(waiting: .zero)
            throw error
        }
    }

    /// Signs out.
    func close() async { await line.close() }

    private func offers(atLeast wanted: Int?, of user: String, for customer: String) async throws(Failure)
        -> [LoadParty: Int]
    {
        await line.send(.gather, to: nil, load: load)
        let limit = ContinuousClock.now + (wanted == nil ? Self.answerTime : Self.longestWait)
        var offers: [LoadParty: Int] = [:]
        while ContinuousClock.now < limit, wanted.map({ offers.count < $0 }) ?? true {
            // The polling interval.
            guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { break }
            offers = state.withLock { $0.offers }
            if let failure = state.withLock({ $0.failure }) { throw failure }
        }
        guard !offers.isEmpty else {
            let busy = state.withLock { $0.busy.count }
            guard busy == 0 else {
                throw Failure(.notAnswered, "the \(busy) machines with workers at \(user) run another load; try again")
            }
            throw Failure(
                .notAnswered,
                "no worker at \(user) works for \(customer); start some with: callagent load --work-for \(customer) --as \(user)"
            )
        }
        guard offers.count >= wanted ?? 0 else {
            throw Failure(.notAnswered, "only \(offers.count) of \(wanted ?? 0) machines have workers at \(user)")
        }
        return offers
    }

    /// How many processes each machine has: one more for each in turn, as long as there is a call for it.
    static func shares(of calls: Int, _ offers: [LoadParty: Int]) -> [(party: LoadParty, processes: Int)] {
        let parties = offers.keys.sorted { $0.device < $1.device }
        var shares: [LoadParty: Int] = [:]
        for turn in 0..<(offers.values.max() ?? 0) {
            for party in parties where offers[party, default: 0] > turn && shares.values.reduce(0, +) < calls {
                shares[party, default: 0] += 1
            }
        }
        return parties.compactMap { party in shares[party].map { (party, $0) } }
    }

    private func assign(_ plan: LoadPlan, calls: Int, _ offers: [LoadParty: Int]) async -> [LoadMachine] {
        let shares = Self.shares(of: calls, offers)
        let count = shares.reduce(0) { $0 + $1.processes }
        // A name of its own for each part of the load: one machine that does not answer holds no other one up.
        let machines = shares.enumerated().map { number, share in
            LoadMachine(LoadParty(device: share.party.device, load: "\(load)-\(number + 1)"), line)
        }
        state.withLock { state in
            for machine in machines { state.machines[machine.party] = machine }
        }
        var first = 0
        for (party, processes) in zip(machines.map(\.party), shares.map(\.processes)) {
            await line.watch(party)
            await line.send(
                .prepare(plan, first: first, processes: processes, count: count), to: party, load: party.load)
            first += processes
        }
        return machines
    }

    private func take(_ event: Line.Event) {
        switch event {
        case .received(.available(let processes), let party) where party.load == load:
            guard processes > 0 else { return }
            state.withLock { $0.offers[party] = min(processes, LoadOptions.mostWorkers) }
        case .received(.busy, let party) where party.load == load: state.withLock { _ = $0.busy.insert(party) }
        case .received(let answer, let party): machine(party)?.take(answer)
        case .gone(let party):
            machine(party)?.end("the machine \(party.device) is gone")
            Task { await line.forget(party.load) }
        case .ended(let text):
            let machines = state.withLock { state in
                state.failure = Failure(.signaling, text)
                return Array(state.machines.values)
            }
            for machine in machines { machine.end(text) }
        }
    }

    private func machine(_ party: LoadParty) -> LoadMachine? { state.withLock { $0.machines[party] } }
}
