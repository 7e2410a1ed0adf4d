internal import CallAgent

/// All calls of a command, after their end: what `--json` prints and `--expect` asks.
struct CallsDocument: Encodable {
    let calls: [CallDocument]
    let summary: SummaryDocument

    init(_ reports: [CallReport]) {
        calls = reports.map { CallDocument($0) }
        summary = SummaryDocument(ends: reports)
    }
}
