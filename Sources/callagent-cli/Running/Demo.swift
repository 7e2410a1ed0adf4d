internal import CallAgent
internal import MediaEngine

/// The calls of the demo, between two agents in this process.
struct Demo: Sendable {
    let caller: CallAgent
    let callee: CallAgent
    let answerAfter: Duration
    let duration: Duration
    let output: OutputOptions

    /// Places `count` calls one after the other; a cancelled task ends the running one and returns what there is.
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
            async let calleeConnected = CallWatch.untilConnected(theirs)
            guard await CallWatch.untilConnected(mine), await calleeConnected else { return }
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

    /// What a person reads.
    var lines: [String] {
        [caller, callee].flatMap { Waterfall(report: $0).lines + MediaLines.lines($0) + [""] }
    }

    /// What is wrong with what arrived; empty when the call did what a call is for.
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

    /// What may be on its way when a call ends, and is not missing: half a second of pictures.
    ///
    /// They are counted in front of the encoder, which a slow machine may leave that far behind.
    private static let picturesUnderWay = Double(VideoFormat().framesPerSecond) / 2

    private static func complaints(_ from: MediaReport, _ to: MediaReport) -> [String] {
        var complaints: [String] = []
        if let sent = from.video?.sent, let received = to.video?.received {
            if (sent.width, sent.height) != (received.width, received.height) {
                complaints.append("the picture has another size than it was sent with")
            }
            if Double(received.decoded) < 0.9 * Double(sent.frames) - picturesUnderWay {
                complaints.append("only \(received.decoded) of \(sent.frames) pictures were decoded")
            }
            if (received.distinctFrames ?? 0) < received.decoded / 2 { complaints.append("the picture stands still") }
            if received.shownBeforeOpening > 0 {
                complaints.append("pictures were shown before the call was connected")
            }
        } else {
            complaints.append("no pictures")
        }
        if let sent = from.audio?.sent, let received = to.audio?.received {
            let expected = sent.toneHz ?? 0
            // A verdict on the pitch takes some windows of 100 ms without a gap.
            if received.decoded < 24_000 {
                // The call was too short for a verdict.
            } else if let heard = received.toneHz, abs(heard - expected) <= 0.02 * expected {
                // The tone is right.
            } else {
                complaints.append("the sound is not the tone of \(expected) Hz that was sent")
            }
            if received.shownBeforeOpening > 0 { complaints.append("sound was heard before the call was connected") }
        } else {
            complaints.append("no sound")
        }
        return complaints
    }
}
