@testable import CallAgent

extension StateEventTable {
    /// Nothing was accepted yet, at the caller.
    static let beforeTheCall = StateEventTable(
        columns: [
            Column(name: "idle caller", machine: CallMachine(role: .caller, media: .audioVideo)),
            Column(name: "offer being made", machine: CallMachine(role: .caller, media: .audioVideo).after(.place)),
            Column(name: "calling", machine: .calling()),
            Column(name: "hears ringing", machine: .hearsRinging()),
            Column(name: "two devices ring", machine: CallMachine.calling().after(.received(.ringing, device: "d1"), .received(.ringing, device: "d2"))),
        ],
        text: """
            """)
}
