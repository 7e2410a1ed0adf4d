/// A load after its end: `--json` prints it, `--expect` checks it, and `--html` draws it.
struct LoadDocument: Encodable {
    /// A call: as in the demo with both its ends if both are of this load, else as in `call`.
    enum Call: Encodable {
        case end(CallDocument, machine: String?)
        case pair(caller: CallDocument, callee: CallDocument?)

        private enum CodingKeys: CodingKey { case caller, callee, machine }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .end(let call, let machine):
                try call.encode(to: encoder)
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encodeIfPresent(machine, forKey: .machine)
            case .pair(let caller, let callee):
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(caller, forKey: .caller)
                try container.encodeIfPresent(callee, forKey: .callee)
            }
        }
    }

    /// The summary of the calls, with what the processes used.
    struct Summary: Encodable {
        private enum CodingKeys: CodingKey { case usage, usagePerEnd }

        let calls: SummaryDocument
        /// While at least nine tenths of the most ends were there.
        let usage: SpreadTree?
        /// The same for each end of a call that is here.
        let usagePerEnd: SpreadTree?

        func encode(to encoder: any Encoder) throws {
            try calls.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(usage, forKey: .usage)
            try container.encodeIfPresent(usagePerEnd, forKey: .usagePerEnd)
        }
    }

    let calls: [Call]
    let summary: Summary
    let moments: [LoadMoment]

    init(_ tally: LoadTally, isPair: Bool) {
        calls = tally.calls.map {
            isPair ? .pair(caller: $0.caller, callee: $0.callee) : .end($0.caller, machine: $0.machine)
        }
        moments = tally.moments
        let most = moments.map(\.ends).max() ?? 0
        let busy = moments.filter { $0.ends > 0 && $0.ends * 10 >= most * 9 }
        summary = Summary(
            calls: isPair
                ? SummaryDocument(pairs: tally.calls.map { ($0.caller, $0.callee) })
                : SummaryDocument(ends: tally.calls.map(\.caller)),
            usage: SpreadTree(busy.map(\.usage)), usagePerEnd: SpreadTree(busy.map { $0.usage / Double($0.ends) }))
    }

    /// The summary for a person.
    var table: SummaryTable {
        let figures = [
            ("CPU", ", % of a core", "cpuPercent"), ("memory", ", MB", "residentMB"), ("threads", "", "threads"),
        ]
        let usage = figures.flatMap { name, unit, path in
            [
                (name + unit, summary.usage?[path]), ("\(name) of each end\(unit)", summary.usagePerEnd?[path]),
            ]
        }
        return SummaryTable(summary.calls, more: usage)
    }
}
