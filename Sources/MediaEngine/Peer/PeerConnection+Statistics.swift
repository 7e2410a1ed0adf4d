internal import Foundation

/// What was measured.
extension PeerConnection {
    /// What was sent and received so far; takes under a millisecond.
    ///
    /// The last figures remain after ``close()``.
    public func statistics() async -> PeerStatistics {
        // 1.22 has a race between statistics and the end of a session, so none but the last begin once close() was called
        // (https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/4528).
        if let lastFigures { await lastFigures.value } else { await measure() }
        return lastStatistics
    }

    /// Measures this of decoded media from now on, for the statistics, and nothing else: whoever does not read a figure need not pay for it.
    ///
    /// Legal at any time. What was not measured before begins at nothing; figures of what is not measured are nil.
    public func measure(_ measurements: Set<MediaMeasurement>) {
        guard !isClosed else { return }
        configuration.measurements = measurements
        applyMeasurements()
    }

    func applyMeasurements() {
        guard let media else { return }
        for track in media.receiving.values { track.measure(configuration.measurements) }
    }

    /// Takes the figures; one request at a time, and ``close()`` waits for the one that runs.
    func measure() async {
        guard let media, !isClosed else { return }
        let request = statisticsRequest ?? Task { try? await media.transportStatistics() }
        statisticsRequest = request
        let reply = await request.value
        let transport = reply.map { PeerStatistics.Transport(webrtcbin: $0) } ?? lastStatistics.transport
        if statisticsRequest == request { statisticsRequest = nil }
        // Closed meanwhile: the pads have lost their caps.
        guard !isClosed else { return }
        lastStatistics = media.statistics(transport: transport)
        if let reply {
            let now = Date().timeIntervalSince1970 * 1_000
            let report = media.report(reply, lastStatistics, timestamp: now)
            lastReport = report.keepingReports(of: lastReport)
        }
    }

    /// The same under W3C's names, for tools that know those; the last report remains after ``close()``.
    public func statisticsReport() async -> StatisticsReport {
        _ = await statistics()
        return lastReport
    }
}
