internal import CallProtocol
internal import MediaEngine
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

extension CallMetrics {
    /// Counts what happened in an interval, and updates the gauges of a call.
    ///
    /// Counters are sums over all calls. Their only labels are the kind and the role, so that their number does not grow with the
    /// calls. Gauges are about one call and labelled with its peer and its id; ``forget(_:_:)`` removes them at its end.
    static func sampled(_ call: CallKey, _ role: CallRole, _ delta: StatisticsDelta) {
        for entry in delta.inbound {
            let dimensions = [("role", role.rawValue), ("kind", entry.kind)]
            count("callagent_rtp_packets_received_total", dimensions, entry.packetsReceived)
            count("callagent_rtp_packets_lost_total", dimensions, entry.packetsLost)
            count("callagent_freezes_total", dimensions, entry.freezeCount ?? 0)
        }
        for entry in delta.outbound {
            count(
                "callagent_rtp_packets_sent_total", [("role", role.rawValue), ("kind", entry.kind)], entry.packetsSent)
        }
        for (gauge, value) in gauges(call, role, delta) { gauge.record(value) }
    }

    /// Removes the gauges of a call.
    static func forget(_ call: CallKey, _ role: CallRole) {
        var all = StatisticsDelta(seconds: 0)
        all.inbound = ["audio", "video"].map { .init(kind: $0) }
        all.outbound = ["audio", "video"].map { .init(kind: $0) }
        all.roundTripTimeMs = 0
        for (gauge, _) in gauges(call, role, all) { gauge.destroy() }
    }

    private static func gauges(
        _ call: CallKey, _ role: CallRole, _ delta: StatisticsDelta
    ) -> [(Gauge, Double)] {
        let call = [("peer", call.peer), ("call", call.callId), ("role", role.rawValue)]
        var gauges: [(Gauge, Double)] = []
        for entry in delta.inbound {
            let dimensions = call + [("kind", entry.kind)]
            gauges.append(
                (Gauge(label: "callagent_received_kbit_per_second", dimensions: dimensions), entry.kbitPerSecond))
            gauges.append(
                (Gauge(label: "callagent_received_loss_fraction", dimensions: dimensions), entry.fractionLost))
        }
        // A video that is sent in several versions has an entry for each.
        for (kind, entries) in Dictionary(grouping: delta.outbound, by: \.kind) {
            let gauge = Gauge(label: "callagent_sent_kbit_per_second", dimensions: call + [("kind", kind)])
            gauges.append((gauge, entries.map(\.kbitPerSecond).reduce(0, +)))
        }
        if let roundTrip = delta.roundTripTimeMs {
            gauges.append((Gauge(label: "callagent_round_trip_ms", dimensions: call), roundTrip))
        }
        return gauges
    }

    private static func count(_ label: String, _ dimensions: [(String, String)], _ value: Int) {
        Counter(label: label, dimensions: dimensions).increment(by: value)
    }
}
