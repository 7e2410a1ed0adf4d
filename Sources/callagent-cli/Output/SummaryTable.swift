internal import Foundation

/// The summary of several calls for a person: a row for each figure.
struct SummaryTable {
    private let rows: [(title: String, spread: Spread)]
    private let calls: String

    /// - Parameter more: the figures that follow those of the calls
    init(_ summary: SummaryDocument, more: [(String, Spread?)] = []) {
        calls = "\(summary.connected) of \(summary.calls) connected"
        let figures: [(String, Spread?)] = [
            ("connected, ms", (summary.end ?? summary.caller)?.timelineMs["connected"]),
            ("first frame, ms", summary.firstFrameMs),
        ]
        let ends = [("", summary.end), ("caller: ", summary.caller), ("callee: ", summary.callee)]
        rows = (figures + ends.flatMap { name, end in end.map { Self.figures($0, name) } ?? [] } + more)
            .compactMap { title, spread in spread.map { (title, $0) } }
    }

    /// The figures of one end of the calls.
    private static func figures(_ end: SummaryDocument.End, _ name: String) -> [(String, Spread?)] {
        let figures: [(String, Spread?)] = [
            ("video received, kbit/s", end.video["received", "kbitPerSecond"]),
            ("video frames decoded", end.video["received", "framesDecoded"]),
            ("video frames missing", end.video["received", "quality", "framesMissing"]),
            ("video delay, ms", end.video["received", "quality", "delayMs", "median"]),
            ("video PSNR, dB", end.video["received", "quality", "psnrDb", "median"]),
            ("video lost, %", end.video["received", "lossPercent"]),
            ("video jitter, ms", end.video["received", "jitterMs"]),
            ("video freezes", end.video["received", "freezeCount"]),
            ("audio received, kbit/s", end.audio["received", "kbitPerSecond"]),
            ("audio gaps", end.audio["received", "quality", "gapCount"]),
            ("audio delay, ms", end.audio["received", "quality", "delayMs", "median"]),
            ("audio after video, ms", end.audio["received", "quality", "videoOffsetMs", "median"]),
            ("speech, spectral distance, dB", end.audio["received", "speech", "spectralDistanceDb", "median"]),
            ("audio lost, %", end.audio["received", "lossPercent"]),
            ("audio jitter, ms", end.audio["received", "jitterMs"]),
            ("round trip, ms", end.transport["roundTripTimeMs"]),
        ]
        return figures.map { (name + $0, $1) }
    }

    /// The names of the columns.
    static let columns = ["min", "median", "p95", "max"]

    /// What the table is about.
    var title: String { calls }

    /// The rows, as text.
    var cells: [(title: String, cells: [String])] {
        rows.map { title, spread in
            (title, [spread.min, spread.median, spread.p95, spread.max].map { String(format: "%.1f", $0) })
        }
    }

    var lines: [String] {
        [Self.line(calls, Self.columns)] + cells.map { Self.line($0.title, $0.cells) }
    }

    private static func line(_ title: String, _ cells: [String]) -> String {
        title.padded(to: 32) + cells.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
    }
}
