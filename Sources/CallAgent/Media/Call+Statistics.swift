internal import Logging
public import MediaEngine

extension Call {
    /// What was sent and received, under W3C's names; the last report survives the call.
    ///
    /// Of a call whose connection was replaced it is about the one in use.
    public func statistics() async -> StatisticsReport { await reported?.statistics() ?? StatisticsReport() }

    /// Changes what our Opus encoder does from the next packet on; what the peer allows still holds.
    ///
    /// Nothing is negotiated: what is asked of the peer stays what it was. A value out of range counts as its default, with a warning.
    ///
    /// - Throws: ``CallError/wrongState(operation:state:)`` before the media are negotiated and after the end.
    public func setOpus(_ parameters: OpusParameters) async throws(CallError) {
        guard machine.state != .ended, !generations.isEmpty else {
            throw .wrongState(operation: "set Opus", state: "the \(role) of a call that is \(machine.stateText)")
        }
        do throws(MediaSessionError) {
            for media in generations.values { try await media.setOpus(parameters) }
        } catch {
            throw .media(error)
        }
    }

    /// Tells ``CallEvent/statistics(_:)`` and swift-metrics every so often, until the call ends.
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
        CallMetrics.sampled(id, role, delta)
        hub.yield(.statistics(CallStatistics(report: report, delta: delta)))
        last = report
        return true
    }
}
