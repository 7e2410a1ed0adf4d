internal import CallAgent
internal import Foundation

/// The report of a load as an HTML file.
struct LoadPage {
    private let document: LoadDocument
    private let tally: LoadTally
    /// The command line, without the program.
    private let arguments: [String]
    private let verdict: ReportPage.Verdict

    init(_ document: LoadDocument, _ tally: LoadTally, arguments: [String], verdict: ReportPage.Verdict) {
        self.document = document
        self.tally = tally
        self.arguments = arguments
        self.verdict = verdict
    }

    /// How many failed calls are shown; `--events` has all of them.
    private static let shownFailures = 200

    /// - Throws: a ``Failure`` if the file cannot be written.
    func write(to path: String) throws(Failure) { try WritableFile.write(Data(html.utf8), to: path) }

    var html: String {
        ReportPage(
            title: "callagent load", subtitle: Self.shown(arguments).joined(separator: " "), verdict: verdict,
            sections: [figures, plots, failures].compactMap(\.self)
        ).html
    }

    /// The arguments without secrets, since a report is passed on: no tokens, data for applications, and users and passwords in URLs.
    static func shown(_ arguments: [String]) -> [String] {
        let secret = ["--token", "--ice-server", "--extension"]
        return arguments.enumerated().map { place, argument in
            if place > 0, secret.contains(arguments[place - 1]) { return "…" }
            if let option = secret.first(where: { argument.hasPrefix($0 + "=") }) { return option + "=…" }
            return argument.withoutSecrets
        }
    }

    private var figures: String {
        let table = document.table
        return ReportPage.section(
            table.title,
            ReportPage.table(head: [""] + SummaryTable.columns, rows: table.cells.map { [$0.title] + $0.cells }))
    }

    private var plots: String? {
        let series: [(String, (LoadMoment) -> Double?)] = [
            ("calls that are connected", { Double($0.connectedCalls) }),
            ("frames a second, of each end", \.framesPerSecond),
            ("packets lost, %", \.lossPercent),
            ("CPU, % of a core", \.usage.cpuPercent),
            ("memory, MB", \.usage.residentMB),
            ("threads", \.usage.threads),
        ]
        let plots = series.map { title, value in
            LinePlot(title: title, points: document.moments.map { ($0.ms, value($0)) }).html
        }
        let setUps = tally.setUps.sorted { $0.startedUnixMs < $1.startedUnixMs }
        let start = setUps.first?.startedUnixMs ?? 0
        let setUpPlot = LinePlot(
            title: "set-up of each call, ms, by the time of its beginning",
            points: setUps.map { ($0.startedUnixMs - start, $0.ms) })
        let all = (plots + [setUpPlot.html]).filter { !$0.isEmpty }
        guard !all.isEmpty else { return nil }
        return ReportPage.section("Over time", "<div class=\"plots\">\n\(all.joined(separator: "\n"))\n</div>")
    }

    private var failures: String? {
        guard tally.failedCalls > 0 else { return nil }
        let failed = tally.whole.filter { $0.call.failure != nil }
        let entries = failed.prefix(Self.shownFailures).map { one in
            let call = one.call
            let ends = [call.caller, call.callee].compactMap(\.self).map(Self.timeline)
            return """
                <details><summary>call \(one.number) to \(call.caller.peer.markup): \
                \((call.failure?.line ?? "").markup)</summary>
                <pre>\(ends.joined(separator: "\n"))</pre></details>
                """
        }
        let more =
            tally.failedCalls > entries.count
            ? "<p>\(tally.failedCalls - entries.count) more are not shown; --events prints them all.</p>" : ""
        return ReportPage.section("Calls that failed: \(tally.failedCalls)", entries.joined(separator: "\n") + more)
    }

    /// When an end of a call reached which stage, and what it recorded.
    private static func timeline(_ call: CallDocument) -> String {
        let stages = call.timelineMs.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
            .map { String(format: "%10.1f ms  ", $0.value) + $0.key }
        return "\(call.role.rawValue), call id \(call.callId)".markup + "\n"
            + (stages + call.warnings).map(\.markup).joined(separator: "\n")
    }
}
