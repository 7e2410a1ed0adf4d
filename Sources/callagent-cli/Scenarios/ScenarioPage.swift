internal import CallAgent
internal import Foundation

/// The results of scenarios as an HTML file: what passed, both ends' timelines side by side, and plots over time.
struct ScenarioPage {
    private let suite: ScenarioSuite

    init(_ suite: ScenarioSuite) { self.suite = suite }

    /// - Throws: a ``Failure`` if the file cannot be written.
    func write(to path: String) throws(Failure) { try WritableFile.write(Data(html.utf8), to: path) }

    var html: String {
        let verdict: ReportPage.Verdict =
            Interruption.status != nil ? .interrupted : suite.failure == nil ? .pass : .fail
        return ReportPage(
            title: "callagent test",
            subtitle: "\(suite.passed) of \(suite.count) scenarios passed, \(suite.failed) failed", verdict: verdict,
            sections: suite.results.map(section)
        ).html
    }

    /// A scenario; open if it failed, or if it is the only one.
    private func section(_ result: ScenarioResult) -> String {
        let tree = ScenarioTree(result)
        let isOpen = !result.isPass || suite.count == 1
        return """
            <section><details\(isOpen ? " open" : "")><summary>\(Self.entry(tree.title)) \
            <span class="file">\(result.scenario.label.markup)</span></summary>
            <ul class="tree">\(tree.entries.map { "<li>\(Self.entry($0))</li>" }.joined(separator: "\n"))</ul>
            \(snapshots(result))
            \(calls(result))
            </details></section>
            """
    }

    private static func entry(_ entry: ScenarioTree.Entry) -> String {
        "<span class=\"\(entry.isGood ? "good" : "bad")\">\(entry.line.markup)</span>"
    }

    /// What the parties saw: the images that steps wrote.
    private func snapshots(_ result: ScenarioResult) -> String {
        let figures = result.steps.compactMap { outcome -> String? in
            guard outcome.complaint == nil, case .script(.snapshot(let path)) = outcome.step.act?.action,
                let image = try? Data(contentsOf: URL(fileURLWithPath: path))
            else { return nil }
            let type = path.lowercased().hasSuffix(".png") ? "png" : "jpeg"
            let title = outcome.step.title.markup
            return """
                <figure><img src="data:image/\(type);base64,\(image.base64EncodedString())" alt="\(title)">\
                <figcaption>\(title)</figcaption></figure>
                """
        }
        return figures.isEmpty ? "" : "<div class=\"ends\">\n\(figures.joined(separator: "\n"))\n</div>"
    }

    /// The ends of each call side by side: those with the same id.
    private func calls(_ result: ScenarioResult) -> String {
        var ids: [String] = []
        let pages = result.pageCalls.sorted { $0.key < $1.key }.flatMap { party, calls in
            calls.map { (party: party, call: $0) }
        }
        for id in result.calls.map(\.report.callId) + pages.map(\.call.callId) where !ids.contains(id) {
            ids.append(id)
        }
        return ids.map { id in
            let ends =
                result.calls.filter { $0.report.callId == id }.map { ($0.report.role, Self.end($0)) }
                + pages.filter { $0.call.callId == id }.map { ($0.call.role, Self.end($0.call, $0.party)) }
            let sorted = ends.sorted { $0.0 == .caller && $1.0 == .callee }.map(\.1)
            return "<div class=\"ends\">\n\(sorted.joined(separator: "\n"))\n</div>"
        }
        .joined(separator: "\n")
    }

    /// A page's end: its timeline and its figures.
    private static func end(_ call: PageCall, _ party: String) -> String {
        let timeline = Waterfall(title: "\(call.role.rawValue) \(party), a page in a browser", call.stages).lines
        return """
            <div><pre>\(timeline.map(\.markup).joined(separator: "\n"))</pre>
            <details><summary>figures of \(party.markup)</summary><pre>\(Output.json(call, .prettyPrinted).markup)</pre></details></div>
            """
    }

    private static func end(_ call: PlayedCall) -> String {
        let timeline = Waterfall(report: call.report).lines + MediaLines.lines(call.report, call.ended.messages)
        let series: [(String, (CallMoment) -> Double?)] = [
            ("received, kbit/s", { $0.receivedKbit }), ("frames received a second", \.framesPerSecond),
            ("frozen, ms", \.frozenMs), ("delay of the latest frame, ms", \.frameDelayMs),
            ("packets lost, %", \.lossPercent), ("audio level, 0 to 1", \.audioLevel),
        ]
        let plots = series.map { title, value in
            LinePlot(title: title, points: call.series.map { ($0.ms, value($0)) }).html
        }
        let log = call.report.records.map { record in
            let time = String(format: "%10.1f ms  ", record.milliseconds)
            return time + record.kind.rawValue.padding(toLength: 9, withPad: " ", startingAt: 0) + record.action
        }
        return """
            <div><pre>\(timeline.map(\.markup).joined(separator: "\n"))</pre>
            <div class="plots">\(plots.joined(separator: "\n"))</div>
            <details><summary>log of \(call.party.markup)</summary><pre>\(log.map(\.markup).joined(separator: "\n"))</pre></details></div>
            """
    }
}
