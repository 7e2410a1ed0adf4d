internal import ArgumentParser
internal import Foundation
internal import MediaEngine

/// The command `callagent test`.
struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Runs scenarios: calls between parties that act by a script, and judges them.",
        discussion: """
            A scenario is a YAML file with parties, steps and expectations; docs/cli.md has its keys, and the folder scenarios has \
            examples. All files are checked before the first call. Ctrl-C hangs up, and the reports have what ran so far.
            """)

    @Argument(help: "The scenarios to run.", completion: .file(extensions: ["yaml", "yml"]))
    var files: [String]

    @Option(help: ArgumentHelp("How many scenarios run at a time.", valueName: "N"))
    var parallel = 1

    @Option(
        help: ArgumentHelp(
            "Run each scenario on this emulated network (repeatable: once on each): \(NetworkArgument.form). "
                + "Parties with a network of their own keep it.",
            valueName: "conditions"),
        transform: NetworkArgument.init(parsing:))
    var network: [NetworkArgument] = []

    @Flag(help: "Print one JSON document at the end.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write the results as JUnit XML: a test case for each step and expectation.", valueName: "file"),
        completion: .file(extensions: ["xml"]))
    var junit: String?

    @Option(
        help: ArgumentHelp(
            "Write the results as one HTML file, with the timelines of both ends and plots over time.",
            valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    @Option(
        help: ArgumentHelp(
            "Where recordings and snapshots go, in a folder for each scenario. Default: a temporary folder, which is removed.",
            valueName: "folder"),
        completion: .directory)
    var artifacts: String?

    @Option(
        help: ArgumentHelp(
            "A folder with your own pipeline descriptions. They take precedence over the built-in ones.",
            valueName: "folder"),
        completion: .directory)
    var pipelines: String?

    @Flag(name: .customLong(Self.namespaceOption), help: .private)
    var isInNamespace = false

    @OptionGroup var log: LogOptions

    /// For this program itself: it runs in a network namespace of its own.
    private static let namespaceOption = "in-network-namespace"

    private static let mostParallel = 64
    private static let statusName = "test"
    /// How often the media of calls is measured for plots.
    private static let measuring: Duration = .milliseconds(250)
    /// A scenario has a server, agents, and sockets for each end.
    private static let filesPerScenario = 256

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError("name the scenarios to run") }
        guard (1...Self.mostParallel).contains(parallel) else {
            throw ValidationError("--parallel takes 1 to \(Self.mostParallel)")
        }
        if let junit { try WritableFile.check(junit, option: "--junit") }
        if let html { try WritableFile.check(html, option: "--html") }
    }

    func run() async throws {
        let command = self
        // Each scenario hangs up for itself.
        try await Interruption.handled(within: .seconds(5)) {
            let folder = ArtifactFolder(command.artifacts)
            defer { folder.removeIfTemporary() }
            try await command.runAll(folder)
        }
    }

    private func runAll(_ folder: ArtifactFolder) async throws {
        let scenarios = try read(folder)
        let networkObstacle = try await prepareNetwork(for: scenarios, folder)
        OpenFiles.raiseLimit(for: parallel * Self.filesPerScenario)
        let engine = try await ProgramEngine.start(pipelines, log)
        var runs: [ScenarioRun] = []
        var faults: [Failure] = []
        for scenario in scenarios {
            do throws(Failure) {
                runs.append(
                    try await ScenarioRun(
                        scenario, number: runs.count, engine, log, measuring: html == nil ? nil : Self.measuring,
                        networkObstacle: networkObstacle))
            } catch {
                faults.append(error)
            }
        }
        try Self.refuse(faults)
        let suite = await play(runs)
        await Task { await engine.shutDown() }.value
        try report(suite)
    }

    /// Reads all files before anything starts, and complains about each that is wrong.
    private func read(_ folder: ArtifactFolder) throws -> [Scenario] {
        let options = PartyOptions()
        var scenarios: [Scenario] = []
        var faults: [Failure] = []
        let networks: [NetworkArgument?] = network.isEmpty ? [nil] : network
        for file in files {
            for network in networks {
                do throws(Failure) {
                    let folder = try folder.make(for: file, on: network)
                    let reader = ScenarioReader(folder: folder, options: options, network: network)
                    scenarios.append(try reader.read(file))
                } catch {
                    faults.append(error)
                    // It is as wrong on the next one.
                    break
                }
            }
        }
        try Self.refuse(faults)
        return scenarios
    }

    /// Makes this program able to make networks for scenarios: in a namespace of its own, so that it changes nothing of this machine.
    ///
    /// - Returns: why it cannot; nil if it can, or need not.
    private func prepareNetwork(for scenarios: [Scenario], _ folder: ArtifactFolder) async throws(Failure) -> Failure? {
        guard let scenario = scenarios.first(where: { $0.nats != nil }) else { return nil }
        if let other = scenarios.first(where: { $0.signaling != nil }) {
            throw Failure(
                .usage,
                "\(scenario.label) has a network of its own, where the server of \(other.label) cannot be reached; run them one by one"
            )
        }
        do throws(Failure) {
            if isInNamespace {
                try await NetworkNamespace.prepare()
                return nil
            }
            try await NetworkNamespace.check()
        } catch {
            return error
        }
        if let stream = files.first(where: { !Self.isRegular($0) }) {
            throw Failure(
                .usage, "'\(stream.printable)' has to be a file: with a party that has 'nat', scenarios are read twice")
        }
        folder.removeIfTemporary()
        throw NetworkNamespace.enter(with: "--" + Self.namespaceOption)
    }

    private static func isRegular(_ path: String) -> Bool {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return (try? FileManager.default.attributesOfItem(atPath: target)[.type]) as? FileAttributeType == .typeRegular
    }

    private static func refuse(_ faults: [Failure]) throws(Failure) {
        guard let last = faults.last else { return }
        throw Failure(last.status, last.line, after: faults.dropLast().map(\.line))
    }

    /// Runs them in the order of the command line, as many at a time as wanted; a cancelled task begins no more.
    private func play(_ runs: [ScenarioRun]) async -> ScenarioSuite {
        var results: [Int: ScenarioResult] = [:]
        await withTaskGroup(of: (Int, ScenarioResult).self) { group in
            var waiting = runs.enumerated().makeIterator()
            func begin() {
                guard !Task.isCancelled, let (index, run) = waiting.next() else { return }
                StatusLine.show(run.scenario.name.printable, for: "\(Self.statusName) \(index)")
                group.addTask { (index, await run.run()) }
            }
            for _ in 0..<parallel { begin() }
            while let (index, result) = await group.next() {
                StatusLine.show(nil, for: "\(Self.statusName) \(index)")
                results[index] = result
                if !json { for line in ScenarioTree(result).lines { Output.line(line) } }
                begin()
            }
        }
        return ScenarioSuite(
            results: results.sorted { $0.key < $1.key }.map(\.value), count: runs.count)
    }

    private func report(_ suite: ScenarioSuite) throws(Failure) {
        if json {
            Output.document(ScenarioDocument(suite))
        } else if Interruption.status == nil {
            Output.line(suite.line)
        }
        try WritableFile.afterCalls(suite.failure) { () throws(Failure) in
            if let junit { try suite.junit.write(to: junit) }
        }
        try WritableFile.afterCalls(suite.failure) { () throws(Failure) in
            if let html { try ScenarioPage(suite).write(to: html) }
        }
        if let failure = suite.failure { throw failure }
    }
}
