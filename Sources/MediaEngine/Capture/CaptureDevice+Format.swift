internal import Logging

/// Chooses the size and rate in which the device is open.
extension CaptureDevice {
    /// The smallest format that covers all requests, within what the source can give.
    var wantedFormat: VideoFormat {
        let sources = holders.keys.map(\.self) + branches.values.map(\.source)
        let formats = sources.filter { $0.kind == .video }.map(\.format)
        guard let first = formats.first else { return running?.capture.format ?? blueprint.source.format }
        let wanted = formats.dropFirst().reduce(first) { $0.union($1) }
        return ceiling.map(wanted.limited) ?? wanted
    }

    /// Opens the device, or reopens it when its format is too small for the current requests.
    ///
    /// - Throws: ``MediaError`` when the device cannot be opened, or not a second time; the open capture then continues.
    func openAsWanted() async throws(MediaError) {
        // A lost source is reopened in the wanted format anyway.
        guard outage == nil else { return }
        let wanted = wantedFormat
        guard let running else {
            self.running = try open(wanted)
            return moveBranches { _ in true }
        }
        guard !running.capture.format.contains(wanted) else { return }
        if blueprint.source.isExclusive { await reopen(wanted) } else { try openLarger(wanted) }
    }

    /// Closes the device and opens it in another format; falls back to the former format if that fails.
    private func reopen(_ format: VideoFormat) async {
        guard let former = running.take() else { return }
        for number in branches.keys { branches[number]?.unplug() }
        stop([former.capture.pipeline])
        await waitUntilStopped()
        // Another caller may have opened it meanwhile, with all requests.
        guard running == nil, outage == nil, isWanted else { return }
        do throws(MediaError) {
            running = try open(format)
            running?.former = former.capture.format
        } catch {
            ceiling = former.capture.format
            logger.warning("\(blueprint.label) gives no larger frames: \(error)")
            do throws(MediaError) { running = try open(former.capture.format) } catch { return goWithout(error) }
        }
        moveBranches { _ in true }
    }

    /// Opens the source a second time; the present capture feeds all branches until the larger video arrives.
    private func openLarger(_ format: VideoFormat) throws(MediaError) {
        if let candidate {
            guard !candidate.capture.format.contains(format) else { return }
            self.candidate = nil
            stop([candidate.capture.pipeline])
        }
        let opened = try open(format)
        // The application decides when it pushes, so there is nothing to wait for.
        if blueprint.source.isPushed { take(opened) } else { tryOut(opened) }
    }

    /// Reopens the device in the smallest format that covers all requests; only while it feeds no branch, so that no call misses anything.
    func becomeSmaller() async {
        let wanted = wantedFormat
        guard branches.isEmpty, isWanted, outage == nil, candidate == nil, let running,
            running.capture.format != wanted
        else { return }
        do throws(MediaError) {
            if blueprint.source.isExclusive {
                self.running = nil
                stop([running.capture.pipeline])
                await waitUntilStopped()
                if self.running == nil, outage == nil, isWanted { try await openAsWanted() }
            } else {
                take(try open(wanted))
            }
        } catch {
            // The next user tries again, and gets the error.
            logger.warning("\(error)")
        }
    }

    /// Feeds all branches from `opened` in place of the former capture.
    func take(_ opened: NumberedCapture) {
        let former = running?.capture.pipeline
        (running, outage, absent, retryDelay) = (opened, nil, [], timing.firstRetry)
        moveBranches { _ in true }
        stop(standIns.take() + [former].compactMap(\.self))
    }
}
