internal import ArgumentParser
internal import CallAgent
internal import Foundation

/// How many calls a load has, and when they begin and end.
struct LoadOptions: ParsableArguments {
    @Flag(help: "Have both ends of the calls here, so that the report compares what was sent and received.")
    var pair = false

    @Flag(help: "Call without video.")
    var audioOnly = false

    @Option(help: ArgumentHelp("How many calls to have at a time.", valueName: "N"))
    var calls = 10

    @Option(
        help: ArgumentHelp(
            "How many calls begin in a second or a minute. A call that would be one too many waits until another one has ended.",
            valueName: "5|5/s|30/m"))
    var rate = CallRate(perSecond: 5)

    @Flag(help: "Let calls begin at random, as those of many users do; default: in equal distances.")
    var poisson = false

    @Option(help: ArgumentHelp("Let the rate grow evenly from 0 for so long.", valueName: "10|1m30s"))
    var ramp = DurationArgument(.zero)

    @Option(help: ArgumentHelp("How long each call stays connected.", valueName: "10|500ms|1m30s|forever"))
    var duration = TimeLimit(.seconds(10))

    @Option(
        help: ArgumentHelp(
            "How many calls to place in all: one that ends is replaced. Default: as many as --calls.", valueName: "M"))
    private var total: Int?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Place calls for so long: one that ends is replaced. Then all are hung up.", valueName: "10m|8h"))
    private var period: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "How many processes share the calls; default: one for each core of this machine.", valueName: "N"))
    private var workers: Int?

    @Option(
        help: ArgumentHelp(
            "Let workers on other machines place the calls: those that are signed in as this user with --work-for. The report is about all of them.",
            valueName: "user"))
    var workersAt: String?

    @Option(
        help: ArgumentHelp(
            "With --workers-at: how many machines must have workers; it waits 30 s for them. Default: as many as answer within 2 s.",
            valueName: "N"))
    var machines: Int?

    @Option(
        help: ArgumentHelp(
            "Place no calls of its own, but those of the loads that this user runs with --workers-at, one load after the other.",
            valueName: "user"))
    var workFor: String?

    @Option(
        help: ArgumentHelp("Write the report as one HTML file, with plots over time.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    /// How many calls there may be in all; nil: any number until ``limit`` is over.
    var callsInAll: Int? { total ?? (period == nil ? calls : nil) }

    /// When all calls are hung up; nil: each has its own duration.
    var limit: Duration? { period?.duration }

    /// The number of processes: no more than calls.
    var workerCount: Int { min(workers ?? ProcessInfo.processInfo.activeProcessorCount, calls, Self.mostWorkers) }

    /// How many processes this machine has for the loads of others.
    var offeredWorkers: Int { min(workers ?? ProcessInfo.processInfo.activeProcessorCount, Self.mostWorkers) }

    static let mostWorkers = 64
    /// A process has a socket and some threads for each end of a call.
    private static let mostCalls = 1_000

    func validate() throws {
        guard (1...Self.mostCalls).contains(calls) else {
            throw ValidationError("--calls takes 1 to \(Self.mostCalls)")
        }
        guard total.map((1...1_000_000).contains) ?? true else { throw ValidationError("--total takes 1 to 1000000") }
        guard workers.map((1...Self.mostWorkers).contains) ?? true else {
            throw ValidationError("--workers takes 1 to \(Self.mostWorkers)")
        }
        guard machines == nil || workersAt != nil else { throw ValidationError("--machines needs --workers-at") }
        guard machines.map((1...1_000).contains) ?? true else { throw ValidationError("--machines takes 1 to 1000") }
        guard workersAt == nil || workFor == nil else {
            throw ValidationError("--workers-at and --work-for exclude each other")
        }
        guard !pair || (workersAt ?? workFor) == nil else {
            throw ValidationError("--pair has both ends here, so it excludes --workers-at and --work-for")
        }
        for user in [workersAt, workFor].compactMap(\.self) where !SignalingLimits.isName(user) {
            throw ValidationError(CallError.invalidUser(user).description)
        }
        if let html { try WritableFile.check(html, option: "--html") }
        guard total == nil || period == nil else { throw ValidationError("--total and --for exclude each other") }
        guard period.map({ $0.milliseconds > 0 }) ?? true else {
            throw ValidationError("--for must be longer than 0")
        }
        guard duration.duration != nil || period != nil else {
            throw ValidationError("--duration forever needs --for, which ends the calls")
        }
    }
}

/// How many calls begin in a second, written `5`, `5/s` or `30/m`.
struct CallRate: ExpressibleByArgument, Equatable {
    let perSecond: Double

    /// More than any machine places.
    private static let limits = 0.001...1_000

    init(perSecond: Double) { self.perSecond = perSecond }

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        let units = ["s": 1.0, "m": 60]
        guard parts.count <= 2, let number = Double(parts[0]),
            let unit = units[parts.count == 2 ? String(parts[1]) : "s"],
            Self.limits.contains(number / unit)
        else { return nil }
        perSecond = number / unit
    }

    var defaultValueDescription: String { "\(Int(perSecond))/s" }
}

extension WorkerShare: ExpressibleByArgument {
    init?(argument: String) {
        let parts = argument.split(separator: "/").compactMap { Int($0) }
        guard parts.count == 2, parts[1] > 0, (1...parts[1]).contains(parts[0]) else { return nil }
        self.init(index: parts[0] - 1, count: parts[1])
    }

    var defaultValueDescription: String { "\(index + 1)/\(count)" }
}
