import Foundation
import Testing

@testable import CallAgent

/// `docs/call-states.md` agrees with the rules.
struct DocumentationTests {
    @Test("The table of reasons has exactly the reasons and codes of the rules, in order")
    func reasons() throws {
        let rows = try rows(after: "## The end").map { ($0[0], $0[1]) }
        #expect(rows.map(\.0) == EndReason.allCases.map(\.rawValue))
        for (reason, (_, code)) in zip(EndReason.allCases, rows) { #expect(code == "\(reason.code)", "\(reason)") }
    }

    @Test("For each farewell in the table, the other end derives the reason that the table names")
    func otherEnd() throws {
        for row in try rows(after: "## The end") {
            guard let code = Int(row[4].prefix { $0.isNumber }) else { continue }
            let named = row[5].split(separator: "`").compactMap { EndReason(rawValue: String($0)) }
            // Two farewells, one for each phase: before the accept and after it.
            for (role, farewell) in [
                (CallRole.callee, SignalingMessage.Body.cancel(code)), (.caller, .reject(code)),
                (.caller, .hangup(code)),
            ] {
                guard Self.canSend(farewell, row[0]) else { continue }
                var machine = role == .caller ? CallMachine.hearsRinging() : .ringing()
                _ = machine.handle(.received(farewell))
                let reason = try #require(machine.end?.reason)
                #expect(named.contains(reason), "\(row[0]) in \(farewell)")
            }
        }
    }

    @Test("The table of stages has every stage, in order")
    func stages() throws {
        #expect(try rows(after: "## The timeline").map { $0[0] } == CallTimeline.Stage.allCases.map(\.rawValue))
    }

    @Test("The tables of states, policies and timers are complete and have the real defaults")
    func tables() throws {
        #expect(try rows(after: "## States").map { $0[0] } == CallState.allCases.map(\.rawValue))
        #expect(
            try Set(rows(after: "### Early media").map { $0[0] }) == Set(EarlyMediaPolicy.allCases.map(\.rawValue)))
        let timers = try rows(after: "### Timers").map { ($0[0], $0[1]) }
        let timeouts = CallTimeouts()
        for timer in CallTimer.allCases {
            let row = try #require(timers.first { $0.0 == "\(timer)" })
            let milliseconds = timeouts.milliseconds(timer)
            #expect(row.1 == milliseconds.map { $0 % 1_000 == 0 ? "\($0 / 1_000) s" : "\($0) ms" } ?? "off")
        }
    }

    private static func canSend(_ farewell: SignalingMessage.Body, _ reason: String) -> Bool {
        switch farewell {
        case .reject: reason == "localRejected" || !reason.hasPrefix("local") && reason != "connectTimeout"
        case .cancel: reason == "localCancelled" || !reason.hasPrefix("local") && reason != "connectTimeout"
        default: reason != "localRejected" && reason != "localCancelled" && reason != "ringTimeout"
        }
    }

    /// The cells of the first table after `heading`: the rows whose first cell is a word in backquotes, without these backquotes.
    private func rows(after heading: String) throws -> [[String]] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/call-states.md")
        let lines = try String(contentsOf: file.standardizedFileURL, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == heading })
        let table = lines[start...].drop { !$0.hasPrefix("|---") }.dropFirst().prefix { $0.hasPrefix("|") }
        return table.map { line in
            var cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            cells[0] = String(cells[0].split(separator: "`").first ?? "")
            return cells
        }
    }
}
