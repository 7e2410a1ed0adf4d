internal import Foundation
internal import MediaEngine

/// What a call was like on a network, as a line of a table: of each figure the worse one of the two ends.
enum LabTable {
    private static let columns = [
        "connected", "frames", "longest freeze", "delay p95", "MOS", "lost", "video", "round trip",
    ]
    private static let width = 16

    static var head: String { line("network", columns) }

    static func line(_ result: ScenarioResult) -> String {
        let network = result.scenario.network?.text.printable ?? ""
        guard result.failure == nil else { return "\(network.padded(to: width))  \(result.failure?.line ?? "")" }
        let calls = result.calls.map { CallDocument($0.report) }
        let video = calls.compactMap { $0.video?.received }
        let audio = calls.compactMap { $0.audio?.received }
        func text(_ value: Double?, _ unit: String = "", _ places: Int = 0) -> String {
            value.map { String(format: "%.\(places)f", $0) + unit } ?? "-"
        }
        let shares = video.compactMap(\.quality?.ofVideo).map { quality in
            let (marked, missing) = (Double(quality.framesMarked ?? 0), Double(quality.framesMissing ?? 0))
            return marked > 0 ? marked / (marked + missing) * 100 : 0
        }
        return line(
            network,
            [
                text(calls.compactMap { $0.timelineMs["connected"] }.max(), " ms"),
                text(shares.min(), " %", 1),
                text(video.compactMap { $0.quality?.ofVideo?.longestFreezeMs }.max(), " ms"),
                text(video.compactMap { $0.quality?.ofVideo?.delayMs?.p95 }.max(), " ms"),
                text(audio.compactMap(\.mosEstimate).min(), "", 2),
                text(video.compactMap(\.lossPercent).max(), " %", 1),
                text(video.map(\.kbitPerSecond).min(), " kbit/s"),
                text(calls.compactMap(\.transport.roundTripTimeMs).max(), " ms"),
            ])
    }

    private static func line(_ network: String, _ cells: [String]) -> String {
        zip(cells, columns).reduce(network.padded(to: width)) { line, cell in
            let room = max(cell.1.count, 11) + 2
            return line + String(repeating: " ", count: max(1, room - cell.0.count)) + cell.0
        }
    }
}
