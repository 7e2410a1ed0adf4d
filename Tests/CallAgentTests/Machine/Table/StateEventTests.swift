import Testing

@testable import CallAgent

/// The rules agree with the tables in every state, for every event.
struct StateEventTests {
    @Test("Every event in every state does what the tables say", arguments: StateEventTable.all.indices)
    func everyPair(index: Int) {
        let table = StateEventTable.all[index]
        let rows = table.rows
        let nothing = table.columns.map { _ in "." }
        for event in EventKinds.all {
            let cells = table.columns.map { StateEventTable.cell(event, $0.machine) }
            let line = ([event.label] + cells).joined(separator: " | ")
            let row = rows[event.label] ?? event.ordinaryLabel.flatMap { rows[$0] } ?? nothing
            #expect(row.count == cells.count, "a row with another number of cells: \(line)")
            for (column, (written, actual)) in zip(table.columns, zip(row, cells)) {
                #expect(written == actual, "\(event.label) in \(column.name); the row would be: \(line)")
            }
        }
        for event in EventKinds.all {
            let ordinary = event.ordinaryLabel.flatMap { rows[$0] } ?? nothing
            #expect(rows[event.label] != ordinary, "a row that says nothing new: \(event.label)")
        }
        #expect(Set(rows.keys).subtracting(EventKinds.all.map(\.label)) == [], "rows of unknown events")
    }

    @Test("Each event has a unique name, and every kind of event is listed")
    func everyEvent() {
        let labels = EventKinds.all.map(\.label)
        #expect(Set(labels).count == labels.count)
        let words = Set(EventKinds.all.map { "\($0)".prefix { $0.isLetter } })
        #expect(
            words == [
                "place", "accept", "reject", "hangUp", "hold", "unhold", "setSending", "setSource", "changeMedia",
                "sendInfo",
                "received", "yield", "inviteFailed", "signalingLost", "signalingRestored", "audit", "media",
                "timerFired",
            ])
        let types = Set(
            EventKinds.all.compactMap {
                if case .received(let body, _, _) = $0 { body.name.prefix { $0 != " " } } else { nil }
            })
        #expect(types.count == 20, "every type of message but the acknowledgement, which the delivery takes")
    }

    @Test("An ended call ignores every event", arguments: StateEventTable.all.indices)
    func ended(index: Int) {
        for column in StateEventTable.all[index].columns {
            let ended = column.machine.after(.received(.invite(.example)), .hangUp)
            for event in EventKinds.all { #expect(StateEventTable.cell(event, ended) == ".") }
        }
    }
}
