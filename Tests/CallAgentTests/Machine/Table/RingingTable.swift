@testable import CallAgent

extension StateEventTable {
    /// Nothing was accepted yet, at the callee.
    static let ringing = StateEventTable(
        columns: [
            Column(name: "idle callee", machine: CallMachine(role: .callee, media: .audioVideo)),
            Column(name: "rings, full", machine: .ringing(.full)),
            Column(name: "rings, guarded", machine: CallMachine.ringing(.guarded, device: "d1").after(.answerCreated(sdp: "answer"))),
            Column(name: "rings, off", machine: .ringing(.off)),
        ],
        text: """
            """)
}
