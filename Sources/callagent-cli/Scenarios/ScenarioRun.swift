internal import CallAgent
internal import Foundation
internal import MediaEngine
internal import SignalingServer

/// One run of a scenario, which has checked its sources, sinks and codecs before.
struct ScenarioRun: Sendable {
    let scenario: Scenario
    private let engine: Engine
    private let log: LogOptions
    private let configurations: [String: AgentConfiguration]
    /// The paths of the browsers of those parties that have a page.
    private let browsers: [String: String]
    /// What this machine lacks for it.
    private let obstacle: Failure?
    /// The number of the run among those of the command.
    private let number: Int

    /// - Parameters:
    ///   - number: the number of the run among those of the command.
    ///   - measuring: how often the media of each call is measured; nil: only at its end.
    ///   - networkObstacle: why this program cannot make networks for scenarios; nil: it can.
    /// - Throws: a ``Failure`` of wrong usage with the place in the file.
    init(
        _ scenario: Scenario, number: Int, _ engine: Engine, _ log: LogOptions, measuring: Duration?,
        networkObstacle: Failure? = nil
    ) async throws(Failure) {
        (self.scenario, self.number, self.engine, self.log) = (scenario, number, engine, log)
        var configurations: [String: AgentConfiguration] = [:]
        var browsers: [String: String] = [:]
        var obstacle = scenario.nats == nil ? nil : networkObstacle
        for party in scenario.parties {
            if let browser = party.browser {
                browsers[party.name] = Executable.path(of: browser)
                if browsers[party.name] == nil {
                    obstacle = obstacle ?? Failure(.prerequisite, Self.missing(browser, of: party))
                }
            }
            guard let options = party.options else { continue }
            do throws(Failure) {
                configurations[party.name] = try await Self.configuration(options, engine, measuring)
                if configurations[party.name]?.media.network == nil,
                    scenario.network != nil || scenario.changesNetwork(of: party.name)
                {
                    let schedule = scenario.network?.schedule ?? NetworkSchedule()
                    configurations[party.name]?.media.network = NetworkEmulator(schedule)
                }
            } catch {
                guard error.status != .usage else {
                    throw Failure(.usage, "\(await Self.place(of: error, in: party, engine)): \(error.line)")
                }
                obstacle = obstacle ?? Failure(error.status, "\(party.name): \(error.line)")
            }
        }
        (self.configurations, self.browsers, self.obstacle) = (configurations, browsers, obstacle)
    }

    private static func missing(_ browser: String, of party: ScenarioParty) -> String {
        "\(party.name): there is no program '\(browser.printable)'; install a Chromium, such as: sudo apt install chromium"
    }

    private static func configuration(
        _ options: ListenCommand, _ engine: Engine, _ measuring: Duration?
    ) async throws(Failure) -> AgentConfiguration {
        do {
            var configuration = try await options.agentConfiguration(
                engine, maximumCalls: options.answering.maxCalls, ahead: JoinAhead(roles: [.callee]))
            configuration.screenInvite = { options.answering.decide($0) }
            configuration.statisticsInterval = measuring
            configuration.media.mark()
            return configuration
        } catch {
            throw error as? Failure ?? (error as? MediaError).map { Failure($0) } ?? Failure(.prerequisite, "\(error)")
        }
    }

    /// The key of a party that has the same fault alone, or else the party.
    private static func place(of fault: Failure, in party: ScenarioParty, _ engine: Engine) async -> String {
        for setting in party.settings {
            guard let options = setting.options else { continue }
            do throws(Failure) {
                _ = try await configuration(options, engine, nil)
            } catch {
                if error.line == fault.line { return setting.place }
            }
        }
        return party.place
    }

    /// Runs the steps and judges the calls; a cancelled task hangs up, and the result has what there was.
    func run() async -> ScenarioResult {
        if let obstacle { return ScenarioResult(scenario, failure: obstacle) }
        do throws(Failure) {
            guard let url = scenario.signaling else {
                let server = try await startServer()
                let result = await play(at: "ws://127.0.0.1:\(server.port)")
                // Not cancelled with the current task.
                await Task { await server.shutdown() }.value
                return result
            }
            return await play(at: url)
        } catch {
            return ScenarioResult(scenario, failure: error)
        }
    }

    private func startServer() async throws(Failure) -> Server {
        do throws(ServerError) {
            return try await Server.start(configuration: .init(port: 0), logger: log.logger("server"))
        } catch {
            throw Failure(error)
        }
    }

    private func play(at url: String) async -> ScenarioResult {
        guard let nats = scenario.nats else { return await play(at: url, on: nil, configurations) }
        // Not cancelled with the current task, so that nothing of it is left.
        let building = Task { [number] in
            do throws(Failure) {
                return Result<_, Failure>.success(try await ScenarioNetwork(number: number, nats))
            } catch {
                return .failure(error)
            }
        }
        let network: ScenarioNetwork
        switch await building.value {
        case .success(let built): network = built
        case .failure(let error): return ScenarioResult(scenario, failure: error)
        }
        var configurations = configurations
        for party in configurations.keys { network.connect(&configurations[party, default: .init()].media, of: party) }
        let result = await play(at: url, on: network, configurations)
        await Task { await network.close() }.value
        return result
    }

    private func play(
        at url: String, on network: ScenarioNetwork?, _ configurations: [String: AgentConfiguration]
    ) async -> ScenarioResult {
        let start = ContinuousClock.now
        let cast = ScenarioCast(
            scenario, configurations, browsers: browsers, engine, network: network, url: url, log)
        do throws(Failure) {
            try await cast.signIn()
        } catch {
            await Task { await cast.close() }.value
            return ScenarioResult(scenario, failure: error)
        }
        let (steps, isOver) = await perform(cast)
        let isInterrupted = Task.isCancelled
        // Not cancelled with the current task: calls are hung up also after a signal.
        let (calls, pageCalls) = await Task {
            await cast.close()
            return (await cast.playedCalls(), cast.pageCalls)
        }
        .value
        return ScenarioResult(
            scenario, steps, calls, pageCalls, isOver: isOver, isInterrupted: isInterrupted,
            seconds: (ContinuousClock.now - start) / .seconds(1))
    }

    private func perform(_ cast: ScenarioCast) async -> (steps: [StepOutcome], isOver: Bool) {
        let acting = Task { [scenario] in
            var script = ScenarioScript(scenario, cast)
            return await script.run()
        }
        let watch = Task { [limit = scenario.limit.duration] in
            if (try? await Task.sleep(for: limit)) != nil { acting.cancel() }
        }
        defer { watch.cancel() }
        return await withTaskCancellationHandler {
            await acting.value
        } onCancel: {
            acting.cancel()
        }
    }
}
