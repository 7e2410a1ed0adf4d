internal import Logging
public import MediaEngine

extension Call {
    /// What was sent and received, with W3C's names; the last report stays available after the call.
    ///
    /// If the call's connection was replaced, the report is about the current one.
    public func statistics() async -> StatisticsReport {
        await generations.reported?.statistics() ?? StatisticsReport()
    }

    /// Changes the settings of this end's Opus encoder from the next packet on, within what the peer allows.
    ///
    /// Nothing is negotiated: what this end asks of the peer stays unchanged. A value out of range counts as its default, with a warning.
    ///
    /// - Throws: ``CallError/wrongState(operation:state:)`` before the media are negotiated and after the end.
    public func setOpus(_ parameters: OpusParameters) async throws(CallError) {
        guard machine.state != .ended, !generations.all.isEmpty else {
            throw .wrongState(operation: "set Opus", state: "the \(role) of a call that is \(machine.stateText)")
        }
        do throws(MediaSessionError) {
            for media in generations.all { try await media.setOpus(parameters) }
        } catch {
            throw .media(error)
        }
    }

    /// Reports ``CallEvent/statistics(_:)`` and updates swift-metrics periodically, until the call ends.
    func beginSampling() {
        guard let interval = surroundings.statisticsInterval else { return }
        let sleep = surroundings.sleep
        sampling = Task { [weak self] in
            var last: StatisticsReport?
            while (try? await sleep(interval)) != nil {
                guard let self, await self.sample(since: &last) else { return }
            }
        }
    }

    /// - Returns: False after the end.
    private func sample(since last: inout StatisticsReport?) async -> Bool {
        let report = await statistics()
        guard machine.end == nil else { return false }
        guard report.transport != nil else { return true }
        let delta = report.delta(from: last ?? StatisticsReport())
        CallMetrics.sampled(key, role, delta)
        hub.yield(.statistics(CallStatistics(report: report, delta: delta)))
        last = report
        return true
    }
}

/// What a call's connection did in an interval, and in total.
public struct CallStatistics: Sendable, Equatable {
    /// The totals, with W3C's names.
    public var report: StatisticsReport
    /// What happened since the previous report; in the first one, since the beginning.
    public var delta: StatisticsDelta
}
