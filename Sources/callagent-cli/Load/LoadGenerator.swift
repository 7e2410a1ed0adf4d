internal import CallAgent
internal import MediaEngine

/// Places the calls of one worker, follows them, and reports each when it has ended.
struct LoadGenerator: Sendable {
    private let command: LoadCommand
    private let share: WorkerShare
    private let agents: LoadAgents
    private let gauge = LoadGauge()

    init(_ command: LoadCommand, _ share: WorkerShare, _ agents: LoadAgents) {
        self.command = command
        self.share = share
        self.agents = agents
    }

    /// Runs until all calls have ended, or until the time of the load is over.
    ///
    /// A cancelled task hangs up all calls.
    ///
    /// - Returns: Why no more calls could be placed; nil if they all were.
    func run() async -> Failure? {
        let start = ContinuousClock.now
        // What the process used before its first call.
        LoadWorker.send(.sample(gauge.sample(since: start)))
        // Neither ends before the calls do.
        let sampling = Task { await sample(since: start) }
        let answering = Task { await answer() }
        await withTaskGroup(of: Void.self) { group in
            if let limit = command.load.limit { group.addTask { try? await Task.sleep(until: start + limit) } }
            group.addTask { await placeAll(since: start) }
            await group.next()
            group.cancelAll()
        }
        sampling.cancel()
        answering.cancel()
        LoadWorker.send(.sample(gauge.sample(since: start)))
        return gauge.failure
    }

    private func sample(since start: ContinuousClock.Instant) async {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            LoadWorker.send(.sample(gauge.sample(since: start)))
        }
    }

    private func answer() async {
        guard let callee = agents.callee else { return }
        await withDiscardingTaskGroup { group in
            for await call in callee.incomingCalls {
                group.addTask {
                    let following = gauge.follow(call)
                    try? await call.accept(
                        audio: command.start.audio, video: command.start.video, output: !command.start.startOutputOff)
                    await following.value
                }
            }
        }
    }

    private func placeAll(since start: ContinuousClock.Instant) async {
        var pacing = LoadPacing(
            rate: command.load.rate.perSecond, ramp: command.load.ramp.duration,
            arrivals: command.load.poisson ? .poisson : .even, share: share)
        let limit = share.part(of: command.load.calls)
        let total = command.load.callsInAll.map(share.part)
        await withTaskGroup(of: Void.self) { group in
            // Calls that have ended count as active until there has to be room for another one.
            var (placed, active) = (0, 0)
            while gauge.failure == nil, placed < total ?? .max {
                let planned = start + pacing.next()
                guard (try? await Task.sleep(until: planned)) != nil else { break }
                if active == limit {
                    await group.next()
                    active -= 1
                    guard gauge.failure == nil, !Task.isCancelled else { break }
                }
                // For a free place, or for a busy processor.
                let late = ContinuousClock.now - planned
                if late > Self.tolerance { pacing.postpone(by: late) }
                let peer = peer(of: placed)
                group.addTask { await place(to: peer) }
                (placed, active) = (placed + 1, active + 1)
            }
            if gauge.failure != nil { group.cancelAll() }
        }
    }

    /// A call that begins no later than that keeps its place.
    private static let tolerance: Duration = .milliseconds(50)

    /// The callee of the call with this number at this worker.
    private func peer(of number: Int) -> String {
        guard agents.callee == nil else { return "callee-\(share.index + 1)" }
        guard command.endpoint == nil else { return "server" }
        return command.callees[(number * share.count + share.index) % command.callees.count]
    }

    /// Places a call, and reports it when it has ended.
    private func place(to peer: String) async {
        let call: Call
        do throws(CallError) {
            call = try await agents.caller.call(
                peer, media: command.callMedia, sends: command.callerSends,
                output: !command.start.startOutputOff)
        } catch {
            if !Task.isCancelled { gauge.fail(Failure(error)) }
            return
        }
        let following = gauge.follow(call)
        let acting = Task {
            await Script(steps: command.script.at, output: nil, source: command.source).run(on: call)
        }
        let conducting = Task {
            try await call.waitUntilConnected()
            guard let duration = command.load.duration.duration else { return }
            try await Task.sleep(for: duration)
            await call.hangUp()
        }
        _ = await call.waitUntilEnded()
        // A call that the end of the load cut off while it rang is no fault; what it was connected for counts.
        let isCut = Task.isCancelled
        conducting.cancel()
        acting.cancel()
        await following.value
        let mine = await call.report()
        let theirs = await report(ofCallee: call.id)
        let outcome = CallOutcome(
            ended: EndedCall(report: mine), complaints: await acting.value,
            missing: mine.captureFaults.first { !command.source.allowsStandIn($0) },
            requiresMedia: command.sink.requireMedia)
        let isJudged = !isCut || mine.timeline.instant(of: .connected) != nil
        let failure = isJudged ? outcome.failure ?? theirs.flatMap { comparison(mine, $0) } : nil
        LoadWorker.send(
            .call(
                LoadedCall(
                    caller: CallDocument(mine, acceptedAtCallee: theirs?.acceptedAtCallee),
                    callee: theirs.map { CallDocument($0) }, failure: failure.map(LoadedCall.Problem.init))))
    }

    /// The callee's report of a call that has ended here; nil if the callee is not of this load, or never got the call.
    private func report(ofCallee callId: String) async -> CallReport? {
        guard let callee = agents.callee else { return nil }
        // Its own timers end the call even without a message from here.
        if let call = callee.activeCalls.first(where: { $0.id == callId }) { _ = await call.waitUntilEnded() }
        return await callee.report(callId: callId)
    }

    /// What is wrong with the media of a call whose ends are both known.
    private func comparison(_ caller: CallReport, _ callee: CallReport) -> Failure? {
        // Actions and muted beginnings change what may arrive.
        guard command.script.at.isEmpty, !command.start.changesMedia else { return nil }
        return MediaComparison(caller, callee, expected: command.sentMedia).complaints.first.map {
            Failure(.expectation, $0)
        }
    }
}
