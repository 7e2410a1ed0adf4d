internal import CallAgent
internal import Foundation

/// What the workers of a load have reported so far: a value without a clock.
struct LoadTally: Sendable {
    /// A worker process, of one of the members of the load.
    struct Worker: Hashable {
        let member: Int
        let number: Int
    }

    /// The calls that have ended, in the order of their ends.
    private(set) var calls: [JudgedCall] = []
    /// Those that the report has whole: the first ones, then those that failed.
    private(set) var whole: [LoadDocument.Call] = []
    /// The figures of all calls.
    private(set) var summary: SummaryDocument
    /// The expectations, compared with all calls.
    private(set) var checks: [Expectation.Check]
    /// When each call that was connected began, in ms since 1970, and how long its set-up took.
    private(set) var setUps: [(startedUnixMs: Double, ms: Double)] = []
    /// The same of all calls, also of those that have not ended, in ms.
    private var liveSetUps = Sample()
    /// The whole load, about once a second.
    private(set) var moments: [LoadMoment] = []
    /// Why the load ended before its calls did; nil if it did not.
    var failure: Failure?
    /// The last sample of each worker, and the one before; nil for workers that have ended.
    private var samples: [Worker: LoadSample] = [:]
    private var earlier: [Worker: LoadSample] = [:]
    /// The workers that have reported since the last moment.
    private var fresh: Set<Worker> = []

    /// How many calls have failed.
    private(set) var failedCalls = 0
    private let isPair: Bool

    /// In ms.
    private static let leastInterval = 500.0
    /// So many calls are whole in the report, whatever became of them; a call has about 10 kB.
    static let wholeCalls = 1_000
    /// So many more are whole if they failed.
    static let wholeFailedCalls = 1_000

    /// - Parameters:
    ///   - isPair: whether both ends of the calls are of this load
    ///   - expectations: what is checked of each call
    init(isPair: Bool, expectations: [Expectation] = []) {
        self.isPair = isPair
        summary = SummaryDocument(isPair: isPair)
        checks = expectations.map(Expectation.Check.init)
    }

    /// What is wrong with the load as a whole; nil if each call says it.
    var fault: Failure? {
        if let failure { return failure }
        guard !calls.isEmpty, failedCalls == 0, !calls.contains(where: \.isConnected) else { return nil }
        return Failure(.notAnswered, "no call was connected when the load ended; give it more time with --for")
    }

    /// - Returns: True if there is a new moment.
    @discardableResult
    mutating func add(_ message: LoadMessage, from worker: Worker) -> Bool {
        switch message {
        case .ready: return false
        case .failed(let status, let line):
            failure = failure ?? Failure(ExitStatus(rawValue: status) ?? .prerequisite, line)
            return false
        case .call(let call):
            add(call)
            return false
        case .sample(let sample):
            // From another machine, it may be anything.
            if let last = samples[worker], sample.ms <= last.ms { return false }
            for setUp in sample.setUps { liveSetUps.add(setUp) }
            if let last = samples[worker], sample.ms - last.ms < Self.leastInterval {
                // Rates over a moment say nothing: they stay over the time since the sample before.
                samples[worker] = sample
                return false
            }
            // A worker that reports again has had its second.
            let isComplete = fresh.contains(worker)
            if isComplete { close() }
            (earlier[worker], samples[worker]) = (samples[worker], sample)
            fresh.insert(worker)
            return isComplete
        }
    }

    private mutating func add(_ call: LoadedCall) {
        calls.append(JudgedCall(call: call.caller, failure: call.failure?.failure))
        if call.failure != nil { failedCalls += 1 }
        summary.add(call.caller, callee: call.callee)
        if let setUp = call.caller.milliseconds(of: .connected) { setUps.append((call.caller.startedUnixMs, setUp)) }
        let document = LoadDocument.Call(number: calls.count, call: call, isPair: isPair)
        if !checks.isEmpty, let object = Output.object(document) {
            for index in checks.indices { checks[index].add(object) }
        }
        if calls.count <= Self.wholeCalls
            || call.failure != nil && whole.count < Self.wholeCalls + Self.wholeFailedCalls
        {
            whole.append(document)
        }
    }

    /// The workers of a member have ended, and run nothing any more.
    mutating func end(of member: Int) {
        if fresh.contains(where: { $0.member == member }) { close() }
        samples = samples.filter { $0.key.member != member }
        earlier = earlier.filter { $0.key.member != member }
    }

    private mutating func close() {
        fresh = []
        if let moment = LoadMoment(samples: samples, earlier: earlier) { moments.append(moment) }
    }

    /// For a person: calls up, calls that have ended, set-up times, and what arrives.
    var statusLine: String {
        let moment = moments.last
        var parts = [
            "\(Int((moment?.ms ?? 0) / 1_000)) s: \(moment?.connectedCalls ?? 0) calls up, \(calls.count) ended, \(failedCalls) failed"
        ]
        if let setUp = Spread(liveSetUps) {
            parts.append("set-up p50 \(Int(setUp.median)) p95 \(Int(setUp.p95)) ms")
        }
        if let rate = moment?.framesPerSecond { parts.append(String(format: "%.1f fps", rate)) }
        if let loss = moment?.lossPercent { parts.append(String(format: "%.1f %% lost", loss)) }
        if let moment {
            parts.append("CPU \(Int(moment.usage.cpuPercent)) %, \(Int(moment.usage.residentMB)) MB")
        }
        return parts.joined(separator: ", ")
    }
}

/// All workers of a load together at one moment.
struct LoadMoment: Encodable {
    /// Since the load began.
    let ms: Double
    let connectedCalls: Int
    /// Ends of calls at the workers.
    let ends: Int
    /// Of one end that receives video, on average.
    let framesPerSecond: Double?
    /// 0 to 100.
    let lossPercent: Double?
    let usage: LoadUsage

    /// Nil without samples.
    fileprivate init?(samples: [LoadTally.Worker: LoadSample], earlier: [LoadTally.Worker: LoadSample]) {
        guard let latest = samples.values.map(\.ms).max() else { return nil }
        ms = latest.rounded()
        connectedCalls = samples.values.reduce(0) { $0 + $1.connectedCalls }
        ends = samples.values.reduce(0) { $0 + $1.ends }
        let received = samples.values.map(\.received).reduce(LoadRates(), +)
        framesPerSecond = received.meanFramesPerSecond?.rounded(toPlaces: 2)
        lossPercent = received.lossPercent?.rounded(toPlaces: 2)
        usage = samples.map { worker, sample in LoadUsage(sample, since: earlier[worker]) }
            .reduce(LoadUsage(), +)
    }
}

/// What processes of a load use.
struct LoadUsage: Encodable {
    /// Of one core: 200 is all of two.
    var cpuPercent = 0.0
    /// In MB of 1,048,576 bytes.
    var residentMB = 0.0
    var threads = 0.0
    var descriptors = 0.0
    var contextSwitchesPerSecond = 0.0

    static func + (left: LoadUsage, right: LoadUsage) -> LoadUsage {
        LoadUsage(
            cpuPercent: left.cpuPercent + right.cpuPercent, residentMB: left.residentMB + right.residentMB,
            threads: left.threads + right.threads, descriptors: left.descriptors + right.descriptors,
            contextSwitchesPerSecond: left.contextSwitchesPerSecond + right.contextSwitchesPerSecond)
    }

    static func / (usage: LoadUsage, number: Double) -> LoadUsage {
        LoadUsage(
            cpuPercent: usage.cpuPercent / number, residentMB: usage.residentMB / number,
            threads: usage.threads / number, descriptors: usage.descriptors / number,
            contextSwitchesPerSecond: usage.contextSwitchesPerSecond / number)
    }
}

extension LoadUsage {
    fileprivate init(_ sample: LoadSample, since earlier: LoadSample?) {
        let seconds = earlier.map { (sample.ms - $0.ms) / 1_000 } ?? 0
        let (now, before) = (sample.usage, earlier?.usage ?? sample.usage)
        let rate = seconds > 0 ? 1 / seconds : 0
        self.init(
            cpuPercent: ((now.cpuSeconds - before.cpuSeconds) * rate * 100).rounded(toPlaces: 1),
            residentMB: (Double(now.residentKB) / 1_024).rounded(toPlaces: 1), threads: Double(now.threads),
            descriptors: Double(now.descriptors),
            contextSwitchesPerSecond: (Double(now.contextSwitches - before.contextSwitches) * rate).rounded())
    }
}
