internal import CallAgent
internal import Foundation
internal import MediaEngine

/// The current state and rates of a call, as one line for a person.
struct LiveLine {
    let peer: String
    private var state: CallState?
    private var connectedAt: ContinuousClock.Instant?
    private var rates: StatisticsDelta?

    init(peer: String) { self.peer = peer }

    mutating func note(_ event: CallEvent) {
        switch event {
        case .stateChanged(let change):
            state = change.state
            if change.state == .connected { connectedAt = connectedAt ?? .now }
        case .statistics(let statistics): rates = statistics.delta
        default: break
        }
    }

    /// Such as `bob: connected 12 s, in 512 kbit/s 30 fps 0.0 % lost, out 498 kbit/s 30 fps`.
    var text: String {
        var parts = ["\(peer): \(state?.rawValue ?? "calling")"]
        if let connectedAt { parts[0] += " \(Int((ContinuousClock.now - connectedAt) / .seconds(1))) s" }
        guard let rates, connectedAt != nil else { return parts[0] }
        let inbound = rates.inbound.reduce(0) { $0 + $1.kbitPerSecond }
        let outbound = rates.outbound.reduce(0) { $0 + $1.kbitPerSecond }
        let (lost, all) = rates.inbound.reduce((0, 0)) {
            ($0.0 + $1.packetsLost, $0.1 + $1.packetsLost + $1.packetsReceived)
        }
        let loss = all > 0 ? Double(lost) / Double(all) * 100 : 0
        parts.append(
            "in \(Int(inbound)) kbit/s" + Self.fps(rates.inbound.first { $0.kind == "video" }?.framesPerSecond)
                + String(format: " %.1f %% lost", loss))
        parts.append(
            "out \(Int(outbound)) kbit/s" + Self.fps(rates.outbound.first { $0.kind == "video" }?.framesPerSecond))
        return parts.joined(separator: ", ")
    }

    private static func fps(_ rate: Double?) -> String { rate.map { " \(Int($0.rounded())) fps" } ?? "" }
}
