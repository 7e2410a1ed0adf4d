internal import Logging

/// The size and rate in which the device is open.
extension CaptureDevice {
    /// The least that contains what everybody asks for, as far as the source can give it.
    var wantedFormat: VideoFormat {
        let sources = holders.keys.map(\.self) + branches.values.map(\.source)
        let formats = sources.filter { $0.kind == .video }.map(\.format)
        guard let first = formats.first else { return running?.capture.format ?? blueprint.source.format }
        let wanted = formats.dropFirst().reduce(first) { $0.union($1) }
        return ceiling.map(wanted.limited) ?? wanted
    }

    /// Opens the device, or opens it anew when it gives less than is wanted by now.
    ///
    /// - Throws: ``MediaError`` when it cannot be opened, or not a second time; what was open goes on then.
    func openAsWanted() async throws(MediaError) {
        // What is lost comes back as it is wanted.
        guard outage == nil else { return }
        let wanted = wantedFormat
        guard let running else {
            self.running = try open(wanted)
            return moveBranches { _ in true }
        }
        guard !running.capture.format.contains(wanted) else { return }
        if blueprint.source.isExclusive { await reopen(wanted) } else { try openLarger(wanted) }
    }

    /// Closes the device and opens it in another format; when it cannot give that, in the one that it had.
    private func reopen(_ format: VideoFormat) async {
        guard let former = running.take() else { return }
        for number in branches.keys { branches[number]?.unplug() }
        stop([former.capture.pipeline])
        await waitUntilStopped()
        // Another one may have opened it meanwhile, with what everybody asks for.
        guard running == nil, outage == nil, isWanted else { return }
        do throws(MediaError) {
            running = try open(format)
            running?.former = former.capture.format
        } catch {
            ceiling = former.capture.format
            logger.warning("\(blueprint.label) gives no larger pictures: \(error)")
            do throws(MediaError) { running = try open(former.capture.format) } catch { return goWithout(error) }
        }
        moveBranches { _ in true }
    }

    /// Opens the source once more; everybody is fed by the present one until the larger pictures come.
    private func openLarger(_ format: VideoFormat) throws(MediaError) {
        if let candidate {
            guard !candidate.capture.format.contains(format) else { return }
            self.candidate = nil
            stop([candidate.capture.pipeline])
        }
        let opened = try open(format)
        // When the application pushes is its own business.
        if blueprint.source.mayBeSilent { take(opened) } else { tryOut(opened) }
    }

    /// Opens the device in what is left of everybody's wishes; done when nobody is fed, so that nobody misses anything.
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
            // Whoever comes next tries again, and hears of it.
            logger.warning("\(error)")
        }
    }

    /// Feeds everybody from `opened` in the place of what there was.
    func take(_ opened: NumberedCapture) {
        let former = running?.capture.pipeline
        (running, outage, absent, retryDelay) = (opened, nil, [], timing.firstRetry)
        moveBranches { _ in true }
        stop(standIns.take() + [former].compactMap(\.self))
    }
}
