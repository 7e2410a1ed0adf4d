/// A report as one HTML file that needs nothing else: light or dark as the reader's system is, and readable on paper.
struct ReportPage {
    let title: String
    /// What became of what it reports.
    enum Verdict: String { case pass, fail, interrupted }

    /// A line below the title.
    let subtitle: String
    let verdict: Verdict
    /// The parts of the page, as HTML.
    let sections: [String]

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
        <title>\(title.markup)</title>
        <style>
        \(Self.style)
        </style>
        </head>
        <body>
        <header><h1>\(title.markup)</h1><span class="verdict \(verdict.rawValue)">\(verdict.rawValue)</span>
        <p>\(subtitle.markup)</p></header>
        <main>
        \(sections.joined(separator: "\n"))
        </main>
        </body>
        </html>

        """
    }

    /// A part with a heading.
    static func section(_ heading: String, _ content: String) -> String {
        "<section><h2>\(heading.markup)</h2>\n\(content)\n</section>"
    }

    /// A table; the cells of all columns but the first are numbers.
    static func table(head: [String], rows: [[String]]) -> String {
        let cells = { (name: String, words: [String]) in
            words.map { "<\(name)>\($0.markup)</\(name)>" }.joined()
        }
        let body = rows.map { "<tr>\(cells("td", $0))</tr>" }.joined(separator: "\n")
        return
            "<div class=\"scroll\"><table><thead><tr>\(cells("th", head))</tr></thead><tbody>\n\(body)\n</tbody></table></div>"
    }

    private static let style = """
        :root { color-scheme: light dark; --ground: #f3f5f6; --card: #fff; --text: #14201f; --soft: #5b6a69; --line: #dce3e2;
          --series: #0f766e; --pass: #15803d; --fail: #c8322b; }
        @media (prefers-color-scheme: dark) { :root { --ground: #0e1413; --card: #172120; --text: #e8efee; --soft: #97a8a6;
          --line: #2a3736; --series: #2dd4bf; --pass: #22a355; --fail: #e0524a; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 74rem; padding: 1rem; background: var(--ground); color: var(--text);
          font: 15px/1.45 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
        h1 { font-size: 1.3rem; margin: 0; display: inline-block; }
        h2 { font-size: 1rem; margin: 0 0 .5rem; }
        header p { margin: .2rem 0 1rem; color: var(--soft); overflow-wrap: anywhere; }
        .verdict { margin-left: .8rem; padding: .1rem .6rem; border-radius: 1rem; color: #fff; font-weight: 650; }
        .pass { background: var(--pass); } .fail { background: var(--fail); } .interrupted { background: var(--soft); }
        section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .8rem 1rem; margin: 0 0 1rem; }
        .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: .6rem 1.4rem; }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        th, td { text-align: right; padding: .2rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
        th:first-child, td:first-child { text-align: left; }
        th { color: var(--soft); font-weight: 600; }
        figure { margin: 0; } figcaption { color: var(--soft); }
        svg { width: 100%; height: auto; display: block; }
        svg text { fill: var(--soft); font-size: 11px; } svg .grid { stroke: var(--line); }
        svg .series { fill: none; stroke: var(--series); stroke-width: 1.8; stroke-linejoin: round; }
        details { border-bottom: 1px solid var(--line); padding: .3rem 0; } summary { cursor: pointer; overflow-wrap: anywhere; }
        pre { overflow-x: auto; margin: .4rem 0; font-size: .85rem; }
        .ends { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: .4rem 1.4rem; }
        .ends pre { font-size: .68rem; } .ends .plots { grid-template-columns: 1fr 1fr; gap: .2rem .6rem; }
        img { max-width: 100%; height: auto; display: block; }
        .tree { list-style: none; margin: .4rem 0; padding-left: 1rem; } .file { color: var(--soft); }
        .bad { color: var(--fail); font-weight: 600; }
        @media (max-width: 40rem) {
          th, td { padding: .2rem .3rem; font-size: .8rem; }
          td:first-child { white-space: normal; }
        }
        @media print {
          body { max-width: none; padding: 0; } section { break-inside: avoid; }
          pre { white-space: pre-wrap; overflow-wrap: anywhere; } pre, .scroll { overflow: visible; }
          details::details-content { content-visibility: visible; block-size: auto; }
        }
        """
}
