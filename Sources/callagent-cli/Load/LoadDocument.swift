/// A load after its end: `--json` prints it, `--expect` checks it, and `--html` draws it.
struct LoadDocument: Encodable {
    /// A call: as in the demo with both its ends if both are of this load, else as in `call`.
    struct Call: Encodable {
        private enum CodingKeys: CodingKey { case number, caller, callee, machine }

        /// From 1, in the order of their ends.
        let number: Int
        let call: LoadedCall
        let isPair: Bool

        func encode(to encoder: any Encoder) throws {
            if !isPair { try call.caller.encode(to: encoder) }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(number, forKey: .number)
            try container.encodeIfPresent(call.machine, forKey: .machine)
            guard isPair else { return }
            try container.encode(call.caller, forKey: .caller)
            try container.encodeIfPresent(call.callee, forKey: .callee)
        }
    }

    /// The summary of the calls, with what the processes used.
    struct Summary: Encodable {
        private enum CodingKeys: CodingKey { case usage, usagePerEnd }

        let calls: SummaryDocument
        /// While at least nine tenths of the most ends were there.
        let usage: SpreadTree
        /// The same for each end of a call that is here.
        let usagePerEnd: SpreadTree

        func encode(to encoder: any Encoder) throws {
            try calls.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            if !usage.isEmpty { try container.encode(usage, forKey: .usage) }
            if !usagePerEnd.isEmpty { try container.encode(usagePerEnd, forKey: .usagePerEnd) }
        }
    }

    let calls: [Call]
    /// How many calls ``calls`` lacks, because there were too many; nil: none.
    let callsLeftOut: Int?
    let summary: Summary
    let moments: [LoadMoment]

    init(_ tally: LoadTally) {
        calls = tally.whole
        callsLeftOut = tally.calls.count > calls.count ? tally.calls.count - calls.count : nil
        moments = tally.moments
        let most = moments.map(\.ends).max() ?? 0
        let busy = moments.filter { $0.ends > 0 && $0.ends * 10 >= most * 9 }
        var (usage, usagePerEnd) = (SpreadTree(), SpreadTree())
        for moment in busy {
            usage.add(moment.usage)
            usagePerEnd.add(moment.usage / Double(moment.ends))
        }
        summary = Summary(calls: tally.summary, usage: usage, usagePerEnd: usagePerEnd)
    }

    /// The summary for a person.
    var table: SummaryTable {
        let figures = [
            ("CPU", ", % of a core", "cpuPercent"), ("memory", ", MB", "residentMB"), ("threads", "", "threads"),
        ]
        let usage = figures.flatMap { name, unit, path in
            [
                (name + unit, summary.usage[path]), ("\(name) of each end\(unit)", summary.usagePerEnd[path]),
            ]
        }
        return SummaryTable(summary.calls, more: usage)
    }
}
