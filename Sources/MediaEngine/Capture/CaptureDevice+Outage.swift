internal import Logging

/// What is done about a source that fails while it is used.
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
            // What was there when it was opened and fails now is gone, whatever the element calls it.
            let isGone = running?.began.isEmpty == false && fault != .denied
            lose(.sourceFailed(source: blueprint.label, fault: isGone ? .lost : fault, text: text))
        }
    }

    /// Feeds everybody with a test picture or silence until the source is back.
    private func lose(_ error: MediaError) {
        guard let lost = running.take() else { return }
        // A file that cannot be played round and round begins anew.
        let isRound = lost.capture.loop != nil && !lost.began.isEmpty && lost.ended == lost.began
        // One that was opened larger and gave nothing goes back to what it gave.
        let isTooLarge = lost.began.isEmpty && lost.former != nil
        if isTooLarge {
            ceiling = lost.former
            logger.warning("\(blueprint.label) gives no larger pictures: \(error)")
        }
        let isOver = isRound || isTooLarge
        // One that is being opened larger begins anew, too.
        let larger = candidate.take()
        goWithout(error, isTold: !isOver, after: isOver ? .zero : retryDelay)
        stop([lost, larger].compactMap { $0?.capture.pipeline })
    }

    /// Feeds everybody with a test picture or silence, and tries to open the source again and again.
    func goWithout(_ error: MediaError) { goWithout(error, isTold: true, after: retryDelay) }

    private func goWithout(_ error: MediaError, isTold: Bool, after delay: Duration) {
        outage = error
        if isTold { logger.warning("\(error)") }
        moveBranches { _ in true }
        if isTold { for branch in branches.values { branch.onChange(.lost(error)) } }
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

    /// Has to deliver before anybody is fed by it.
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
            // Of one that is to be larger, the pictures are what is waited for.
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
        logger.warning("\(blueprint.label) gives no larger pictures than it does")
    }

    /// The source delivers again, or larger.
    private func adopt() {
        guard let back = candidate.take() else { return }
        retry?.cancel()
        let wasLost = outage != nil
        take(back)
        guard wasLost else { return }
        logger.info("\(blueprint.label) is back")
        for branch in branches.values { branch.onChange(.restored) }
    }

    /// Feeds those branches from where their kind comes from now.
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

    /// Notices a source that is open and says nothing.
    func lookForSilence() {
        guard let running, outage == nil else { return }
        restore(absent.filter { !isSilent($0, in: running.capture) })
        let kinds = Set(branches.values.map(\.kind)).subtracting(absent)
        guard !kinds.isEmpty else { return }
        let silent = kinds.filter { isSilent($0, in: running.capture) }
        guard !silent.isEmpty else { return }
        let text = "nothing came for \(timing.silence)"
        if silent == kinds, running.began.isEmpty || !running.began.isDisjoint(with: silent) {
            return lose(.sourceFailed(source: blueprint.label, fault: .silent, text: text))
        }
        // A file without sound, a camera without a microphone.
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
        ContinuousClock.now - (capture.trunks[kind]?.latest.at ?? capture.since) > timing.silence
    }

    /// Feeds from the source again what it gives after a pause.
    private func restore(_ kinds: Set<MediaKind>) {
        guard !kinds.isEmpty else { return }
        absent.subtract(kinds)
        moveBranches(where: kinds.contains)
        if absent.isEmpty { stop(standIns.take()) }
        for branch in branches.values where kinds.contains(branch.kind) { branch.onChange(.restored) }
    }
}
