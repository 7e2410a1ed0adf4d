internal import Foundation

/// Statistics.
extension PeerConnection {
    /// The statistics of sent and received media so far; takes under a millisecond.
    ///
    /// The last values remain after ``close()``.
    public func statistics() -> PeerStatistics {
        measure()
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

    /// Takes the statistics; the last ones are those at the beginning of ``close()``.
    func measure() {
        guard !isClosed, let media else { return }
        let counted = media.peer.session.flatMap { RtpSessionStatistics($0) } ?? RtpSessionStatistics([])
        let session = streamTotals.complete(counted)
        lastStatistics = media.statistics(session)
        lastReport = media.report(session, lastStatistics, timestamp: Date().timeIntervalSince1970 * 1_000)
    }

    /// The same statistics under W3C's names, for tools that know those; the last report remains after ``close()``.
    public func statisticsReport() -> StatisticsReport {
        measure()
        return lastReport
    }
}
