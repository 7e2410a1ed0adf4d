internal import CallAgent
internal import MediaEngine

/// The calls of the demo, between two agents in this process.
struct Demo: Sendable {
    let caller: Agent
    let callee: Agent
    let answerAfter: Duration
    let duration: Duration
    let output: OutputOptions

    /// Places `count` calls one after the other; a cancelled task ends the running call and returns the calls so far.
    func run(count: Int) async throws(Failure) -> [DemoCall] {
        do throws(CallError) {
            try await callee.prepare()
            try await caller.prepare()
            var placed: [DemoCall] = []
            var incoming = callee.incomingCalls.makeAsyncIterator()
            let progress = CallProgress(count: count, peer: "bob")
            var judged: [JudgedCall] = []
            for _ in 0..<count where !Task.isCancelled {
                let call = try await place(&incoming)
                placed.append(call)
                guard count > 1, !output.json, !output.events else { continue }
                judged.append(JudgedCall(call: CallDocument(call.caller), failure: call.failure))
                progress.show(judged)
            }
            return placed
        } catch {
            throw Failure(error)
        }
    }

    private func place(_ incoming: inout AsyncStream<Call>.Iterator) async throws(CallError) -> DemoCall {
        let mine = try await caller.call("bob")
        let watch = CallWatch.follow(mine, output, isQuiet: true)
        guard let theirs = await incoming.next(isolation: nil) else {
            await mine.hangUp()
            throw .ended(await mine.waitUntilEnded())
        }
        let conduct = Task { [answerAfter, duration] in
            if answerAfter > .zero { try await Task.sleep(for: answerAfter) }
            try await theirs.accept()
            async let calleeConnected: Void = theirs.waitUntilConnected()
            try await mine.waitUntilConnected()
            try await calleeConnected
            try await Task.sleep(for: duration)
            await mine.hangUp()
        }
        _ = await mine.waitUntilEnded()
        _ = await theirs.waitUntilEnded()
        conduct.cancel()
        await watch.value
        return DemoCall(caller: await mine.report(), callee: await theirs.report())
    }
}

/// Both ends of one call of the demo.
struct DemoCall: Sendable {
    let caller: CallReport
    let callee: CallReport

    /// The text for a person.
    var lines: [String] {
        [caller, callee].flatMap { Waterfall(report: $0).lines + MediaLines.lines($0) + [""] }
    }

    /// The faults of the received media; empty if the call is all right.
    var complaints: [String] { MediaComparison(caller, callee).complaints }

    /// The first fault; nil if the call is all right.
    var failure: Failure? {
        if let fault = caller.recordingFault ?? callee.recordingFault { return Failure(.prerequisite, fault) }
        return complaints.first.map { Failure(.expectation, $0) }
    }
}
