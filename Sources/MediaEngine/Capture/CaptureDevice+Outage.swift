internal import Logging

/// Replaces a source that fails while it is in use, and reopens it.
extension CaptureDevice {
    func take(_ report: RunningCapture.Report, of number: Int) {
        if candidate?.number == number { return takeOfCandidate(report) }
        guard running?.number == number else { return }
        switch report {
        case .began(let kind): running?.began.insert(kind)
        case .ended(let kind):
            running?.ended.insert(kind)
            guard let running, running.began.isSubset(of: running.ended) else { return }
            lose(.sourceFailed(source: blueprint.label, fault: .ended, text: "the stream ended"))
        case .roundEnded: running?.capture.loop?.again()
        case .failed(let fault, let text):
            // A source that delivered before it failed counts as lost, whatever the element reports.
            let isGone = running?.began.isEmpty == false && fault != .denied
            lose(.sourceFailed(source: blueprint.label, fault: isGone ? .lost : fault, text: text))
        }
    }

    /// Feeds all branches with a test pattern or silence until the source is back.
    private func lose(_ error: MediaError) {
        guard let lost = running.take() else { return }
        // A file that cannot loop starts again.
        let isRound = lost.capture.loop != nil && !lost.began.isEmpty && lost.ended == lost.began
        // A source that was opened larger and delivered nothing goes back to its former format.
        let isTooLarge = lost.began.isEmpty && lost.former != nil
        if isTooLarge {
            ceiling = lost.former
            logger.warning("\(blueprint.label) gives no larger frames: \(error)")
        }
        let isOver = isRound || isTooLarge
        // A capture that is being opened larger starts again, too.
        let larger = candidate.take()
        goWithout(error, isReported: !isOver, after: isOver ? .zero : retryDelay)
        stop([lost, larger].compactMap { $0?.capture.pipeline })
    }

    /// Feeds all branches with a test pattern or silence, and retries to open the source.
    func goWithout(_ error: MediaError) { goWithout(error, isReported: true, after: retryDelay) }

    private func goWithout(_ error: MediaError, isReported: Bool, after delay: Duration) {
        outage = error
        if isReported { logger.warning("\(error)") }
        moveBranches { _ in true }
        if isReported { for branch in branches.values { branch.onChange(.lost(error)) } }
        openAgain(after: delay)
    }

    private func openAgain(after delay: Duration) {
        retry?.cancel()
        retryDelay = min(retryDelay * 2, timing.longestRetry)
        retry = Task { [weak self] in
            guard (try? await Task.sleep(for: delay)) != nil, !Task.isCancelled else { return }
            await self?.tryAgain()
        }
    }

    private func tryAgain() async {
        await waitUntilStopped()
        guard outage != nil, candidate == nil, isWanted else { return }
        do throws(MediaError) {
            tryOut(try open(wantedFormat))
        } catch {
            logger.debug("\(error)")
            openAgain(after: retryDelay)
        }
    }

    /// Waits until the capture delivers before it feeds any branch from it.
    func tryOut(_ opened: NumberedCapture) {
        candidate = opened
        let limit = max(timing.silence, .seconds(2)) * 2
        retry?.cancel()
        retry = Task { [weak self] in
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            await self?.giveUp(on: opened.number)
        }
    }

    private func takeOfCandidate(_ report: RunningCapture.Report) {
        switch report {
        case .began(let kind):
            candidate?.began.insert(kind)
            // A capture is opened larger for the video, so only video counts.
            if outage != nil || kind == .video { adopt() }
        case .ended, .failed: giveUp(on: candidate?.number ?? 0)
        case .roundEnded: candidate?.capture.loop?.again()
        }
    }

    private func giveUp(on number: Int) {
        guard let candidate, candidate.number == number else { return }
        self.candidate = nil
        stop([candidate.capture.pipeline])
        if outage != nil { return openAgain(after: retryDelay) }
        ceiling = running?.capture.format
        logger.warning("\(blueprint.label) gives no larger frames")
    }

    /// Takes over the candidate: the source delivers again, or larger.
    private func adopt() {
        guard let back = candidate.take() else { return }
        retry?.cancel()
        let wasLost = outage != nil
        take(back)
        guard wasLost else { return }
        logger.info("\(blueprint.label) is back")
        for branch in branches.values { branch.onChange(.restored) }
    }

    /// Feeds those branches from the capture that now serves their kind.
    func moveBranches(where moves: (MediaKind) -> Bool) {
        for (number, branch) in branches where moves(branch.kind) {
            branches[number]?.unplug()
            do throws(MediaError) {
                let capture = try capture(of: branch.kind)
                let fed = try capture.attach(branch.proxy, branch.source, orientation(of: branch.source))
                branches[number]?.feed = (capture, fed)
            } catch {
                logger.error("\(error)")
                branches[number] = nil
                branch.onChange(.lost(error))
            }
        }
    }

    /// Detects a source that is open but delivers nothing; returns the time until the next check.
    func lookForSilence() -> Duration {
        noticeSilence()
        let shortest = timing.silence / 5
        guard let running, outage == nil, absent.isEmpty, !branches.isEmpty else { return shortest }
        let longest = running.capture.trunks.keys.map { silence(of: $0, in: running.capture) }.max()
        return max(shortest, timing.silence - (longest ?? .zero))
    }

    private func noticeSilence() {
        guard let running, outage == nil else { return }
        restore(absent.filter { !isSilent($0, in: running.capture) })
        let kinds = Set(branches.values.map(\.kind)).subtracting(absent)
        guard !kinds.isEmpty else { return }
        let silent = kinds.filter { isSilent($0, in: running.capture) }
        guard !silent.isEmpty else { return }
        let text = "no data for \(timing.silence)"
        if silent == kinds, running.began.isEmpty || !running.began.isDisjoint(with: silent) {
            return lose(.sourceFailed(source: blueprint.label, fault: .silent, text: text))
        }
        // A file without audio, a camera without a microphone.
        absent.formUnion(silent)
        for kind in silent {
            let error = MediaError.sourceFailed(
                source: blueprint.label, fault: .silent, text: "it gives no \(kind.rawValue)")
            logger.warning("\(error)")
            moveBranches { $0 == kind }
            for branch in branches.values where branch.kind == kind { branch.onChange(.lost(error)) }
        }
    }

    private func isSilent(_ kind: MediaKind, in capture: RunningCapture) -> Bool {
        silence(of: kind, in: capture) > timing.silence
    }

    /// How long ago the last buffer of this kind passed.
    private func silence(of kind: MediaKind, in capture: RunningCapture) -> Duration {
        .now - (capture.trunks[kind]?.latest.at ?? capture.since)
    }

    /// Feeds these kinds from the source again after a pause.
    private func restore(_ kinds: Set<MediaKind>) {
        guard !kinds.isEmpty else { return }
        absent.subtract(kinds)
        moveBranches(where: kinds.contains)
        if absent.isEmpty { stop(standIns.take()) }
        for branch in branches.values where kinds.contains(branch.kind) { branch.onChange(.restored) }
    }
}
