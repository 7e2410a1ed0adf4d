// Watches the quality of a call, second by second.

import CallAgent
import MediaEngine

// snippet.delta
func watch(_ peer: PeerConnection) async throws {
    var earlier = await peer.statisticsReport()
    while !Task.isCancelled {
        try await Task.sleep(for: .seconds(1))
        let report = await peer.statisticsReport()
        for stream in report.delta(from: earlier).inbound {
            print("\(stream.kind): \(stream.kbitPerSecond) kbit/s, \(stream.fractionLost * 100) % lost")
            if let rate = stream.framesPerSecond, let freezes = stream.freezeCount {
                print("  \(rate) frames a second, \(freezes) freezes")
            }
        }
        earlier = report
    }
}
// snippet.end

// snippet.measure
func level(of peer: PeerConnection) async throws -> Double? {
    await peer.measure([.level])
    try await Task.sleep(for: .seconds(1))
    return await peer.statisticsReport().inbound.first { $0.kind == "audio" }?.audioLevel
}
// snippet.end

// snippet.call
func callAndWatch(agent: Agent) async throws {
    let call = try await agent.call("bob")
    for await event in call.events {
        guard case .statistics(let statistics) = event else { continue }
        print("round trip: \(statistics.delta.roundTripTimeMs ?? 0) ms")
    }
}
// snippet.end
