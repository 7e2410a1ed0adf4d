internal import Metrics

/// Reports calls to swift-metrics; without a backend it costs nothing.
enum CallMetrics {
    /// Counts a placed or received call.
    static func began(_ role: CallRole) {
        Counter(label: "callagent_calls_total", dimensions: [("role", role.rawValue)]).increment()
    }

    /// Records the result and the times of a call.
    static func ended(_ role: CallRole, _ end: CallEnd, _ timeline: CallTimeline) {
        let dimensions = [("role", role.rawValue)]
        Counter(label: "callagent_calls_ended_total", dimensions: dimensions + [("reason", end.reason.rawValue)])
            .increment()
        if let connected = timeline.milliseconds(of: .connected), let accepted = timeline.milliseconds(of: .accepted) {
            Timer(label: "callagent_accept_to_connected", dimensions: dimensions).recordMilliseconds(
                connected - accepted)
        }
        if let frame = timeline.milliseconds(of: .firstVideoFrame) ?? timeline.milliseconds(of: .firstAudioSample) {
            Timer(label: "callagent_first_frame", dimensions: dimensions).recordMilliseconds(frame)
        }
    }
}
