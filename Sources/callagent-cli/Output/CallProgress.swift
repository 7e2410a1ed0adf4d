internal import CallAgent

/// How several calls that follow one another go, for a person: a line for each call, and a table at the end.
///
/// On a terminal one line is written again after each call, and only failed calls have a line of their own.
struct CallProgress {
    /// How many calls there will be.
    let count: Int
    let peer: String

    private static let name = "calls"

    /// Shows the call that has ended last.
    func show(_ calls: [JudgedCall]) {
        guard let last = calls.last else { return }
        if Output.isTerminal {
            let firstFrames = Spread(calls.compactMap(\.firstFrameMs))
            let firstFrame = firstFrames.map { ", first frame \(Int($0.median.rounded())) ms" } ?? ""
            let failed = calls.count { $0.failure != nil }
            StatusLine.show("\(calls.count) of \(count), \(failed) failed\(firstFrame)", for: Self.name)
            guard last.failure != nil else { return }
        }
        let good = last.firstFrameMs.map { "first frame after \(Int($0.rounded())) ms" } ?? "connected"
        Output.line("call \(calls.count) of \(count) to \(peer): \(last.failure?.line ?? good)")
    }

    /// Shows the figures of all calls.
    func end(_ summary: SummaryDocument) {
        StatusLine.show(nil, for: Self.name)
        for line in SummaryTable(summary).lines { Output.line(line) }
    }
}
