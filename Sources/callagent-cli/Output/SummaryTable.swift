internal import Foundation

/// The summary of several calls for a person: a row for each figure.
struct SummaryTable {
    private let rows: [(title: String, spread: Spread)]
    private let calls: String

    init(_ summary: SummaryDocument) {
        calls = "\(summary.connected) of \(summary.calls) connected"
        let figures: [(String, Spread?)] = [
            ("first frame, ms", summary.firstFrameMs),
            ("video received, kbit/s", summary.video?["received", "kbitPerSecond"]),
            ("video lost, %", summary.video?["received", "lossPercent"]),
            ("video jitter, ms", summary.video?["received", "jitterMs"]),
            ("video freezes", summary.video?["received", "freezeCount"]),
            ("audio received, kbit/s", summary.audio?["received", "kbitPerSecond"]),
            ("audio lost, %", summary.audio?["received", "lossPercent"]),
            ("audio jitter, ms", summary.audio?["received", "jitterMs"]),
            ("round trip, ms", summary.transport?["roundTripTimeMs"]),
        ]
        rows = figures.compactMap { title, spread in spread.map { (title, $0) } }
    }

    var lines: [String] {
        let head = Self.line(calls, ["min", "median", "p95", "max"])
        return [head]
            + rows.map { row in
                Self.line(
                    row.title,
                    [row.spread.min, row.spread.median, row.spread.p95, row.spread.max].map {
                        String(format: "%.1f", $0)
                    })
            }
    }

    private static func line(_ title: String, _ cells: [String]) -> String {
        title.padded(to: 26) + cells.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
    }
}
