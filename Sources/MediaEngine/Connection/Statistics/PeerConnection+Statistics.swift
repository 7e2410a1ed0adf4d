internal import Foundation

/// Statistics.
extension PeerConnection {
    /// The statistics of sent and received media so far; takes under a millisecond.
    ///
    /// The last values remain after ``close()``.
    public func statistics() async -> PeerStatistics {
        // 1.22 has a race between statistics and the end of a session, so after close() only the last request is made
        // (https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/4528).
        if let lastFigures { await lastFigures.value } else { await measure() }
        return lastStatistics
    }

    /// Selects what is measured of decoded media from now on: an application pays only for the statistics that it reads.
    ///
    /// May be called at any time; replaces the previous selection. A new measurement starts from zero. Values that are not measured are nil.
    public func measure(_ measurements: Set<MediaMeasurement>) {
        guard !isClosed else { return }
        configuration.measurements = measurements
        applyMeasurements()
    }

    func applyMeasurements() {
        guard let media else { return }
        for track in media.receiving.values { track.measure(configuration.measurements) }
    }

    /// Takes the statistics; one request at a time, and ``close()`` waits for a running one.
    func measure() async {
        guard !isClosed else { return }
        let request = statisticsRequest ?? Task { await self.takeStatistics() }
        statisticsRequest = request
        await request.value
    }

    /// Writes what all who wait for this request read: nobody's later write may follow the final statistics.
    private func takeStatistics() async {
        defer { statisticsRequest = nil }
        guard let media else { return }
        let reply = try? await media.transportStatistics()
        // Closed meanwhile: the pads have lost their caps.
        guard !isClosed else { return }
        let transport = reply.map { PeerStatistics.Transport(webrtcbin: $0) } ?? lastStatistics.transport
        lastStatistics = media.statistics(transport: transport)
        if let reply {
            let now = Date().timeIntervalSince1970 * 1_000
            lastReport = media.report(reply, lastStatistics, timestamp: now)
        }
    }

    /// The same statistics under W3C's names, for tools that know those; the last report remains after ``close()``.
    public func statisticsReport() async -> StatisticsReport {
        _ = await statistics()
        return lastReport
    }
}
