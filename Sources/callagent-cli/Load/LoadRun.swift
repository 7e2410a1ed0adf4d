internal import Foundation
internal import SignalingServer

/// A load: starts the workers, follows them, and adds up what they report.
struct LoadRun {
    private let command: LoadCommand
    private var tally: LoadTally
    private var shown: ContinuousClock.Instant?

    init(command: LoadCommand) {
        self.command = command
        tally = LoadTally(isPair: command.pair, expectations: command.expectations.expect)
    }

    private static let statusName = "load"
    /// How often the status is printed where there is no terminal.
    private static let statusInterval: Duration = .seconds(10)
    /// How many failed calls are printed, one line each; `--junit` and `--events` have all of them.
    private static let printedFailures = 20

    /// Runs until all calls have ended; a cancelled task hangs up and returns what there was.
    func run() async throws(Failure) -> LoadTally {
        if let user = command.load.workersAt {
            let (crew, machines) = try await LoadCrew.gather(command, at: user)
            let tally = await run(machines)
            await Task { await crew.close() }.value
            return tally
        }
        guard command.pair else { return await run(processes()) }
        let server: Server
        do throws(ServerError) {
            var configuration = ServerConfiguration(port: 0)
            // One connection has many calls here.
            (configuration.messagesPerSecond, configuration.messageBurst) = (100_000, 100_000)
            (configuration.callsPerConnection, configuration.callsPerUser) = (100_000, 100_000)
            server = try await Server.start(configuration: configuration, logger: command.log.logger("server"))
        } catch {
            throw Failure(error)
        }
        let tally = await run(processes(["--signaling", "ws://127.0.0.1:\(server.port)"]))
        await Task { await server.shutdown() }.value
        return tally
    }

    private func processes(_ options: [String] = []) -> [LoadProcess] {
        let count = command.load.workerCount
        return (0..<count).map { LoadProcess(share: WorkerShare(index: $0, count: count), options: options) }
    }

    private func run(_ members: [any LoadMember]) async -> LoadTally {
        // Not cancelled with the current task: the workers still report while they hang up.
        let following = Task { [self] in
            var run = self
            await run.follow(members)
            return run.tally
        }
        let tally = await withTaskCancellationHandler {
            await following.value
        } onCancel: {
            for member in members { member.stop() }
        }
        StatusLine.show(nil, for: Self.statusName)
        return tally
    }

    private enum Report {
        case message(LoadMessage, worker: Int)
        case ended(problem: String?)
    }

    private mutating func follow(_ members: [any LoadMember]) async {
        let (reports, merged) = AsyncStream.makeStream(of: (member: Int, report: Report).self)
        for (number, member) in members.enumerated() {
            Task {
                for await (worker, message) in member.reports {
                    merged.yield((number, .message(message, worker: worker)))
                }
                merged.yield((number, .ended(problem: await member.waitForEnd())))
            }
        }
        var (ready, running) = (0, members.count)
        for await (member, report) in reports {
            switch report {
            case .message(let message, let worker):
                if case .ready = message { ready += 1 }
                take(
                    message.placed(by: members[member].machine), from: LoadTally.Worker(member: member, number: worker))
                // All begin at the same time.
                if case .ready = message, ready == members.count { for member in members { member.start() } }
            case .ended(let problem):
                tally.end(of: member)
                running -= 1
                if let problem { tally.failure = tally.failure ?? Failure(.prerequisite, problem) }
            }
            // Without one of its workers it is another load.
            if tally.failure != nil { for member in members { member.stop() } }
            if running == 0 { merged.finish() }
        }
        for member in members { member.stop() }
    }

    private mutating func take(_ message: LoadMessage, from worker: LoadTally.Worker) {
        let isNewMoment = tally.add(message, from: worker)
        if command.output.events {
            if case .call(let call) = message { Output.event(LoadEvent(call: call, number: tally.calls.count)) }
            if isNewMoment, let moment = tally.moments.last { Output.event(LoadEvent(moment: moment)) }
            return
        }
        if isNewMoment { showStatus() }
        guard !command.output.json, case .call(let call) = message, let failure = call.failure else { return }
        let failed = tally.failedCalls
        if failed <= Self.printedFailures {
            let place = call.machine.map { " from \($0)" } ?? ""
            Output.line("call \(tally.calls.count) to \(call.caller.peer)\(place): \(failure.line)")
        }
        if failed == Self.printedFailures { Output.line("more calls that fail are not printed; --junit has them") }
    }

    private mutating func showStatus() {
        guard !Output.isTerminal else { return StatusLine.show(tally.statusLine, for: Self.statusName) }
        guard !command.output.json else { return }
        if let shown, ContinuousClock.now - shown < Self.statusInterval { return }
        shown = .now
        Output.line(tally.statusLine)
    }
}

/// A line of `--events` about a load.
private struct LoadEvent: Encodable {
    let event: String
    /// When, in ms since 1970.
    let unixMs = Output.unixMs
    var moment: LoadMoment?
    /// Of a call, from 1, in the order of their ends.
    var number: Int?
    var caller: CallDocument?
    var callee: CallDocument?
    var failure: String?
    var machine: String?

    init(moment: LoadMoment) {
        event = "moment"
        self.moment = moment
    }

    init(call: LoadedCall, number: Int) {
        event = "report"
        self.number = number
        (caller, callee, failure) = (call.caller, call.callee, call.failure?.line)
        machine = call.machine
    }
}

extension LoadMessage {
    /// The same with the machine of a call.
    fileprivate func placed(by machine: String?) -> LoadMessage {
        guard case .call(var call) = self else { return self }
        call.machine = machine
        return .call(call)
    }
}
