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
            for _ in 0..<count where !Task.isCancelled { placed.append(try await place(&incoming)) }
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
    var complaints: [String] {
        let pairs = [(from: caller, to: callee), (from: callee, to: caller)]
        return pairs.flatMap { pair in
            let direction = "\(pair.from.user) to \(pair.to.user)"
            guard pair.to.timeline.instant(of: .connected) != nil else {
                let end = pair.to.end.map { "\($0.reason.rawValue) \($0.text)" } ?? "no end"
                return ["\(direction): never connected (\(end))"]
            }
            return Self.complaints(pair.from.statistics, pair.to.statistics).map { "\(direction): \($0)" }
        }
    }

    /// The frames that may be in flight when a call ends and do not count as missing: half a second.
    ///
    /// Frames are counted in front of the encoder, which may be that far behind on a slow machine.
    private static let framesInFlight = Double(VideoFormat().framesPerSecond) / 2

    private static func complaints(_ from: MediaReport, _ to: MediaReport) -> [String] {
        var complaints: [String] = []
        if let sent = from.video?.sent, let received = to.video?.received {
            if (sent.width, sent.height) != (received.width, received.height) {
                complaints.append("the received video has another size than the sent video")
            }
            if Double(received.decoded) < 0.9 * Double(sent.frames) - framesInFlight {
                complaints.append("only \(received.decoded) of \(sent.frames) frames were decoded")
            }
            if (received.distinctFrames ?? 0) < received.decoded / 2 { complaints.append("the video stands still") }
            if received.shownBeforeOpening > 0 {
                complaints.append("frames were shown before the call was connected")
            }
        } else {
            complaints.append("no video")
        }
        if let sent = from.audio?.sent, let received = to.audio?.received {
            let expected = sent.toneHz ?? 0
            // The pitch is known only after some windows of 100 ms without a gap.
            if received.decoded < 24_000 {
                // The call was too short to judge the pitch.
            } else if let heard = received.toneHz, abs(heard - expected) <= 0.02 * expected {
                // The pitch is right.
            } else {
                complaints.append("the audio is not the tone of \(expected) Hz that was sent")
            }
            if received.shownBeforeOpening > 0 { complaints.append("audio was heard before the call was connected") }
        } else {
            complaints.append("no audio")
        }
        return complaints
    }
}
